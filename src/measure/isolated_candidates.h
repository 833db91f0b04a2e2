// SPDX-License-Identifier: Apache-2.0
// Races candidates in a child process, so that a candidate that crashes or hangs costs only itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isolate.h"
#include "runner.h"
#include "sequential_race.h"

namespace tileplan {

/// Makes candidate `i`, runs and checks it once. Throws Error when it cannot be measured.
using MakeWorkload = std::function<Workload(int i)>;

/// Describes the input of the child process, which alone calls the functions.
struct IsolatedCandidates {
  std::vector<int> numbers = {};  ///< The most promising candidate is first.
  /// Makes operands and reference, once in each child before any candidate is made.
  std::function<MakeWorkload()> open;
  std::function<Instruments()> instruments;
};

struct IsolatedRaceOptions {
  /// The budget also covers making and checking candidates, for at most half of it.
  RunnerOptions runner = {};
  IsolateOptions isolate = {};
};

/// Holds the result of one candidate. It is empty when the budget was over before.
struct CandidateResult {
  std::optional<Measurement> measurement = {};
  std::string failure = {};  ///< It says why the candidate cannot be measured.
};

struct IsolatedRaceResult {
  std::vector<CandidateResult> candidates;  ///< They are in the order of `numbers`.
  Verdict verdict = Verdict::unmeasured;
  double seconds = 0, waiting_seconds = 0;
  int children = 0;  ///< One was started first, and one for each candidate that broke its child.
};

/// Begins the failure of a candidate whose result differs from the reference.
constexpr std::string_view kWrongResult = "wrong result: ";

/// Throws Error with the first wrong result, since it is a defect of the library.
void refuse_wrong_results(const std::vector<CandidateResult>& candidates);

/// Measures all candidates in one child, or in another when it dies, whose current candidate has
/// then failed. Throws Error when `open` fails, std::bad_alloc when it runs out of memory.
IsolatedRaceResult race_isolated_candidates(const IsolatedCandidates& candidates,
                                            const IsolatedRaceOptions& options);

}  // namespace tileplan
