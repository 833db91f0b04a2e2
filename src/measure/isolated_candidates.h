// SPDX-License-Identifier: Apache-2.0
// Candidates made, checked and compared in a child process, so that what one of them breaks costs
// nothing but itself.
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

/// Makes candidate `i`, runs it once and checks what it computes. Throws Error with the reason when
/// it cannot be measured. The workload must outlive nothing: it keeps what it needs.
using MakeEntrant = std::function<Workload(int i)>;

/// What the child is given; everything in it is called there.
struct Entrants {
  /// Numbers of the candidates, the most promising first.
  std::vector<int> numbers = {};
  /// Called once in each child, before any candidate is made: operands, reference.
  std::function<MakeEntrant()> open;
  std::function<Instruments()> instruments;
};

struct EntrantsOptions {
  /// Of the measurement; the budget covers making and checking as well, for at most half of it.
  RunnerOptions runner = {};
  ContestRules rules = {};
  IsolateOptions isolate = {};
};

/// How one candidate fared. Neither a measurement nor a failure: the budget was over before.
struct EntrantResult {
  std::optional<Measurement> measurement = {};
  std::string failure = {};  ///< why it cannot be measured
};

struct EntrantsResult {
  std::vector<EntrantResult> entrants;  ///< in the order of `numbers`
  Verdict verdict = Verdict::unmeasured;
  double seconds = 0, waiting_seconds = 0;
  int children = 0;  ///< started: one, and one more for each candidate that broke its child
};

/// How the failure of a candidate begins that computed something else than the reference.
constexpr std::string_view kWrongResult = "wrong result: ";

/// Throws Error with the first failure that is a wrong result: such a kernel is a defect of ours,
/// and a faster candidate beside it does not mend that.
void refuse_wrong_results(const std::vector<EntrantResult>& entrants);

/// Measures all in one child, interleaved. When the child dies or hangs, the candidate that it was
/// at failed, and another child goes on with the others. Throws Error when `open` fails, and
/// std::bad_alloc when it runs out of memory.
EntrantsResult measure_isolated(const Entrants& entrants, const EntrantsOptions& options);

}  // namespace tileplan
