#!/usr/bin/env python3
"""Does a test notice when a range check of the kernels is off by one, or gone?

Each mutation changes one line in a copy of include/; the test of the fast tiers that is named beside it must then fail to
compile or to pass. Mutations that change no result are not listed: a larger bin than a sum needs, a window closed too early.
"""

import argparse
import os
import shutil
import subprocess
import sys

TENSOR, PAIRS, EDGES = "test_fast_tensor", "test_fast_pairs", "test_sum_edges"

# (file in include/plumb/kernels, what stands there, what is put in its place, the test that must notice)
MUTATIONS = [
    # The windows of single tensors
    ("tensor.ipp", "window_bits = 51 - log2_of_block()", "window_bits = 52 - log2_of_block()", TENSOR),
    ("tensor.ipp", "bins_for(2 * window.top, log2_of_block())", "bins_for(2 * window.top, log2_of_block() - 1)", TENSOR),
    ("tensor.ipp", "any_bit(bit_and(special, fill_int(INT32_MIN))) || any_larger", "any_larger", TENSOR),
    ("tensor.ipp", " || any_larger(here, window.largest)) break", ") break", TENSOR),
    ("tensor.ipp", "if (any_smaller(here, look_below) && ", "if (false && ", TENSOR),
    ("tensor.ipp", "if (found != 0 && found < window.least) return false;", "", TENSOR),
    ("tensor.ipp", "if (any_above16(most_here, largest) || ", "if (", TENSOR),
    ("tensor.ipp", " || any_above16(most_negative_here, largest)) break", ") break", TENSOR),
    ("tensor.ipp", "if (any_above16(look_below, least_here) && ", "if (false && ", TENSOR),
    ("tensor.ipp", "    if (found < window.least) return false;", "", TENSOR),
    ("tensor.ipp", "end - i < 16 * lanes ? end : i + 16 * lanes", "end - i < 32 * lanes ? end : i + 32 * lanes", TENSOR),
    ("tensor_block.hpp", "half_window_bits = 27", "half_window_bits = 28", TENSOR),
    ("tensor_vector.hpp", "f::largest - 1; // saturated", "f::largest; // saturated", TENSOR),
    ("tensor_vector.hpp", "window.largest = ((top + f::bias) << f::fraction_bits) - 1;",
     "window.largest = ((top + f::bias) << f::fraction_bits) + 1;", TENSOR),
    ("tensor_vector.hpp", "(window.unit + f::fraction_bits + f::bias) << f::fraction_bits",
     "(window.unit + f::fraction_bits + f::bias - 1) << f::fraction_bits", TENSOR),
    ("tensor_vector.hpp", "window.normal = 1 << f::fraction_bits", "window.normal = 1", TENSOR),
    ("tensor_vector.hpp", "if (top - bits > range.unit) return false;", "", TENSOR),
    ("tensor_vector.hpp", "if (range.top - range.unit <= kernels.window_bits)",
     "if (range.top - range.unit <= kernels.window_bits + 1)", TENSOR),
    ("tensor_vector.hpp", "survey.largest == saturated || survey.least < normal", "survey.least < normal", TENSOR),
    ("tensor_vector.hpp", "survey.largest == saturated || survey.least < normal", "survey.largest == saturated", TENSOR),
    ("tensor_vector.hpp", "if (stand_ins != 0 && stand_in.mantissa != 0)", "if (false)", TENSOR),
    ("block_source.hpp", "range.top = (top == 0 ? 1 : top) - binary32::bias + 1;",
     "range.top = (top == 0 ? 1 : top) - binary32::bias;", TENSOR),
    ("block_source.hpp", "- binary32::bias - fraction_bits;", "- binary32::bias - fraction_bits + 1;", TENSOR),
    ("block_source.hpp", "size >>= Sum::min_exponent - exponent;", "", TENSOR),
    # The tiers of pairs
    ("pair.ipp", "constexpr int product_bits(int log2_n) { return 51 - log2_n; }",
     "constexpr int product_bits(int log2_n) { return 52 - log2_n; }", PAIRS),
    ("pair.ipp", "if (!ranges_fit(range_a, range_b, log2_n)) return false;", "", PAIRS),
    ("pair.ipp", "bits = (63 - log2_of(level_block_pairs / lanes)) / 2", "bits = (67 - log2_of(level_block_pairs / lanes)) / 2",
     PAIRS),
    ("pair.ipp", "if (exponent - 2 * gap <= low - 47) return", "if (exponent - 2 * gap <= low - 30) return", PAIRS),
    ("pair.ipp", "while (exponent - 3 * gap > low - 47) {", "while (exponent - 3 * gap > low - 30) {", PAIRS),
    ("pair.ipp", "if (top + log2_n - unit <= 51) {", "if (top + log2_n - unit <= 53) {", EDGES),
    ("pair.ipp", "if (bins.low > unit) return false;", "", PAIRS),
    ("pair_vector.hpp", "return inner.top <= outer.top && ", "return ", PAIRS),
    ("pair_vector.hpp", " && inner.unit >= outer.unit;", ";", PAIRS),
    ("pair_vector.hpp", "survey.largest_a >= infinity || survey.largest_b >= infinity", "survey.largest_a >= infinity", PAIRS),
    ("pair_vector.hpp", "const bool tiny = a.unit < -120 || b.unit < -120;", "const bool tiny = false;", PAIRS),
    ("pair_maxima.hpp", "limits.abs = abs == 0 ? 0 : abs - 1;", "limits.abs = abs + 1;", PAIRS),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, help="the project's top folder")
    parser.add_argument("--work", required=True, help="a folder to work in")
    parser.add_argument("--compiler", required=True, help="compiler and flags, parted by semicolons")
    parser.add_argument("--link", required=True, help="what gives the tests their main function, parted by semicolons")
    parser.add_argument("--only", default="", help="mutations of files whose names contain this")
    options = parser.parse_args()

    include = os.path.join(options.work, "include")
    tests = os.path.join(options.source, "tests")
    survivors, tried = [], 0

    def passes(test):
        program = os.path.join(options.work, test)
        command = [word for word in options.compiler.split(";") if word] + [
            "-std=c++17", "-O1", "-I" + include, "-I" + tests, os.path.join(tests, "kernels", test + ".cpp"),
            *[word for word in options.link.split(";") if word], "-pthread", "-o", program]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(f"{test} does not compile:\n{built.stderr[:2000]}")
        try:
            return subprocess.run([program], capture_output=True, timeout=600).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    chosen = [mutation for mutation in MUTATIONS if options.only in mutation[0]]
    unchanged = [(None, "", "", test) for test in sorted({mutation[3] for mutation in chosen})]
    for name, before, after, test in unchanged + chosen:
        shutil.rmtree(include, ignore_errors=True)
        shutil.copytree(os.path.join(options.source, "include"), include)
        if name is None: # the tests pass as long as nothing is changed
            if not passes(test):
                sys.exit(f"{test} fails without any mutation")
            continue
        path = os.path.join(include, "plumb", "kernels", name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.count(before) != 1:
            sys.exit(f"{name} has {text.count(before)} times: {before}\nEach mutation needs a line of its own: mend the list.")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))
        tried += 1
        survived = passes(test)
        print(("SURVIVED  " if survived else "caught    ") + f"{name}: {before.strip()}  ->  {after.strip() or '(gone)'}", flush=True)
        if survived:
            survivors.append(name)

    print(f"{tried} mutations, {len(survivors)} not noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
