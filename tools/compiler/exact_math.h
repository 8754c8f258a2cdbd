// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Elementary functions in double precision with the same bits on every machine, because a pack
// must not depend on the C library that compiled it. Only + - * / and sqrt, in fixed order.
#ifndef TROUPE_TOOLS_EXACT_MATH_H
#define TROUPE_TOOLS_EXACT_MATH_H

/// Each is within 2 ulp of the true value (near zeros of sin and cos: 1e-16 absolute) over the
/// range given, NaN for NaN or outside.
double exact_sin(double radians); // |radians| <= 1e6
double exact_cos(double radians); // |radians| <= 1e6
double exact_acos(double x);      // [-1, 1]
double exact_atan2(double y, double x);
double exact_exp2(double x);          // [-1022, 1023]
double exact_log2(double x);          // > 0
double exact_pow(double x, double y); // x > 0, result in [2^-1022, 2^1023]; 4 ulp

#endif
