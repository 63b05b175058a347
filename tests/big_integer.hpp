/// \file
/// Integers of any size (GMP), and the question whether a double is a number rounded once.
#pragma once

#include <gmp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// A GMP integer that looks after itself. It converts to what GMP's functions take.
class big_integer {
public:
    big_integer(long value = 0) { mpz_init_set_si(z_, value); }
    big_integer(const big_integer& other) { mpz_init_set(z_, other.z_); }
    big_integer& operator=(const big_integer& other) {
        mpz_set(z_, other.z_);
        return *this;
    }
    ~big_integer() { mpz_clear(z_); }

    /// The number with these 64-bit words, least significant first.
    static big_integer from_words(const std::uint64_t* words, std::size_t count) {
        big_integer x;
        mpz_import(x.z_, count, -1, sizeof *words, 0, 0, words);
        return x;
    }
    static big_integer power_of_two(unsigned long exponent) { return big_integer(1) << exponent; }

    operator mpz_ptr() { return z_; }
    operator mpz_srcptr() const { return z_; }
    int sign() const { return mpz_sgn(z_); }
    /// Bits of the magnitude; 1 for 0.
    long width() const { return static_cast<long>(mpz_sizeinbase(z_, 2)); }

    friend big_integer operator+(const big_integer& a, const big_integer& b) { return by(mpz_add, a, b); }
    friend big_integer operator-(const big_integer& a, const big_integer& b) { return by(mpz_sub, a, b); }
    friend big_integer operator*(const big_integer& a, const big_integer& b) { return by(mpz_mul, a, b); }
    friend big_integer operator-(const big_integer& a) { return big_integer(0) - a; }
    friend big_integer operator<<(const big_integer& a, unsigned long bits) {
        big_integer result;
        mpz_mul_2exp(result.z_, a.z_, bits);
        return result;
    }
    friend big_integer abs(const big_integer& a) { return a.sign() < 0 ? -a : a; }
    friend bool operator==(const big_integer& a, const big_integer& b) { return mpz_cmp(a.z_, b.z_) == 0; }
    friend bool operator<(const big_integer& a, const big_integer& b) { return mpz_cmp(a.z_, b.z_) < 0; }

private:
    static big_integer by(void (*f)(mpz_ptr, mpz_srcptr, mpz_srcptr), const big_integer& a, const big_integer& b) {
        big_integer result;
        f(result.z_, a.z_, b.z_);
        return result;
    }

    mpz_t z_;
};

/// -1, 0 or 1 as a * 2^a_exponent is less than, equal to or greater than b * 2^b_exponent.
inline int compare_scaled(const big_integer& a, long a_exponent, const big_integer& b, long b_exponent) {
    const long unit = std::min(a_exponent, b_exponent);
    const int order =
        mpz_cmp(a << static_cast<unsigned long>(a_exponent - unit), b << static_cast<unsigned long>(b_exponent - unit));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

/// True if the non-negative y is the double nearest to (p / q * 2^exponent)^(1/root), ties to even. Decided exactly: the value
/// must lie between the middles from y to its neighbours, raised to the power `root`.
inline bool is_rounded_root(double y, int root, const big_integer& p, const big_integer& q, long exponent) {
    // -1, 0 or 1 as the value is below, at or above h * 2^k.
    const auto side = [&](const big_integer& h, long k) {
        return compare_scaled(p, exponent, root == 1 ? q * h : q * h * h, root * k);
    };
    if (std::isnan(y) || std::signbit(y)) return false;
    if (y == 0) return side(1, -1075) <= 0;
    const long largest = (1L << 54) - 1; // the middle between the largest double and 2^1024, in units of 2^970
    if (std::isinf(y)) return side(largest, 970) >= 0;

    int y_exponent = 0;
    const double fraction = std::frexp(y, &y_exponent);
    const int unit = std::max(y_exponent - 53, -1074);
    const auto m = static_cast<long>(std::ldexp(fraction, y_exponent - unit));
    const bool even = m % 2 == 0;
    const bool binade_start = m == 1L << 52 && unit > -1074;
    const int above = side(2 * m + 1, unit - 1);
    const int below = binade_start ? side(4 * m - 1, unit - 2) : side(2 * m - 1, unit - 1);
    return (above < 0 || (above == 0 && even)) && (below > 0 || (below == 0 && even));
}
