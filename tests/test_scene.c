// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The oracle against the formulas of the glTF 2.0 specification, appendix C, written out again in
// long double, with the C library's functions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "scene.h"

static uint64_t random_state = 1;

static double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) * 0x1p-53);
}

static void random_rotation(double q[4])
{
    long double square = 0;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(-1, 1);
            square += (long double)q[i] * q[i];
        }
    } while (square < 0.01L || square > 1);
    for (int i = 0; i < 4; i++) {
        q[i] = (double)(q[i] / sqrtl(square));
    }
}

static void assert_near(double value, long double truth, double tolerance)
{
    if (!(fabsl((long double)value - truth) <= tolerance)) {
        fail_msg("%.17g is not within %g of %.17Lg", value, tolerance, truth);
    }
}

static long double dot4(const double a[4], const double b[4])
{
    long double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (long double)a[i] * b[i];
    }
    return sum;
}

static void assert_unit(const double q[4])
{
    assert_near(1, sqrtl(dot4(q, q)), 4e-16);
}

// A curve of three keys at unequal distances, one number a key and component.
enum { KEY_COUNT = 3 };

static double key_times[KEY_COUNT] = {0.5, 0.75, 2.75};
static double key_values[KEY_COUNT * 3] = {1, -2, 3, 4, 5, -6, -7, 8.5, 0.125};
static double key_in[KEY_COUNT * 3] = {9, 9, 9, -1, 2.5, 3, 0.5, -4, 7};
static double key_out[KEY_COUNT * 3] = {2, -3, 0.25, 1.5, -1, 6, 9, 9, 9};
static uint8_t key_step[KEY_COUNT] = {SCENE_STEP, SCENE_STEP, SCENE_STEP};
static uint8_t key_linear[KEY_COUNT] = {SCENE_LINEAR, SCENE_LINEAR, SCENE_LINEAR};
static uint8_t key_cubic[KEY_COUNT] = {SCENE_CUBIC, SCENE_CUBIC, SCENE_CUBIC};
static uint8_t key_bezier[KEY_COUNT] = {SCENE_BEZIER, SCENE_BEZIER, SCENE_BEZIER};
static double key_handles[KEY_COUNT][2] = {{0.25, 0.5}, {0.9, 0.2}, {-9, 9}};

static struct scene_curve vector_curve(uint8_t *interpolations)
{
    const bool is_cubic = interpolations[0] >= SCENE_CUBIC;
    return (struct scene_curve){
        .key_count = KEY_COUNT,
        .stride = 3,
        .times = key_times,
        .values = key_values,
        .in_tangents = is_cubic ? key_in : NULL,
        .out_tangents = is_cubic ? key_out : NULL,
        .handles = interpolations[0] == SCENE_BEZIER ? key_handles : NULL,
        .interpolations = interpolations,
    };
}

static void test_scene_any_interpolation_at_keys_and_outside_gives_key_values(void **state)
{
    (void)state;
    uint8_t *const kinds[] = {key_step, key_linear, key_cubic, key_bezier};
    for (size_t kind = 0; kind < 4; kind++) {
        const struct scene_curve curve = vector_curve(kinds[kind]);
        const struct {
            double time_s;
            int key;
        } cases[] = {
            {-INFINITY, 0}, {-1, 0},   {0, 0},    {0.25, 0}, {NAN, 0},
            {0.5, 0},       {0.75, 1}, {2.75, 2}, {2.76, 2}, {INFINITY, 2},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double out[3];
            scene_curve_sample(&curve, SCENE_TRANSLATION, cases[i].time_s, out);
            assert_memory_equal(out, key_values + cases[i].key * 3, sizeof out);
        }
    }
}

static void test_scene_nan_time_counts_as_zero_seconds(void **state)
{
    (void)state;
    double times[2] = {0, 1};
    struct scene_curve curve = vector_curve(key_linear);
    curve.key_count = 2;
    curve.times = times;
    double out[3];
    scene_curve_sample(&curve, SCENE_TRANSLATION, NAN, out);
    assert_memory_equal(out, key_values, sizeof out);
}

