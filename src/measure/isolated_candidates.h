// SPDX-License-Identifier: Apache-2.0
// Measures candidates in a child process, so that one that crashes or hangs harms no other.
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

/// Makes candidate `i`, runs it once and checks the result. Throws Error if measuring is
/// impossible.
using MakeWorkload = std::function<Workload(int i)>;

/// Describes the work of a child process. Only the child calls these functions.
struct IsolatedCandidates {
  std::vector<int> numbers = {};  ///< The most promising candidate is first.
  /// Makes operands and exact results. Each child calls this once, before making candidates.
  std::function<MakeWorkload()> open;
  std::function<Instruments()> instruments;
};

struct IsolatedRaceOptions {
  /// The budget also covers making and checking candidates, which take at most half.
  RunnerOptions runner = {};
  IsolateOptions isolate = {};
};

/// Holds the result of one candidate. Both fields are empty when the budget was used up before.
struct CandidateResult {
  std::optional<Measurement> measurement = {};
  std::string failure = {};  ///< This text tells why the candidate cannot be measured.
};

struct IsolatedRaceResult {
  std::vector<CandidateResult> candidates;  ///< The order is that of IsolatedCandidates::numbers.
  Verdict verdict = Verdict::unmeasured;
  double seconds = 0, waiting_seconds = 0;
  int children = 0;  ///< There is one, and one more after each candidate that ended its child.
};

/// A failure begins with this text when the candidate's result differs from the reference.
constexpr std::string_view kWrongResult = "wrong result: ";

/// Throws Error if a result is wrong, because that is a defect of the library.
void refuse_wrong_results(const std::vector<CandidateResult>& candidates);

/// Measures all candidates in one child. When the child dies, its current candidate has failed, and
/// a new child measures the rest. Throws Error when `open` fails, std::bad_alloc when it runs out
/// of memory.
IsolatedRaceResult race_isolated_candidates(const IsolatedCandidates& candidates,
                                            const IsolatedRaceOptions& options);

}  // namespace tileplan
