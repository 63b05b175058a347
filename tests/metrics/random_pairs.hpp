/// \file
/// Pairs of buffers that are hard to measure: every element type, made from bits.
#pragma once

#include <plumb/metrics/report.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

/// Elements of one type.
struct buffer {
    plumb::dtype type;
    std::vector<unsigned char> bytes;

    std::size_t size() const { return bytes.size() / plumb::size_of(type); }
    const unsigned char* at(std::size_t i) const { return bytes.data() + i * plumb::size_of(type); }
    plumb::tensor_view view() const { return {type, bytes.data(), plumb::extents{static_cast<std::int64_t>(size())}}; }
};

struct buffer_pair {
    buffer actual, reference;
    plumb::tolerance limits;
};

/// How the elements of a pair of buffers are made.
enum class pair_kind {
    normal,      ///< normally distributed, the sides close to each other
    log_uniform, ///< any finite pattern, hence any exponent
    cancelling,  ///< Σab is zero but for one term
    subnormal,   ///< subnormal numbers and zeros
    ties,        ///< few values, so that maxima tie
    nonfinite,   ///< any pattern, one in ten NaN or infinite
    zeros,       ///< mostly zeros of both signs, often one side alone
    neighbours,  ///< a few representable values apart
    extremes,    ///< the largest and smallest magnitudes, and 1
    jumps,       ///< runs of one scale, then another
    thresholds,  ///< errors of exactly 1/1000 and 1/200, and close to it
    count
};

using random_engine = std::mt19937_64;

/// The number that an environment variable holds, or another if there is no such variable.
std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise);

/// A length from 0 to 5,000, often one beside a power of two.
std::size_t random_length(random_engine& random);

buffer_pair random_pair(random_engine& random, pair_kind kind, plumb::dtype actual, plumb::dtype reference, std::size_t n);