static void test_scene_step_between_keys_holds_the_earlier_one(void **state)
{
    (void)state;
    const struct scene_curve curve = vector_curve(key_step);
    double out[3];
    scene_curve_sample(&curve, SCENE_SCALE, nextafter(0.75, 0), out);
    assert_memory_equal(out, key_values, sizeof out);
    scene_curve_sample(&curve, SCENE_SCALE, nextafter(0.75, 1), out);
    assert_memory_equal(out, key_values + 3, sizeof out);
    scene_curve_sample(&curve, SCENE_SCALE, nextafter(2.75, 0), out);
    assert_memory_equal(out, key_values + 3, sizeof out);
}

static void test_scene_linear_between_keys_matches_the_formula(void **state)
{
    (void)state;
    const struct scene_curve curve = vector_curve(key_linear);
    for (int i = 0; i < 10000; i++) {
        const double time = random_between(0.5, 2.75);
        const int key = time < 0.75 ? 0 : 1;
        const long double u = ((long double)time - key_times[key]) /
                              ((long double)key_times[key + 1] - key_times[key]);
        double out[3];
        scene_curve_sample(&curve, SCENE_TRANSLATION, time, out);
        for (int c = 0; c < 3; c++) {
            const long double truth =
                (1 - u) * key_values[key * 3 + c] + u * key_values[(key + 1) * 3 + c];
            assert_near(out[c], truth, 4e-15);
        }
    }
}

/// The specification's formula, term by term. `td` scales the tangents.
static long double hermite(long double t, long double td, double v0, double b0, double v1,
                           double a1)
{
    return (2 * t * t * t - 3 * t * t + 1) * v0 + td * (t * t * t - 2 * t * t + t) * b0 +
           (-2 * t * t * t + 3 * t * t) * v1 + td * (t * t * t - t * t) * a1;
}

static void test_scene_cubic_between_keys_matches_the_formula(void **state)
{
    (void)state;
    const struct scene_curve curve = vector_curve(key_cubic);
    for (int i = 0; i < 10000; i++) {
        const double time = random_between(0.5, 2.75);
        const int key = time < 0.75 ? 0 : 1;
        const long double td = (long double)key_times[key + 1] - key_times[key];
        const long double t = ((long double)time - key_times[key]) / td;
        double out[3];
        scene_curve_sample(&curve, SCENE_TRANSLATION, time, out);
        for (int c = 0; c < 3; c++) {
            const long double truth =
                hermite(t, td, key_values[key * 3 + c], key_out[key * 3 + c],
                        key_values[(key + 1) * 3 + c], key_in[(key + 1) * 3 + c]);
            assert_near(out[c], truth, 2e-14);
        }
    }
}

static long double bernstein(long double p0, long double p1, long double p2, long double p3,
                             long double s)
{
    const long double r = 1 - s;
    return r * r * r * p0 + 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s * p3;
}

