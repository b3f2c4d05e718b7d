// Written by tools/fit-cut; do not edit. The functions are defined in normal-inl.h.
#pragma once

// clang-format off
namespace postrider::internal::cut_fit {

// Numerators of mean and variance (relative errors 6.5e-08 and 1.6e-07) and their
// denominator; powers of x, constant term first.
inline constexpr double kMean[] = {
    965.672078,
    1100.546781,
    661.6714237,
    250.5586929,
    63.51923253,
    10.35825941,
    1.000000065,
};
inline constexpr double kVariance[] = {
    439.7955258,
    437.6613453,
    209.2986702,
    59.51216347,
    10.35836232,
    0.9999998378,
};
inline constexpr double kBelow[] = {
    1210.290389,
    1930.537607,
    1543.112182,
    782.2306599,
    271.3152804,
    65.51751733,
    10.3582865,
    1,
};

// 2^f for |f| <= 1/2, relative error 2.0e-09.
inline constexpr double kTwoToThe[] = {
    1,
    0.6931472029,
    0.2402264791,
    0.05550332473,
    0.009618437452,
    0.001339887379,
    0.0001535333489,
};

}  // namespace postrider::internal::cut_fit
