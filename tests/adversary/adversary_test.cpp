// SPDX-License-Identifier: Apache-2.0
// This test attacks plans of random problems on shipped machines. The usage is adversary_test
// [--first SEED] [--pairs COUNT] [--draws COUNT] [--changes COUNT]. The test fails when a schedule
// is predicted below the bound of a certificate, when too many plans are beaten, when a plan is
// beaten by too much, or when every problem is refused.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "attack.h"
#include "tileplan/error.h"

using namespace tileplan::test;

namespace {

// A plan counts as beaten when the opponent's schedule saves more than this share of its time.
constexpr double kBeaten = 0.02;
constexpr double kMostBeaten = 0.05;  // The test accepts at most this share of beaten plans.
constexpr double kMostGain = 0.1;     // The test accepts at most this saved share of a plan's time.

struct Settings {
  std::uint32_t first = 1;
  int pairs = 40;
  Effort effort;
};

struct Tally {
  int pairs = 0, below_bound = 0, beaten = 0, refused = 0;
  std::size_t predicted = 0;
  double most_gain = 0;
};

std::optional<Settings> settings_of(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return std::nullopt;
    const std::string flag = arguments[i];
    const int value = std::atoi(arguments[i + 1]);
    if (flag == "--first")
      settings.first = static_cast<std::uint32_t>(value);
    else if (flag == "--pairs")
      settings.pairs = value;
    else if (flag == "--draws")
      settings.effort.draws = value;
    else if (flag == "--changes")
      settings.effort.changes = value;
    else
      return std::nullopt;
  }
  return settings;
}

/// Adds the result for `target` to `tally`, and prints it if the plan is beaten or the bound is
/// contradicted. `seed` draws the target again.
void add(const Target& target, std::uint32_t seed, const Attack& result, Tally& tally) {
  ++tally.pairs;
  tally.predicted += result.predicted;
  tally.most_gain = std::max(tally.most_gain, result.gain());
  const bool is_below = result.is_below_bound(), is_beaten = result.gain() > kBeaten;
  tally.below_bound += is_below ? 1 : 0;
  tally.beaten += is_beaten ? 1 : 0;
  if (is_below || is_beaten)
    std::printf(
        "%s %4.1f %% faster (--first %u --pairs 1%s): tileplan explain %s '%s'\n    than '%s'\n",
        is_below ? "below the bound," : "", 100 * result.gain(), seed,
        target.short_calls ? ", with short calls" : "", to_string(target).c_str(),
        result.schedule.c_str(), result.planned.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  const std::optional<Settings> settings = settings_of(count, arguments);
  if (!settings) {
    std::fputs(
        "usage: adversary_test [--first SEED] [--pairs COUNT] [--draws COUNT] [--changes COUNT]\n",
        stderr);
    return 2;
  }
  Tally tally;
  for (int i = 0; i < settings->pairs; ++i) {
    const std::uint32_t seed = settings->first + static_cast<std::uint32_t>(i);
    Random random(seed);
    const Target target = random_target(random);
    try {
      add(target, seed, attack(random, target, settings->effort), tally);
    } catch (const tileplan::Error& error) {
      ++tally.refused;
      std::printf("%s: %s\n", to_string(target).c_str(), error.what());
    }
  }
  std::printf("%d pairs, %zu schedules predicted, %d problems refused\n", tally.pairs,
              tally.predicted, tally.refused);
  std::printf("%d certificates contradicted, %d plans beaten by more than 2 %%, at most %.1f %%\n",
              tally.below_bound, tally.beaten, 100 * tally.most_gain);
  const bool passed = tally.pairs > 0 && tally.below_bound == 0 && tally.most_gain <= kMostGain &&
                      tally.beaten <= kMostBeaten * tally.pairs;
  return passed ? 0 : 1;
}
