// SPDX-License-Identifier: Apache-2.0
// This file measures candidates in a child process, so that their crashes do not end the program.
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

/// Makes candidate `i`, runs it once and checks the result. Throws Error if this fails.
using MakeWorkload = std::function<Workload(int i)>;

/// Describes the work of a child process. Only the child calls `open`, the function that `open`
/// returns, and `instruments`.
struct IsolatedCandidates {
  /// Lists the numbers of the candidates, the most promising one first.
  std::vector<int> numbers = {};
  /// Makes operands and exact results. Each child calls this function once, before it makes
  /// candidates.
  std::function<MakeWorkload()> open;
  std::function<Instruments()> instruments;
};

struct IsolatedRaceOptions {
  /// The budget covers all child processes. After half of the budget that was left when a child
  /// started, the child makes and checks no further candidates, unless none is ready yet.
  /// RunnerOptions::stop is ignored; IsolateOptions::stop ends the race instead.
  RunnerOptions runner = {};
  IsolateOptions isolate = {};
};

/// Holds the result of one candidate. Both fields are empty when the time was over, or a stop was
/// requested, before the candidate was measured.
struct CandidateResult {
  std::optional<Measurement> measurement = {};
  std::string failure = {};  ///< This text tells why the candidate cannot be measured.
};

struct IsolatedRaceResult {
  /// The results have the order of IsolatedCandidates::numbers.
  std::vector<CandidateResult> candidates;
  Verdict verdict = Verdict::unmeasured;
  double seconds = 0, waiting_seconds = 0;
  /// Counts the child processes. Each candidate that ends its child requires another child.
  int children = 0;
};

/// CandidateResult::failure begins with this text when a result differs from the reference.
constexpr std::string_view kWrongResult = "wrong result: ";

/// Throws Error if a candidate computed a wrong result, which is a defect of this library.
void refuse_wrong_results(const std::vector<CandidateResult>& candidates);

/// Measures all candidates in one child process. If the child dies, its current candidate has
/// failed, and a new child measures the others. If the child dies while it runs no candidate, for
/// example in candidates.open(), throws Error, or std::bad_alloc when memory was exhausted. Also
/// throws Error as run_isolated() does.
IsolatedRaceResult race_isolated_candidates(const IsolatedCandidates& candidates,
                                            const IsolatedRaceOptions& options);

}  // namespace tileplan
