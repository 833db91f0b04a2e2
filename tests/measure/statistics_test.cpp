// SPDX-License-Identifier: Apache-2.0
// This test checks rank-sum tests, t-tests, medians, confidence intervals and paired ratios on
// simple numbers, and some of them on synthetic noise.
#include "statistics.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "close_to.h"

using namespace tileplan;

TEST_CASE("rank sum: the share of all orders that are as extreme, ties against it") {
  const std::vector<double> low{1, 2, 3}, high{4, 5, 6}, mixed{2.5, 5, 6}, ones{1, 1, 1};
  CHECK(rank_sum_p_value(low, high) == close_to(1.0 / 20));
  CHECK(rank_sum_p_value(high, low) == close_to(1));
  // In 8 of the 9 pairs, the value from `low` is smaller. Only one of the 19
  // other orders has 8 such pairs or more.
  CHECK(rank_sum_p_value(low, mixed) == close_to(2.0 / 20));
  CHECK(rank_sum_p_value(ones, ones) == close_to(1));
  const std::vector<double> five{1, 2, 3, 4, 5}, above{6, 7, 8, 9, 10};
  CHECK(rank_sum_p_value(five, above) == close_to(1.0 / 252));
}

TEST_CASE("t-test: the two examples, and no variance at all") {
  const std::vector<double> slow{1.00, 1.01, 0.99}, fast{0.90, 0.91, 0.89};
  CHECK(t_test_p_value(slow, fast) == close_to(0.000255).epsilon(0.002));
  CHECK(t_test_p_value(fast, slow) == t_test_p_value(slow, fast));
  const std::vector<double> noisy{1.00, 1.02, 0.98}, near{0.96, 0.98, 0.94};
  CHECK(t_test_p_value(noisy, near) == close_to(0.0705).epsilon(0.001));
  const std::vector<double> ones{1, 1, 1}, twos{2, 2, 2}, single{2};
  CHECK(t_test_p_value(ones, twos) == 0);
  CHECK(t_test_p_value(ones, ones) == 1);
  CHECK(t_test_p_value(single, single) == 1);
}

TEST_CASE("median: the middle one, or the mean of the two middle ones") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("median_interval: 9 samples give the 2nd to the 8th, covering 1 - 20/512") {
  const MedianInterval interval = median_interval({9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(interval.median == 5);
  CHECK(interval.low == 2);
  CHECK(interval.high == 8);
  CHECK(interval.confidence == close_to(1 - 20.0 / 512));
}

TEST_CASE("median_interval: 6 samples are the fewest for 95 %, fewer say what they cover") {
  const MedianInterval six = median_interval({1, 2, 3, 4, 5, 6});
  CHECK(six.low == 1);
  CHECK(six.high == 6);
  CHECK(six.confidence == close_to(1 - 2.0 / 64));
  const MedianInterval five = median_interval({1, 2, 3, 4, 5});
  CHECK(five.low == 1);
  CHECK(five.high == 5);
  CHECK(five.confidence == close_to(1 - 2.0 / 32));
  const MedianInterval one = median_interval({4});
  CHECK(one.low == 4);
  CHECK(one.high == 4);
  CHECK(one.confidence == 0);
}

TEST_CASE("median_interval: a lower confidence is narrower") {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK(median_interval(samples, 0.99).low == 1);
  CHECK(median_interval(samples, 0.95).low == 2);
  CHECK(median_interval(samples, 0.50).low == 4);
}

TEST_CASE("median_interval: covers the true median in at least 95 % of skewed samples") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::exponential_distribution<double> noise(1.0);
  // The median of the exponential distribution is ln 2.
  const double true_median = 0.69314718;
  const int experiments = 4000;
  int covered = 0;
  for (int i = 0; i < experiments; ++i) {
    std::vector<double> samples(15);
    for (double& sample : samples) sample = noise(random);
    const MedianInterval interval = median_interval(samples);
    covered += interval.low <= true_median && true_median <= interval.high ? 1 : 0;
  }
  // The expected share is 0.9648, which is about five standard deviations from each of the limits.
  CHECK(covered > 0.95 * experiments);
  CHECK(covered < 0.98 * experiments);
}

TEST_CASE("median: additive spikes and lucky shots in a third of the samples do not move it") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> jitter(0.995, 1.005), spike(1.0, 50.0);
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(jitter(random));
  for (int i = 0; i < 15; ++i) samples.push_back(jitter(random) + spike(random));
  for (int i = 0; i < 15; ++i) samples.push_back(0.2 * jitter(random));
  CHECK(median(samples) == close_to(1.0).epsilon(0.005));
}

TEST_CASE("median_ratio: second over first, per pair") {
  const std::vector<SamplePair> pairs = {{1, 2}, {2, 6}, {4, 16}};
  CHECK(median_ratio(pairs).median == 3);
}

TEST_CASE("median_ratio: a machine that is 1.7x slower half of the time keeps the ratio") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> jitter(0.99, 1.01);
  std::vector<SamplePair> pairs;
  for (int i = 0; i < 200; ++i) {
    // The machine changes between fast and slow after every 25 pairs.
    const bool slow = i / 25 % 2 == 1;
    // If true, the machine changes its speed between the samples of this pair.
    const bool turns = i % 25 == 24;
    const double first = slow ? 1.7 : 1.0;
    const double second = slow != turns ? 1.7 : 1.0;
    pairs.push_back({first * jitter(random), 1.25 * second * jitter(random)});
  }
  const MedianInterval ratio = median_ratio(pairs);
  CHECK(ratio.median == close_to(1.25).epsilon(0.01));
  CHECK(ratio.low > 1.23);
  CHECK(ratio.high < 1.27);
}
