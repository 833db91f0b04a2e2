// SPDX-License-Identifier: Apache-2.0
// This file prints planned networks for terminals and pipes.
#include <algorithm>

#include "coverage.h"
#include "terminal_text.h"

namespace tileplan {
namespace {

constexpr std::size_t kIndent = 6;  // columns
constexpr const char* kRed = "31";

using Rows = std::vector<std::vector<std::string>>;

/// Returns `text` without its front when it is long, because the ends of node names differ.
std::string end_of(const std::string& text, std::size_t length) {
  return text.size() <= length ? text : "..." + text.substr(text.size() - length + 3);
}

std::vector<std::string> head_of(const NetworkPlan& network) {
  const std::string regime = in_words(network.layers.front().plan.options.regime);
  return {"layer", "times", "predicted, hot caches", "measured, " + regime, "bottleneck"};
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

/// Prints everything about a layer in one line.
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

/// Prints the problem and the schedule of each layer below its row.
std::string narrow_table(const NetworkPlan& network, TextStyle style) {
  constexpr std::size_t kName = 28;
  Rows rows{head_of(network)};
  for (const NetworkLayer& layer : network.layers) rows.push_back(row_of(layer, kName));
  const std::string table = aligned(rows);
  std::size_t start = table.find('\n') + 1;
  std::string text = table.substr(0, start);
  for (const NetworkLayer& layer : network.layers) {
    const std::size_t end = table.find('\n', start);
    text += coloured(table.substr(start, end - start), "1", style) + '\n' +
            wrapped(to_string(layer.plan.problem) + " " + schedule_text(layer), style.width,
                    kIndent, kIndent);
    start = end + 1;
  }
  return text;
}

/// Returns the sums over all executions. Layers that were not measured count as predicted.
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
  std::string text =
      "Together the layers are predicted to take " + format_seconds(predicted) + " with hot caches";
  if (measured == network.layers.size())
    text += ", and measured to take " + format_seconds(seconds) + " with " +
            in_words(network.layers.front().plan.options.regime);
  return text + ".\n";
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

std::string to_text(const NetworkPlan& network, TextStyle style) {
  std::string text = coverage_text(network, style) + fitted(sum_text(network), style);
  text += style.width > 0 ? narrow_table(network, style) : wide_table(network);
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
