// SPDX-License-Identifier: Apache-2.0
// This file prints plans as tables and as JSON.
#include <algorithm>

#include "below_bound.h"
#include "kernel_memory.h"
#include "peak.h"
#include "plan_json.h"
#include "rank.h"
#include "regime.h"
#include "terminal_text.h"
#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

/// Relative differences below this limit are rounding.
constexpr double kRoundingShare = 1e-6;

/// Counts the candidates whose times were found in the records of earlier measurements.
std::size_t count_recalled(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.candidates.begin(), plan.candidates.end(),
      [](const Candidate& one) { return one.measurement && !one.measurement->taken.empty(); }));
}

std::size_t count_measured(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.candidates, [](const Candidate& one) { return one.measurement.has_value(); }));
}

/// Verdicts are about the measured candidates only, which may be a small part of the list. Samples
/// from the records may be of different days, so they order the candidates, but no rank-sum test
/// compares them. At most, their confidence intervals are compared with those of new samples.
std::string verdict_text(const Plan& plan) {
  const std::size_t count = count_measured(plan);
  const bool compares = plan.verdict == Verdict::decided || plan.verdict == Verdict::tied;
  if (compares && count <= 1) return "no other was measured";
  const std::string others = count == 2 ? "one" : std::to_string(count - 1);
  switch (plan.verdict) {
    case Verdict::decided:
      return "the first is faster than the other " + others + " measured (95 % confidence)";
    case Verdict::tied:
      return "the first is at most 1 % slower than the other " + others +
             " measured (95 % confidence)";
    case Verdict::undecided:
      return "none was shown to be the fastest: the budget or the samples were used up, or "
             "intervals of different runs overlap";
    case Verdict::unmeasured:
      break;
  }
  if (count_recalled(plan) == 0) return "nothing measured";
  return count_recalled(plan) == count_measured(plan)
             ? "the records know all times, and nothing was measured again"
             : "times of different days are in one list, which no test compares";
}

/// Returns a sentence about the candidates at the start of the list whose predictions are equal
/// within the accuracy of the model. Returns empty text if there are fewer than two of them, or if
/// the first candidate was measured.
std::string ties_text(const Plan& plan) {
  if (plan.candidates.front().measurement) return "";
  const double limit = (1 + kTie) * plan.certificate.optimum;
  std::size_t last = 1;
  while (last < plan.candidates.size() && plan.candidates[last].prediction.seconds <= limit) ++last;
  if (last == 1) return "";
  const std::string count = std::to_string(last);
  return "ranks 1 to " + count + " are ties, because their predictions are within 3 %; --verify " +
         count + ", on the machine itself, would measure which is fastest\n";
}

std::string per_level_text(const PerLevelProof& per_level) {
  return "per-level model: the optimum is " + format_seconds(per_level.optimum) + ", and " +
         format_seconds(per_level.bound) +
         " with real tile sizes (programs solved: " + std::to_string(per_level.solved) +
         ", pruned: " + std::to_string(per_level.pruned) +
         ", not solved: " + std::to_string(per_level.unsolved) + ")\n";
}

std::string certificate_text(const Plan& plan) {
  const Certificate& certificate = plan.certificate;
  if (certificate.bound == 0)
    return "no certificate: the best prediction is " + format_seconds(certificate.optimum) +
           ", and nothing was proven about schedules that were not tried\n";
  std::string text =
      "certificate: the best prediction is " + format_seconds(certificate.optimum) +
      ", and no schedule of the space is predicted below " + format_seconds(certificate.bound) +
      " (gap " + fixed(100 * certificate.gap, 1) + " %" +
      (certificate.gap > kTie ? ": a better schedule or a higher bound may exist" : "") + ")\n";
  if (const std::string below = below_bound_text(plan); !below.empty()) text += below + '\n';
  // Winograd convolutions have no per-level model.
  if (certificate.algorithms.empty() || certificate.per_level.optimum > 0)
    text +=
        (certificate.algorithms.empty() ? "" : "direct, ") + per_level_text(certificate.per_level);
  for (const Divisibility& level : certificate.divisibility) {
    text += level.level + " moves " + fixed(level.divisors, 0) +
            " elements with tiles that divide, " + fixed(level.any, 0) + " with any tiles";
    if (level.any_bound < (1 - kRoundingShare) * level.any)
      text += " (the search was cut short; at least " + fixed(level.any_bound, 0) + ")";
    text += '\n';
  }
  return text;
}

/// Returns a sentence that explains why no listed candidate has the best prediction, or empty text
/// if one has.
std::string unlisted_best_text(const Plan& plan) {
  const double limit = (1 + kRoundingShare) * plan.certificate.optimum;
  const bool is_listed = std::ranges::any_of(
      plan.candidates, [&](const Candidate& each) { return each.prediction.seconds <= limit; });
  return is_listed ? ""
                   : "the schedule with the best prediction is not listed, because ties are listed "
                     "by the data that they load, and of similar schedules only some\n";
}

