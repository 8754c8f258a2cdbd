// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Whether a sanitizer watches over the test: it takes memory of its own, and finds more.
#ifndef TROUPE_TESTS_SANITIZED_H
#define TROUPE_TESTS_SANITIZED_H

#define IS_SANITIZED 0
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef IS_SANITIZED
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef IS_SANITIZED
#define IS_SANITIZED 1
#endif
#endif

#endif
