// SPDX-License-Identifier: Apache-2.0
// This file prints planned networks for terminals and pipes.
#include <algorithm>

#include "coverage.h"
#include "shortened.h"
#include "terminal_text.h"

namespace tileplan {
namespace {

constexpr const char* kRed = "31";

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> head_of(const NetworkPlan& network) {
  const std::string regime = in_words(network.layers.front().plan.options.regime);
  return {"layer", "times", "predicted, " + regime, "measured", "bottleneck"};
}

std::vector<std::string> row_of(const NetworkLayer& layer, std::size_t name_length) {
  const Candidate& first = layer.plan.candidates.front();
  return {end_of(layer.name, name_length), std::to_string(layer.count),
          format_seconds(first.prediction.seconds),
          first.measurement ? format_seconds(first.measurement->median_seconds) : "-",
          first.prediction.bottleneck};
}

std::string schedule_text(const NetworkLayer& layer) {
  return to_string(layer.plan.candidates.front().schedule);
}

std::string wide_table(const NetworkPlan& network) {
  Rows rows{head_of(network)};
  rows.front().insert(rows.front().end(), {"problem", "epilogue", "schedule"});
  for (const NetworkLayer& layer : network.layers) {
    rows.push_back(row_of(layer, std::string::npos));
    rows.back().insert(rows.back().end(),
                       {to_string(layer.plan.problem), to_string(layer.plan.options.epilogue),
                        schedule_text(layer)});
  }
  return aligned(rows);
}

/// Returns a table with a row for each layer. The problem and the schedule follow below the row.
std::string terminal_table(const NetworkPlan& network, TextStyle style) {
  constexpr int kOthers = 52;  // For hot caches, all columns except the name take this width.
  const auto name_length = static_cast<std::size_t>(std::max(kOthers / 2, style.width - kOthers));
  Rows rows{head_of(network)};
  rows.front().emplace_back();
  for (const NetworkLayer& layer : network.layers) {
    rows.push_back(row_of(layer, name_length));
    rows.back().push_back(to_string(layer.plan.problem) + " " + schedule_text(layer));
  }
  return narrow_table(rows, style, [&](std::size_t /*row*/, const std::string& line) {
    return coloured(line, "1", style);
  });
}

/// Returns a sentence with the total time of all executions. If every layer was measured, the
/// sentence also gives the measured total.
std::string sum_text(const NetworkPlan& network) {
  double predicted = 0, seconds = 0;
  std::size_t measured = 0;
  for (const NetworkLayer& layer : network.layers) {
    const Candidate& first = layer.plan.candidates.front();
    predicted += layer.count * first.prediction.seconds;
    measured += first.measurement ? 1 : 0;
    seconds += layer.count *
               (first.measurement ? first.measurement->median_seconds : first.prediction.seconds);
  }
  std::string text = "Together the layers are predicted to take " + format_seconds(predicted);
  if (measured == network.layers.size())
    text += ", and measured to take " + format_seconds(seconds);
  return text + ", with " + in_words(network.layers.front().plan.options.regime) + ".\n";
}

}  // namespace

std::string coverage_text(const NetworkPlan& network, TextStyle style) {
  std::string text = fitted(
      network.name + " on " + network.machine.name + ": " + covered_text(network) + '\n', style);
  for (const Unplanned& group : network.unplanned)
    if (is_operation(group.kind))
      text += coloured(fitted(dropped_text(group) + '\n', style), kRed, style);
  if (const std::string rest = not_counted_text(network); !rest.empty())
    text += fitted(rest + '\n', style);
  return text;
}

std::string network_text(const NetworkPlan& network) {
  if (network.steps.empty()) return "";
  const LayoutProof& proof = network.layouts;
  const auto in_place = std::ranges::count_if(network.steps, &NetworkStep::in_place);
  std::string text = "The network runs in " + std::to_string(network.steps.size()) + " steps, ";
  text += std::to_string(in_place) + " of them in place, with ";
  text += std::to_string(proof.conversions) + " conversions between layouts.\n";
  text += "All steps are predicted to take " + format_seconds(proof.seconds) +
          "; no layouts are predicted to take less than " + format_seconds(proof.bound);
  if (proof.runner_up_seconds > 0)
    text += ", and the next best take " + format_seconds(proof.runner_up_seconds);
  text += ".\nThe workspace has " + with_prefix(static_cast<double>(network.arena.bytes), "B") +
          "; the tensors that live during one step have at most " +
          with_prefix(static_cast<double>(network.arena.least_bytes), "B") + ".\n";
  return text;
}

std::string to_text(const NetworkPlan& network, TextStyle style) {
  std::string text = coverage_text(network, style) + fitted(sum_text(network), style) +
                     fitted(network_text(network), style);
  text += style.width > 0 ? terminal_table(network, style) : wide_table(network);
  for (const Unplanned& group : network.unplanned) {
    if (is_operation(group.kind)) continue;
    const std::string names = node_names(group);
    text += fitted("not planned: " + std::to_string(group.nodes.size()) + " " + group.kind + ": " +
                       group.reason + (names.empty() ? "" : " (" + names + ")") + '\n',
                   style);
  }
  return text;
}

}  // namespace tileplan