/// Finds the parameter by halving alone.
static long double halve(const double handles[2], long double part)
{
    long double low = 0;
    long double high = 1;
    for (int i = 0; i < 200; i++) {
        const long double middle = (low + high) / 2;
        if (bernstein(0, handles[0], handles[1], 1, middle) < part) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

static void test_scene_bezier_between_keys_matches_the_formula(void **state)
{
    (void)state;
    const struct scene_curve curve = vector_curve(key_bezier);
    for (int key = 0; key + 1 < KEY_COUNT; key++) {
        const double from = key_times[key];
        const double way = key_times[key + 1] - from;
        for (int i = 1; i < 200; i++) {
            const double time_s = from + way * i / 200;
            const long double s =
                halve(key_handles[key], ((long double)time_s - from) / (long double)way);
            double out[3];
            scene_curve_sample(&curve, SCENE_TRANSLATION, time_s, out);
            for (int c = 0; c < 3; c++) {
                const double *const v = key_values + key * 3 + c;
                assert_near(out[c],
                            bernstein(v[0], key_out[key * 3 + c], key_in[key * 3 + 3 + c], v[3], s),
                            2e-14);
            }
        }
    }
}

/// What the parameter found means is the time asked for, to the last bits, whatever the handles;
/// where time nearly stands still the parameter itself cannot be better.
static void test_scene_bezier_parameter_reaches_its_time_for_any_handles(void **state)
{
    (void)state;
    const double edges[] = {0, 1e-300, 1e-9, 0.25, 1.0 / 3, 2.0 / 3, 1 - 1e-9, 1};
    const size_t count = sizeof edges / sizeof *edges;
    for (size_t i = 0; i < count * count + 2000; i++) {
        const bool is_edge = i < count * count;
        const double handles[2] = {is_edge ? edges[i / count] : random_between(0, 1),
                                   is_edge ? edges[i % count] : random_between(0, 1)};
        double before = 0;
        for (int k = 0; k <= 64; k++) {
            const double part = k / 64.0;
            const double s = scene_bezier_parameter(handles, part);
            assert_true(s >= 0 && s <= 1);
            assert_near((double)bernstein(0, handles[0], handles[1], 1, s), part, 4e-16);
            assert_true(s >= before); // never backwards
            before = s;
        }
        for (double part = 1e-3; part > 1e-50; part *= 1e-3) {
            const double s = scene_bezier_parameter(handles, part);
            const long double time = bernstein(0, handles[0], handles[1], 1, s);
            assert_near((double)(time / part), 1, 1e-14); // relative, where time begins
        }
        assert_true(scene_bezier_parameter(handles, 0) == 0);
        assert_true(scene_bezier_parameter(handles, 1) == 1);
    }
}

static void test_scene_bezier_with_vertical_handles_stands_upright_at_its_keys(void **state)
{
    (void)state;
    // Time is s^3 with both handles at the start, so the value is the cube root's.
    double times[2] = {0, 1};
    double values[2] = {0, 1};
    double leaving[2] = {1.0 / 3, 0};
    double arriving[2] = {0, 2.0 / 3};
    double handles[2][2] = {{0, 0}, {0, 0}};
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 1,
        .times = times,
        .values = values,
        .in_tangents = arriving,
        .out_tangents = leaving,
        .handles = handles,
        .interpolations = key_bezier,
    };
    for (double time_s = 1e-15; time_s < 1; time_s *= 1.7) {
        double out;
        scene_curve_sample(&curve, SCENE_PROPERTY, time_s, &out);
        assert_near(out, cbrtl(time_s), 1e-15);
    }
    // Time turns back and forth around the middle where each handle stands above the other key.
    handles[0][0] = 1;
    leaving[0] = 0;
    arriving[1] = 1;
    double out;
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.5, &out);
    assert_near(out, 0.5L, 1e-15);
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.5 - 0x1p-30, &out);
    const long double s = 0.5L - cbrtl(0x1p-32L);
    assert_near(out, 3 * s * s - 2 * s * s * s, 1e-7);
}

static void test_scene_bezier_rotation_is_the_formula_normalised(void **state)
{
    (void)state;
    double times[2] = {1, 3};
    double values[8] = {0, 0, 0, 1, 0, 0.6, 0, 0.8};
    double arriving[8] = {9, 9, 9, 9, 0.1, -0.2, 0.3, 0.4};
    double leaving[8] = {0.5, 0.25, -0.5, 0.125, 9, 9, 9, 9};
    double handles[2][2] = {{0.125, 0.75}, {0, 0}};
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 4,
        .times = times,
        .values = values,
        .in_tangents = arriving,
        .out_tangents = leaving,
        .handles = handles,
        .interpolations = key_bezier,
    };
    double out[4];
    scene_curve_sample(&curve, SCENE_ROTATION, 1.5, out);
    const long double s = halve(handles[0], 0.25L);
    long double truth[4];
    long double square = 0;
    for (int c = 0; c < 4; c++) {
        truth[c] = bernstein(values[c], leaving[c], arriving[4 + c], values[4 + c], s);
        square += truth[c] * truth[c];
    }
    for (int c = 0; c < 4; c++) {
        assert_near(out[c], truth[c] / sqrtl(square), 4e-16);
    }
}

