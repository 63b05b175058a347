/// \file
/// Floor 8: how do two dumps differ, and where first?
///
/// Begin with compare_dumps.hpp; write_table.hpp and write_json.hpp write what it finds.
#pragma once

#include <plumb/compare/call_evidence.hpp>
#include <plumb/compare/compare_dumps.hpp>
#include <plumb/compare/compare_entries.hpp>
#include <plumb/compare/comparison.hpp>
#include <plumb/compare/csv.hpp>
#include <plumb/compare/divergence.hpp>
#include <plumb/compare/evidence_text.hpp>
#include <plumb/compare/msprobe_table.hpp>
#include <plumb/compare/number_text.hpp>
#include <plumb/compare/operator_name.hpp>
#include <plumb/compare/overflow.hpp>
#include <plumb/compare/overflow_probe.hpp>
#include <plumb/compare/overflow_report.hpp>
#include <plumb/compare/overflow_search.hpp>
#include <plumb/compare/pairing.hpp>
#include <plumb/compare/parse.hpp>
#include <plumb/compare/plumb_table.hpp>
#include <plumb/compare/producer.hpp>
#include <plumb/compare/ptdbg_table.hpp>
#include <plumb/compare/rank_agreement.hpp>
#include <plumb/compare/read_name_map.hpp>
#include <plumb/compare/recorded_call.hpp>
#include <plumb/compare/rounding_noise.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/compare/seed_words.hpp>
#include <plumb/compare/statistics_rules.hpp>
#include <plumb/compare/write_json.hpp>
#include <plumb/compare/write_table.hpp>
