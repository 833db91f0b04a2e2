// SPDX-License-Identifier: Apache-2.0
// This file prints plans as tables and as JSON.
#include <algorithm>

#include "plan_json.h"
#include "regime.h"
#include "terminal_text.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

/// A bound that is closer than this to the best prediction, relative to it, proves it.
constexpr double kProven = 1e-6;
/// The model cannot tell predictions apart that differ by less.
constexpr double kTie = 1.03;
/// A schedule below its row starts with so many blanks.
constexpr std::size_t kIndent = 6;

std::size_t count_recalled(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.candidates.begin(), plan.candidates.end(),
      [](const Candidate& one) { return one.measurement && !one.measurement->taken.empty(); }));
}

/// Recalled samples come from several days, so candidates are sorted by them but not compared.
std::string verdict_text(const Plan& plan) {
  switch (plan.verdict) {
    case Verdict::decided:
      return "the first is faster than all others (95 % confidence)";
    case Verdict::tied:
      return "no other is more than 1 % faster than the first (95 % confidence)";
    case Verdict::undecided:
      return "the budget or the samples were used up before one was shown to be the fastest";
    case Verdict::unmeasured:
      break;
  }
  return count_recalled(plan) > 0 ? "the records know all times, and nothing was measured again"
                                  : "nothing measured";
}

/// Says which unmeasured candidates the model cannot tell apart, and what would.
std::string ties_text(const Plan& plan) {
  if (plan.candidates.front().measurement) return "";
  const double limit = kTie * plan.candidates.front().prediction.seconds;
  std::size_t last = 1;
  while (last < plan.candidates.size() && plan.candidates[last].prediction.seconds <= limit) ++last;
  if (last == 1) return "";
  const std::string count = std::to_string(last);
  return "ranks 1 to " + count + " are ties, because their predictions are within 3 %; --verify " +
         count + " would measure which is fastest\n";
}

std::string certificate_text(const Certificate& certificate) {
  const BandProof& band = certificate.band;
  std::string text = "certificate: the best prediction is " + format_seconds(certificate.optimum) +
                     ", and none is below " + format_seconds(certificate.bound) + " (gap " +
                     fixed(100 * certificate.gap, 1) + " %)\nband model: the optimum is " +
                     format_seconds(band.optimum) + ", and " + format_seconds(band.bound) +
                     " with real tile sizes (programs solved: " + std::to_string(band.solved) +
                     ", pruned: " + std::to_string(band.pruned) +
                     ", not solved: " + std::to_string(band.unsolved) + ")\n";
  for (const Divisibility& level : certificate.divisibility) {
    text += level.level + " moves " + fixed(level.divisors, 0) +
            " elements with tiles that divide, " + fixed(level.any, 0) + " with any tiles";
    if (level.any_bound < (1 - kProven) * level.any)
      text += " (the search was cut short; at least " + fixed(level.any_bound, 0) + ")";
    text += '\n';
  }
  return text;
}

std::vector<std::vector<std::string>> rows_of(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "predicted", "measured", "peak", "bottleneck", "schedule"}};
  const double peak_seconds = plan.flops / (plan.options.threads * peak_flops(plan.machine));
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const auto& [schedule, prediction, measurement] = plan.candidates[i];
    const double seconds = measurement ? measurement->median_seconds : prediction.seconds;
    rows.push_back({std::to_string(i + 1), format_seconds(prediction.seconds),
                    measurement ? format_seconds(measurement->median_seconds) : "-",
                    fixed(100 * peak_seconds / seconds, 1) + "%", prediction.bottleneck,
                    to_string(schedule)});
  }
  return rows;
}

/// Prints each schedule below its row, so that no line is wider than the terminal.
std::string narrow_table(std::vector<std::vector<std::string>> rows, TextStyle style) {
  std::vector<std::string> schedules;
  for (auto& row : rows) {
    schedules.push_back(row.back());
    row.pop_back();
  }
  const std::string table = aligned(rows);
  std::string text;
  std::size_t start = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t end = table.find('\n', start);
    std::string line = table.substr(start, end - start);
    start = end + 1;
    if (i > 0) {
      const std::size_t at = line.rfind(rows[i].back());
      const char* colour = rows[i].back() == "compute" ? "32" : "33";
      const std::string numbers = line.substr(0, at);
      line = (i == 1 ? coloured(numbers, "1", style) : numbers) +
             coloured(rows[i].back(), colour, style);
    }
    text += line + '\n';
    if (i > 0) text += wrapped(schedules[i], style.width, kIndent, kIndent);
  }
  return text;
}

/// Returns the lines below the table.
std::string facts_text(const Plan& plan) {
  std::string text = ties_text(plan) + certificate_text(plan.certificate) + "planned in " +
                     format_seconds(plan.plan_seconds);
  if (plan.options.verify > 0)
    text += ", measured in " + format_seconds(plan.measure_seconds) + " (waited " +
            format_seconds(plan.waiting_seconds) + " for a quiet core): " + verdict_text(plan);
  text += '\n';
  if (const std::size_t known = count_recalled(plan); known > 0)
    text += std::to_string(known) + " times came from the records (--no-records measures again)\n";
  if (plan.options.verify > 0 && plan.options.regime != Regime::hot)
    text += std::string("predictions are for hot caches, measurements for ") +
            in_words(plan.options.regime) + '\n';
  for (const Rejected& one : plan.rejected)
    text += "rejected " + std::to_string(one.count) + ": " + one.reason + '\n';
  return text;
}

}  // namespace

std::string to_text(const Plan& plan, TextStyle style) {
  const int threads = plan.options.threads;
  const std::string heading = name_of(plan.problem) + " on " + plan.machine.name + ", " +
                              std::to_string(threads) +
                              (threads == 1 ? " thread, " : " threads, ") +
                              in_words(plan.options.regime) + ": " + plan.certificate.space + '\n';
  return fitted(heading, style) +
         (style.width > 0 ? narrow_table(rows_of(plan), style) : aligned(rows_of(plan))) +
         fitted(facts_text(plan), style);
}

std::string to_json(const Plan& plan) { return plan_document(plan).dump(2); }

}  // namespace tileplan