static void test_scene_mixed_interpolations_follow_the_key_that_opens_the_interval(void **state)
{
    (void)state;
    uint8_t mixed[KEY_COUNT] = {SCENE_STEP, SCENE_LINEAR, SCENE_STEP};
    const struct scene_curve curve = vector_curve(mixed);
    double out[3];
    scene_curve_sample(&curve, SCENE_TRANSLATION, 0.7, out);
    assert_memory_equal(out, key_values, sizeof out);
    scene_curve_sample(&curve, SCENE_TRANSLATION, 1.75, out);
    assert_near(out[0], -1.5L, 1e-15);
}

/// Conformance item 9 of the keyed tracks: any number of values, none touched beyond it.
static void test_scene_ava09_properties_have_any_stride_and_leave_the_rest_alone(void **state)
{
    (void)state;
    enum { LARGEST = 64 };
    const uint32_t strides[] = {1, 4, 5, LARGEST};
    uint8_t *const kinds[] = {key_step, key_linear, key_cubic};
    static double values[3][KEY_COUNT * LARGEST]; // in-tangents, values, out-tangents
    for (int i = 0; i < 3 * KEY_COUNT * LARGEST; i++) {
        values[i / (KEY_COUNT * LARGEST)][i % (KEY_COUNT * LARGEST)] = random_between(-2, 2);
    }
    for (int i = 0; i < 12; i++) {
        const uint32_t stride = strides[i / 3];
        const struct scene_curve curve = {
            .key_count = KEY_COUNT,
            .stride = stride,
            .times = key_times,
            .values = values[1],
            .in_tangents = values[0],
            .out_tangents = values[2],
            .interpolations = kinds[i % 3],
        };
        double out[LARGEST + 1];
        out[stride] = 77;
        const double d = key_times[2] - key_times[1];
        scene_curve_sample(&curve, SCENE_PROPERTY, key_times[1] + 0.25 * d, out);
        assert_true(out[stride] == 77);
        for (uint32_t k = 0; k < stride; k++) {
            const uint32_t at = stride + k;
            const long double a = values[1][at];
            const long double b = values[1][at + stride];
            const long double truth = i % 3 == 0 ? a
                                      : i % 3 == 1
                                          ? a + 0.25L * (b - a)
                                          : hermite(0.25L, d, values[1][at], values[2][at],
                                                    values[1][at + stride], values[0][at + stride]);
            assert_near(out[k], truth, 1e-14);
        }
    }
}

static void test_scene_property_of_four_values_is_no_rotation(void **state)
{
    (void)state;
    double times[2] = {0, 1};
    double values[8] = {2, 0, 0, 1, -2, 0, 0, -3}; // neither of unit length nor to be flipped
    uint8_t linear[2] = {SCENE_LINEAR, SCENE_LINEAR};
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 4,
        .times = times,
        .values = values,
        .interpolations = linear,
    };
    const double expected[4] = {0, 0, 0, -1};
    double out[4];
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.5, out);
    assert_memory_equal(out, expected, sizeof out);
}

static void test_scene_easing_goes_along_its_curve(void **state)
{
    (void)state;
    static uint8_t eased[KEY_COUNT] = {SCENE_EASING, SCENE_EASING, SCENE_EASING};
    uint16_t easings[KEY_COUNT] = {1, 30, 999}; // quadratic in, back out
    struct scene_curve curve = vector_curve(key_linear);
    curve.interpolations = eased;
    curve.easings = easings;
    for (int i = 0; i < 10000; i++) {
        const double time = random_between(0.5, 2.75);
        const int key = time < 0.75 ? 0 : 1;
        const long double u = ((long double)time - key_times[key]) /
                              ((long double)key_times[key + 1] - key_times[key]);
        const long double v = u - 1;
        const long double part = key == 0 ? u * u : v * v * (2.70158L * v + 1.70158L) + 1;
        double out[3];
        scene_curve_sample(&curve, SCENE_PROPERTY, time, out);
        for (int c = 0; c < 3; c++) {
            const long double from = key_values[key * 3 + c];
            assert_near(out[c], from + part * (key_values[(key + 1) * 3 + c] - from), 2e-14);
        }
    }
}

