// plumb overflow: which operators of a dump overflow, and which one is the source.
#include "arguments.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "json_output.hpp"
#include "progress.hpp"
#include "table.hpp"

#include <plumb/compare/overflow.hpp>
#include <plumb/compare/write_json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace {

struct overflow_arguments {
    std::string dump;
    std::string constants;
    bool saturation = false, json = false;
    unsigned jobs = 0;
};

std::string slot_of(const plumb::dump_entry& entry) { return entry.slot.empty() ? "0" : entry.slot; }

std::string type_of(const plumb::dump_entry& entry) {
    return entry.type ? std::string(name_of(*entry.type)) : console::shown(entry.type_name);
}

std::string place_of(const plumb::dump_entry& entry) { return std::string(name_of(entry.kind)) + ' ' + slot_of(entry); }

void add_place(plumb::detail::json_builder& json, int rank, const plumb::dump_entry& entry,
               const std::optional<std::uint64_t>& index) {
    json.member("rank", rank).member("operator", entry.op).member("kind", name_of(entry.kind));
    plumb::detail::add_slot(json, entry.slot);
    json.member("index", index);
}

void print_object(const plumb::overflow_report& report) {
    plumb::detail::json_builder json;
    json.open('{').key("source");
    if (report.source) {
        add_place(json.open('{'), report.source->rank, *report.source->entry, report.source->index);
        json.close('}');
    } else {
        json.null();
    }
    json.key("inherited").open('[');
    for (const std::string& op : report.inherited) json.value(op);
    json.close(']').key("rows").open('[');
    for (const plumb::overflow_row& row : report.rows) {
        const plumb::overflow_probe& found = row.found;
        add_place(json.open('{'), row.rank, *row.entry, found.index);
        json.member("step", row.step).member("name", row.entry->name).member("dtype", type_of(*row.entry));
        json.member("judged_by", found.from_data ? "data" : "statistics");
        const auto add_count = [&](std::string_view name, std::uint64_t plumb::nonfinite_counts::*count, bool flag) {
            // Statistics tell that there are some, not how many.
            json.key(name);
            if (found.statistics)
                json.value(found.statistics->nonfinite.*count);
            else if (flag)
                json.null();
            else
                json.value(0);
        };
        add_count("nan", &plumb::nonfinite_counts::nan, found.nan);
        add_count("pos_inf", &plumb::nonfinite_counts::pos_inf, found.pos_inf);
        add_count("neg_inf", &plumb::nonfinite_counts::neg_inf, found.neg_inf);
        json.key("saturated");
        if (found.statistics)
            json.value(found.statistics->saturated);
        else if (found.at_limit)
            json.null();
        else
            json.value(0);
        json.key("role");
        if (row.role == plumb::overflow_role::none)
            json.null();
        else
            json.value(name_of(row.role));
        json.close('}');
    }
    json.close(']').key("sources").open('[');
    for (const plumb::overflow_source& source : report.sources) {
        add_place(json.open('{'), source.rank, *source.entry, source.index);
        json.member("step", source.step).member("why", source.why).close('}');
    }
    json.close(']').key("warnings").open('[');
    for (const std::string& warning : report.warnings) json.value(warning);
    print_json(json.close(']').close('}'));
}

std::string rank_text(const plumb::overflow_report& report, int step, int rank) {
    const auto& ranks = report.recorded->ranks;
    if (ranks.size() < 2) return {};
    const std::string step_text = ranks.front().step != ranks.back().step ? "step " + std::to_string(step) + " " : "";
    return step_text + "rank " + std::to_string(rank) + "  ";
}

void print_source(std::string& text, const plumb::overflow_report& report, const plumb::overflow_source& source) {
    text += "  " + rank_text(report, source.step, source.rank) +
            console::in(console::look::bad, console::shown(source.entry->op)) + "  " + place_of(*source.entry) + '\n' +
            console::wrapped(console::shown(source.why), 4);
}