/// Returns the measured time, or else the predicted one.
double seconds_of(const Candidate& candidate) {
  return candidate.measurement ? candidate.measurement->median_seconds
                               : candidate.prediction.seconds;
}

std::vector<std::vector<std::string>> rows_of(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "predicted", "measured", "peak", "bottleneck", "schedule"}};
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const auto& [schedule, prediction, measurement] = plan.candidates[i];
    const double share =
        seconds_at_peak(plan, plan.candidates[i].measurement) / seconds_of(plan.candidates[i]);
    rows.push_back({std::to_string(i + 1), format_seconds(prediction.seconds),
                    measurement ? format_seconds(measurement->median_seconds) : "-",
                    fixed(100 * share, 1) + "%", prediction.bottleneck, to_string(schedule)});
  }
  return rows;
}

/// Prints each schedule below its row of numbers, the first row of numbers in bold type, and
/// bottlenecks in colours.
std::string terminal_table(const std::vector<std::vector<std::string>>& rows, TextStyle style) {
  return narrow_table(rows, style, [&](std::size_t row, const std::string& line) {
    const std::string& bottleneck = *(rows[row].end() - 2);
    const std::size_t at = line.rfind(bottleneck);
    const std::string numbers = line.substr(0, at);
    return (row == 1 ? coloured(numbers, "1", style) : numbers) +
           coloured(bottleneck, bottleneck == "compute" ? "32" : "33", style);
  });
}

/// Returns a sentence that explains why the column "peak" exceeds 100 % or, if there are Winograd
/// candidates, why it can. Otherwise returns empty text.
std::string peak_text(const Plan& plan) {
  const bool has_winograd = std::ranges::any_of(
      plan.candidates, [](const Candidate& each) { return each.schedule.winograd.has_value(); });
  if (has_winograd) return winograd_peak_text();
  const bool is_passed = std::ranges::any_of(plan.candidates, [&](const Candidate& each) {
    return seconds_of(each) < seconds_at_peak(plan, each.measurement);
  });
  return is_passed ? above_peak_text(plan.problem) : "";
}

/// Returns a note if the first candidate is a direct one that was at least as fast as a peak that
/// was never measured.
std::string assumed_peak_text(const Plan& plan) {
  const Candidate& first = plan.candidates.front();
  if (!plan.machine.provenance.calibrated.empty() || !first.measurement || first.schedule.winograd)
    return "";
  if (first.measurement->median_seconds > seconds_at_peak(plan, first.measurement)) return "";
  return "the peak of " + with_prefix(plan.options.threads * peak_flops(plan.machine), "flop/s") +
         " is assumed; `tileplan calibrate` measures that of this machine\n";
}

std::string first_memory_text(const Plan& plan) {
  const std::string text = memory_text(memory_of(plan, 0, ComputationVariants(plan.problem)));
  return text.empty() ? "" : "memory of rank 1: " + text + '\n';
}

std::string facts_text(const Plan& plan) {
  std::string text = ties_text(plan) + first_memory_text(plan) + peak_text(plan) +
                     assumed_peak_text(plan) + certificate_text(plan) + algorithms_text(plan) +
                     unlisted_best_text(plan) + "space: " + plan.certificate.space +
                     "\nplanned in " + format_seconds(plan.plan_seconds);
  if (plan.options.verify > 0)
    text += ", measured in " + format_seconds(plan.measure_seconds) + " (waited " +
            format_seconds(plan.waiting_seconds) + " for a quiet core): " + verdict_text(plan);
  text += '\n';
  if (const std::size_t known = count_recalled(plan); known > 0)
    text += std::to_string(known) + (known == 1 ? " time" : " times") +
            " came from the records, so that shares of peak count with the clock of the machine's "
            "calibration (--no-records measures again)\n";
  for (const Rejected& one : plan.rejected)
    text += "rejected " + std::to_string(one.count) + ": " + one.reason + '\n';
  return text;
}

}  // namespace

std::string to_text(const Plan& plan, TextStyle style) {
  const int threads = plan.options.threads;
  const std::string heading =
      name_of(plan.problem) + " on " + plan.machine.name + ", " + std::to_string(threads) +
      (threads == 1 ? " thread, " : " threads, ") + in_words(plan.options.regime) + '\n';
  return fitted(heading, style) +
         (style.width > 0 ? terminal_table(rows_of(plan), style) : aligned(rows_of(plan))) +
         fitted(facts_text(plan), style);
}

std::string to_json(const Plan& plan) { return plan_document(plan).dump(2); }

}  // namespace tileplan