static void test_scene_easing_begins_where_the_runtime_says(void **state)
{
    (void)state;
    double times[] = {0, 0.8};
    double values[] = {-35, 84};
    uint8_t interpolations[] = {SCENE_EASING, SCENE_STEP};
    uint16_t easings[] = {21, 0}; // exponential in: jumps at its start
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 1,
        .times = times,
        .values = values,
        .interpolations = interpolations,
        .easings = easings,
    };
    double value;
    scene_curve_sample(&curve, SCENE_PROPERTY, DBL_MIN, &value);
    assert_true(value == -35);
    scene_curve_sample(&curve, SCENE_PROPERTY, 1e-36, &value);
    assert_true(value < -35.002);
}

static void test_scene_sampled_goes_straight_from_sample_to_sample(void **state)
{
    (void)state;
    static uint8_t sampled[KEY_COUNT] = {SCENE_SAMPLED, SCENE_SAMPLED, SCENE_SAMPLED};
    double rise[5] = {0, 1, 2, 1, 0};
    double jump[2] = {0.25, -0.5};
    struct scene_samples samples[KEY_COUNT] = {{5, rise}, {2, jump}};
    struct scene_curve curve = vector_curve(key_linear);
    curve.interpolations = sampled;
    curve.samples = samples;
    double out[3];
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.625, out);
    assert_near(out[0], 7, 0); // twice the way from 1 to 4
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.65625, out);
    assert_near(out[0], 5.5L, 0);
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.75, out); // at a key its value
    assert_memory_equal(out, key_values + 3, sizeof out);
    scene_curve_sample(&curve, SCENE_PROPERTY, nextafter(0.75, 9), out);
    assert_near(out[0], 4 - 0.25L * 11, 1e-14);
    scene_curve_sample(&curve, SCENE_PROPERTY, nextafter(2.75, 0), out);
    assert_near(out[0], 4 + 0.5L * 11, 1e-14);
}

static void test_scene_key_before_the_clip_is_one_as_any_other(void **state)
{
    (void)state;
    double times[2] = {-1, 0.5};
    struct scene_curve curve = vector_curve(key_step);
    curve.key_count = 2;
    curve.times = times;
    double out[3];
    scene_curve_sample(&curve, SCENE_PROPERTY, -3, out);
    assert_memory_equal(out, key_values, sizeof out);
    scene_curve_sample(&curve, SCENE_PROPERTY, nextafter(0.5, 0), out);
    assert_memory_equal(out, key_values, sizeof out);
    scene_curve_sample(&curve, SCENE_PROPERTY, 0.5, out);
    assert_memory_equal(out, key_values + 3, sizeof out);
}

static void test_scene_single_key_is_constant(void **state)
{
    (void)state;
    uint8_t *const kinds[] = {key_step, key_linear, key_cubic};
    const double times[] = {-1, 0, 0.5, 0.6, 9, NAN};
    for (size_t kind = 0; kind < 3; kind++) {
        struct scene_curve curve = vector_curve(kinds[kind]);
        curve.key_count = 1;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            double out[3];
            scene_curve_sample(&curve, SCENE_SCALE, times[i], out);
            assert_memory_equal(out, key_values, sizeof out);
        }
    }
}