void print_text(const plumb::overflow_report& report, bool saturation) {
    std::string text;
    std::size_t saturated = 0;
    for (const plumb::overflow_row& row : report.rows) saturated += row.found.at_limit;

    if (report.source) {
        text += console::in(console::look::bold, "source of the overflow") + '\n';
        print_source(text, report, *report.source);
    } else {
        text += console::in(console::look::good, "no overflow") + " in " + std::to_string(report.judged) +
                (report.judged == 1 ? " tensor\n" : " tensors\n");
    }
    if (report.sources.size() > 1) {
        text += '\n' + console::in(console::look::bold, "sources beside it") + '\n';
        constexpr std::size_t most = 10;
        for (std::size_t i = 1; i < report.sources.size() && i <= most; ++i) print_source(text, report, report.sources[i]);
        if (report.sources.size() > most + 1) text += "  and " + std::to_string(report.sources.size() - most - 1) + " more\n";
    }
    if (!report.inherited.empty()) {
        text += '\n' + console::in(console::look::bold, "inherited by") + '\n';
        constexpr std::size_t most = 20;
        for (std::size_t i = 0; i < report.inherited.size() && i < most; ++i)
            text += "  " + console::shown(report.inherited[i]) + '\n';
        if (report.inherited.size() > most) text += "  and " + std::to_string(report.inherited.size() - most) + " more\n";
    }

    const bool many = report.recorded->ranks.size() > 1;
    std::vector<table::column> columns{{"tensor", table::align::left, true}, {"dtype"}, {"found"}, {"operator"}};
    if (many) columns.insert(columns.begin(), {"rank"});
    table lines(columns);
    constexpr std::size_t most = 40;
    std::size_t count = 0;
    for (const plumb::overflow_row& row : report.rows) {
        if (!row.found.overflows(saturation) || ++count > most) continue;
        const bool constant = row.role == plumb::overflow_role::constant, source = row.role == plumb::overflow_role::source;
        std::vector<table::cell> cells{
            {console::shown(row.entry->name)},
            {type_of(*row.entry)},
            {row.found.text()},
            {row.role == plumb::overflow_role::none ? "" : std::string(name_of(row.role)), source     ? console::look::bad
                                                                                           : constant ? console::look::dim
                                                                                                      : console::look::plain}};
        if (many) cells.insert(cells.begin(), {rank_text(report, row.step, row.rank)});
        lines.add(std::move(cells));
    }
    if (count > 0) text += '\n' + console::in(console::look::bold, "tensors") + '\n' + lines.text();
    if (count > most) text += "  and " + std::to_string(count - most) + " more (--json has all)\n";
    if (saturated > 0 && !saturation)
        text += std::to_string(saturated) + (saturated == 1 ? " tensor holds" : " tensors hold") +
                " values at the end of the type's range, which count with --saturation\n";
    console::print(text);
}

plumb::overflow_options options_of(const overflow_arguments& arguments) {
    plumb::overflow_options options;
    options.saturation = arguments.saturation;
    options.jobs = arguments.jobs;
    if (!arguments.constants.empty()) {
        std::string_view list = arguments.constants;
        if (list.front() == '+')
            list.remove_prefix(1);
        else
            options.constant_writers.clear();
        while (!list.empty()) {
            const std::string_view name = list.substr(0, list.find(','));
            list.remove_prefix(name.size() == list.size() ? list.size() : name.size() + 1);
            if (!name.empty()) options.constant_writers.emplace_back(name);
        }
    }
    return options;
}

int run(const overflow_arguments& arguments) {
    plumb::overflow_options options = options_of(arguments);
    plumb::overflow_report report;
    {
        progress_bar bar("reading tensors");
        options.progress = [&](std::size_t done, std::size_t total) { bar.show(done, total); };
        report = plumb::find_overflow(plumb::read_dump(std::filesystem::path(arguments.dump)), options);
    }
    const int status = exit_status(report);
    if (arguments.json)
        print_object(report);
    else if (status != nothing_to_judge)
        print_text(report, arguments.saturation);
    for (const std::string& warning : report.warnings) console::warn(warning);
    if (report.unjudged > 0)
        console::warn(std::to_string(report.unjudged) +
                      " tensors have neither data that can be read nor max and min: they were not judged");
    if (status == nothing_to_judge) console::tell(arguments.dump + ": nothing in this dump can be judged");
    return status;
}

} // namespace

void add_overflow_command(CLI::App& program, int& status) {
    const auto arguments = std::make_shared<overflow_arguments>();
    CLI::App& command =
        *program.add_subcommand("overflow", "The operators of a dump that overflow, and which of them is the source");
    command.add_option("DUMP", arguments->dump, "A dump of any layout: its folder, or its index file")->required();
    command.add_flag("--saturation", arguments->saturation,
                     "Count values at the type's largest finite magnitude (65504 of f16) as overflow too");
    std::string names;
    for (const std::string& name : plumb::default_constant_writers()) names += (names.empty() ? "" : ", ") + name;
    command
        .add_option("--constants", arguments->constants,
                    "Functions that write a given constant, never a source: a list such as fill,full, "
                    "or +NAME,... to add to the default one")
        ->type_name("LIST");
    command.add_option("--jobs", arguments->jobs, "Threads that read tensors (default: as many as the machine has)")
        ->check(is_whole_number)
        ->type_name("N");
    command.add_flag("--json", arguments->json, "Print one JSON object");
    command.footer(
        "Overflow is NaN or an infinity in an output. The source is the first operator with finite inputs and such an output; "
        "those after it inherit. An input that no operator of the dump produced came from outside: then the source is this "
        "input. Tensors are judged by their elements, or by max and min where no data were recorded; never by a norm.\n"
        "No overflow: what constant writers write, infinities given as an argument (masked_fill(mask, -inf)), and what carries "
        "these on. Making NaN of them is one.\n"
        "Constant writers: " +
        names +
        ".\n"
        "Exit status: 0 no overflow; 1 overflow was found; 2 nothing could be judged; 3 none was found, but not all could be "
        "judged.");
    set_callback<overflow_arguments>(command, status, arguments, run);
}