static void test_scene_many_keys_are_found_in_any_order(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static double times[COUNT];
    static double values[COUNT * 3];
    static uint8_t interpolations[COUNT];
    double time = 0;
    for (int i = 0; i < COUNT; i++) {
        time += random_between(0.001, 2);
        times[i] = time;
        values[i * 3] = i;
        interpolations[i] = SCENE_STEP;
    }
    const struct scene_curve curve = {
        .key_count = COUNT,
        .stride = 3,
        .times = times,
        .values = values,
        .interpolations = interpolations,
    };
    for (int i = 0; i < COUNT; i++) {
        const int key = (i * 377) % COUNT;
        double out[3];
        scene_curve_sample(&curve, SCENE_TRANSLATION, times[key], out);
        assert_true(out[0] == key);
        scene_curve_sample(&curve, SCENE_TRANSLATION, nextafter(times[key], 1e9), out);
        assert_true(out[0] == key);
        scene_curve_sample(&curve, SCENE_TRANSLATION, nextafter(times[key], 0), out);
        assert_true(out[0] == (key > 0 ? key - 1 : 0));
    }
}

/// slerp by its textbook formula, which is exact enough in long double away from 0 and pi.
static void slerp_truth(const double a[4], const double b[4], long double u, long double out[4])
{
    long double dot = dot4(a, b);
    const long double sign = dot < 0 ? -1 : 1;
    dot *= sign;
    const long double angle = acosl(dot > 1 ? 1 : dot);
    long double square = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = (sinl((1 - u) * angle) * a[i] + sign * sinl(u * angle) * b[i]) / sinl(angle);
        square += out[i] * out[i];
    }
    for (int i = 0; i < 4; i++) {
        out[i] /= sqrtl(square);
    }
}

static void test_scene_slerp_random_rotations_match_the_formula(void **state)
{
    (void)state;
#if LDBL_MANT_DIG < 64
    skip();
#endif
    for (int i = 0; i < 20000; i++) {
        double a[4];
        double b[4];
        random_rotation(a);
        random_rotation(b);
        if (fabsl(dot4(a, b)) > 0.99999L) {
            continue;
        }
        const double u = random_between(0, 1);
        double out[4];
        long double truth[4];
        scene_slerp(a, b, u, out);
        slerp_truth(a, b, u, truth);
        for (int c = 0; c < 4; c++) {
            assert_near(out[c], truth[c], 1e-15);
        }
        assert_unit(out);
    }
}

static void test_scene_slerp_small_angles_stay_on_the_circle(void **state)
{
    (void)state;
    // The truth is known: rotations about one axis by known angles.
    const double angles[] = {1e-1, 1e-3, 1e-5, 1e-7, 3e-8, 1e-9, 1e-12, 0};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        const long double half = 0.5L * angles[i];
        const double a[4] = {0, 0, 0, 1};
        const double b[4] = {(double)sinl(half), 0, 0, (double)cosl(half)};
        for (int step = 0; step <= 16; step++) {
            double out[4];
            scene_slerp(a, b, step / 16.0, out);
            assert_near(out[0], sinl(half * step / 16), 1e-16 + angles[i] * 4e-16);
            assert_unit(out);
        }
    }
}

static void test_scene_slerp_opposite_signs_take_the_short_arc(void **state)
{
    (void)state;
    // B01: neighbours 21 degrees apart whose quaternions have opposite signs.
    const long double half = 10.5L * 3.14159265358979323846L / 180;
    const double a[4] = {0, 0, 0, 1};
    const double b[4] = {0, -(double)sinl(half), 0, -(double)cosl(half)};
    double out[4];
    scene_slerp(a, b, 0.5, out);
    assert_near(out[1], sinl(half / 2), 2e-16);
    assert_near(out[3], cosl(half / 2), 2e-16);
}

static void test_scene_slerp_half_turn_is_unit_and_halfway(void **state)
{
    (void)state;
    const double a[4] = {0, 0, 0, 1};
    const double b[4] = {1, 0, 0, 0};
    double out[4];
    scene_slerp(a, b, 0.5, out);
    assert_near(out[0], sqrtl(0.5L), 2e-16);
    assert_near(out[3], sqrtl(0.5L), 2e-16);
}

static void test_scene_slerp_output_may_be_an_input(void **state)
{
    (void)state;
    double a[4];
    double b[4];
    random_rotation(a);
    random_rotation(b);
    double apart[4];
    scene_slerp(a, b, 0.3, apart);
    scene_slerp(a, b, 0.3, a);
    assert_memory_equal(apart, a, sizeof a);
}

static void test_scene_rotation_curves_have_unit_length_at_every_time(void **state)
{
    (void)state;
    double values[KEY_COUNT * 4];
    double in_tangents[KEY_COUNT * 4];
    double out_tangents[KEY_COUNT * 4];
    for (int i = 0; i < KEY_COUNT; i++) {
        random_rotation(values + i * 4);
    }
    for (int i = 0; i < KEY_COUNT * 4; i++) {
        in_tangents[i] = random_between(-3, 3);
        out_tangents[i] = random_between(-3, 3);
    }
    uint8_t *const kinds[] = {key_step, key_linear, key_cubic, key_bezier};
    for (size_t kind = 0; kind < 4; kind++) {
        const struct scene_curve curve = {
            .key_count = KEY_COUNT,
            .stride = 4,
            .times = key_times,
            .values = values,
            .in_tangents = in_tangents,
            .out_tangents = out_tangents,
            .handles = key_handles,
            .interpolations = kinds[kind],
        };
        for (int i = 0; i < 2000; i++) {
            double out[4];
            scene_curve_sample(&curve, SCENE_ROTATION, random_between(0, 3), out);
            assert_unit(out);
        }
    }
}

static void test_scene_cubic_rotation_is_the_formula_normalised(void **state)
{
    (void)state;
    double times[2] = {1, 3};
    double values[8] = {0, 0, 0, 1, 0, 0.6, 0, 0.8};
    double in_tangents[8] = {9, 9, 9, 9, 0.1, -0.2, 0.3, -0.4};
    double out_tangents[8] = {0.5, 0.25, -0.5, 0.125, 9, 9, 9, 9};
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 4,
        .times = times,
        .values = values,
        .in_tangents = in_tangents,
        .out_tangents = out_tangents,
        .interpolations = key_cubic,
    };
    double out[4];
    scene_curve_sample(&curve, SCENE_ROTATION, 1.5, out);
    long double truth[4];
    long double square = 0;
    for (int c = 0; c < 4; c++) {
        truth[c] = hermite(0.25L, 2, values[c], out_tangents[c], values[4 + c], in_tangents[4 + c]);
        square += truth[c] * truth[c];
    }
    for (int c = 0; c < 4; c++) {
        assert_near(out[c], truth[c] / sqrtl(square), 4e-16);
    }
}

static void test_scene_cubic_rotation_through_zero_falls_back_to_its_key(void **state)
{
    (void)state;
    double times[2] = {0, 1};
    double values[8] = {0, 0, 0, 1, 0, 0, 0, -1};
    double tangents[8] = {0};
    const struct scene_curve curve = {
        .key_count = 2,
        .stride = 4,
        .times = times,
        .values = values,
        .in_tangents = tangents,
        .out_tangents = tangents,
        .interpolations = key_cubic,
    };
    double out[4];
    scene_curve_sample(&curve, SCENE_ROTATION, 0.5, out);
    assert_memory_equal(out, values, sizeof out);
}

static void test_scene_matrix_of_a_transform_moves_points_as_the_parts_do(void **state)
{
    (void)state;
    // 90 degrees about z: x -> y, y -> -x; scale first, translation last.
    const double half = sqrt(0.5);
    const struct scene_transform transform = {{0, 0, half, half}, {10, 20, 30}, {2, 3, -4}};
    double matrix[12];
    scene_transform_matrix(&transform, matrix);
    const double expected[12] = {0, -3, 0, 10, 2, 0, 0, 20, 0, 0, -4, 30};
    for (int i = 0; i < 12; i++) {
        assert_near(matrix[i], expected[i], 1e-14);
    }
}

static void test_scene_matrix_multiply_applies_the_right_one_first(void **state)
{
    (void)state;
    double a[12];
    double b[12];
    double product[12];
    for (int i = 0; i < 12; i++) {
        a[i] = random_between(-2, 2);
        b[i] = random_between(-2, 2);
    }
    scene_matrix_multiply(a, b, product);
    const double point[3] = {0.5, -1.5, 2};
    for (int row = 0; row < 3; row++) {
        long double through[3];
        for (int i = 0; i < 3; i++) {
            through[i] = b[i * 4 + 3];
            for (int c = 0; c < 3; c++) {
                through[i] += (long double)b[i * 4 + c] * point[c];
            }
        }
        const long double expected = a[row * 4] * through[0] + a[row * 4 + 1] * through[1] +
                                     a[row * 4 + 2] * through[2] + a[row * 4 + 3];
        const double *const m = product + row * 4;
        assert_near(m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3], expected, 1e-14);
    }
}

static void test_scene_node_rest_copies_the_parts(void **state)
{
    (void)state;
    const struct scene_node node = {"n", NULL, -1, {1, 2, 3, 4}, {5, 6, 7}, {8, 9, 10}};
    const struct scene_transform rest = scene_node_rest(&node);
    assert_memory_equal(rest.rotation, node.rotation, sizeof node.rotation);
    assert_memory_equal(rest.translation, node.translation, sizeof node.translation);
    assert_memory_equal(rest.scale, node.scale, sizeof node.scale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_any_interpolation_at_keys_and_outside_gives_key_values),
        cmocka_unit_test(test_scene_nan_time_counts_as_zero_seconds),
        cmocka_unit_test(test_scene_step_between_keys_holds_the_earlier_one),
        cmocka_unit_test(test_scene_linear_between_keys_matches_the_formula),
        cmocka_unit_test(test_scene_cubic_between_keys_matches_the_formula),
        cmocka_unit_test(test_scene_bezier_between_keys_matches_the_formula),
        cmocka_unit_test(test_scene_bezier_parameter_reaches_its_time_for_any_handles),
        cmocka_unit_test(test_scene_bezier_with_vertical_handles_stands_upright_at_its_keys),
        cmocka_unit_test(test_scene_bezier_rotation_is_the_formula_normalised),
        cmocka_unit_test(test_scene_mixed_interpolations_follow_the_key_that_opens_the_interval),
        cmocka_unit_test(test_scene_ava09_properties_have_any_stride_and_leave_the_rest_alone),
        cmocka_unit_test(test_scene_property_of_four_values_is_no_rotation),
        cmocka_unit_test(test_scene_easing_goes_along_its_curve),
        cmocka_unit_test(test_scene_easing_begins_where_the_runtime_says),
        cmocka_unit_test(test_scene_sampled_goes_straight_from_sample_to_sample),
        cmocka_unit_test(test_scene_key_before_the_clip_is_one_as_any_other),
        cmocka_unit_test(test_scene_single_key_is_constant),
        cmocka_unit_test(test_scene_many_keys_are_found_in_any_order),
        cmocka_unit_test(test_scene_slerp_random_rotations_match_the_formula),
        cmocka_unit_test(test_scene_slerp_small_angles_stay_on_the_circle),
        cmocka_unit_test(test_scene_slerp_opposite_signs_take_the_short_arc),
        cmocka_unit_test(test_scene_slerp_half_turn_is_unit_and_halfway),
        cmocka_unit_test(test_scene_slerp_output_may_be_an_input),
        cmocka_unit_test(test_scene_rotation_curves_have_unit_length_at_every_time),
        cmocka_unit_test(test_scene_cubic_rotation_is_the_formula_normalised),
        cmocka_unit_test(test_scene_cubic_rotation_through_zero_falls_back_to_its_key),
        cmocka_unit_test(test_scene_matrix_of_a_transform_moves_points_as_the_parts_do),
        cmocka_unit_test(test_scene_matrix_multiply_applies_the_right_one_first),
        cmocka_unit_test(test_scene_node_rest_copies_the_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
