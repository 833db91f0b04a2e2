// SPDX-License-Identifier: Apache-2.0
// This file gives each layer a bar that opens, and one row of each table.
#include "network_page.h"

#include <algorithm>
#include <cctype>

#include "coverage.h"
#include "layer_page.h"

namespace tileplan {
namespace {

const std::string& last_cache(const NetworkReport& report) {
  return report.layers.front().explanation.levels.back().cache;
}

std::string regime_text(const NetworkReport& report) {
  return in_words(report.layers.front().plan.options.regime);
}

/// Returns how the times of the page came about.
std::string time_basis(const NetworkReport& report, const NetworkTotals& totals) {
  if (totals.measured == 0) return "predicted, hot caches";
  if (totals.measured == report.layers.size()) return "measured, " + regime_text(report);
  return "measured with " + regime_text(report) + ", or else predicted with hot caches";
}

KeyFigures key_figures(const NetworkReport& report, const NetworkTotals& totals) {
  const bool all = totals.measured == report.layers.size();
  return {{{"predicted time", with_prefix(totals.predicted_seconds, "s"), "hot caches"},
           {"measured time", all ? with_prefix(totals.seconds, "s") : "-",
            all ? regime_text(report)
                : std::to_string(totals.measured) + " of " + std::to_string(report.layers.size()) +
                      " layers measured"},
           {"share of peak", percent(totals.share_of_peak), time_basis(report, totals)},
           {"bytes into " + last_cache(report), with_prefix(totals.bytes, "B"), "cold caches"},
           {"work", with_prefix(totals.flops, "flop"),
            std::to_string(report.layers.size()) + " distinct layers"}}};
}

Section coverage_section(const NetworkReport& report, const NetworkTotals& totals) {
  Section section{"", {Paragraph{covered_text(report.network)}}, true};
  for (const Unplanned& group : report.network.unplanned)
    if (is_operation(group.kind))
      section.blocks.emplace_back(Paragraph{dropped_text(group), Tone::warning});
  if (const std::string rest = not_counted_text(report.network); !rest.empty())
    section.blocks.emplace_back(Paragraph{rest});
  section.blocks.emplace_back(key_figures(report, totals));
  section.blocks.emplace_back(
      Paragraph{std::string("All numbers count each execution of a layer. ") + kPaddingNote +
                (totals.measured == 0 ? " Nothing was measured." : "")});
  return section;
}

/// Returns 0 for compute, the number of a cache up to 3, and 4 for everything else.
int colour_of(const std::string& bottleneck) {
  constexpr int kLastCache = 3, kOther = 4;
  if (bottleneck == "compute") return 0;
  if (bottleneck.size() < 2 || bottleneck[0] != 'L' || std::isdigit(bottleneck[1]) == 0)
    return kOther;
  return std::min(bottleneck[1] - '0', kLastCache);
}

std::string hint_of(const NetworkReport& report, std::size_t at) {
  const LayerReport& layer = report.layers[at];
  const LevelExplanation& last = layer.explanation.levels.back();
  return report.network.layers[at].name + ": " + to_string(layer.plan.problem) + "\n" +
         with_prefix(bytes_of(layer), "B") + " into " + last.cache +
         " from cold caches; no schedule moves less than " + with_prefix(last.bound_bytes, "B") +
         "\n" + to_string(layer.plan.candidates.front().schedule);
}

FoldedRow row_of(const NetworkReport& report, std::size_t at, double longest) {
  const LayerReport& layer = report.layers[at];
  const int count = report.count(at);
  const double seconds = count * seconds_of(layer);
  const std::string& bottleneck = layer.plan.candidates.front().prediction.bottleneck;
  return {.name = report.network.layers[at].name,
          .value = with_prefix(seconds, "s") +
                   (count > 1 ? " in " + std::to_string(count) + " executions" : ""),
          .kind = bottleneck,
          .colour = colour_of(bottleneck),
          .share = seconds / longest,
          .hint = hint_of(report, at),
          .sections = layer_sections(layer)};
}

Section rows_section(const NetworkReport& report, const NetworkTotals& totals) {
  FoldedRows rows;
  double longest = 0;
  for (std::size_t i = 0; i < report.layers.size(); ++i)
    longest = std::max(longest, report.count(i) * seconds_of(report.layers[i]));
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    rows.rows.push_back(row_of(report, i, longest));
    const std::pair entry(rows.rows.back().kind, rows.rows.back().colour);
    if (std::ranges::count(rows.legend, entry) == 0) rows.legend.push_back(entry);
  }
  std::ranges::stable_sort(rows.legend, {}, [](const auto& entry) { return entry.second; });
  return {"Layers in the order of the network",
          {Paragraph{"Each bar is the time of all executions of a layer, " +
                     time_basis(report, totals) +
                     ". Its colour is the bottleneck. A row opens into the page of its layer."},
           std::move(rows)},
          true};
}

std::optional<double> measured_seconds(const LayerReport& report) {
  const auto& measurement = report.plan.candidates.front().measurement;
  return measurement ? std::optional(measurement->median_seconds) : std::nullopt;
}

std::vector<Cell> layer_row(const NetworkReport& report, std::size_t at, double total_seconds) {
  const LayerReport& layer = report.layers[at];
  const double cores = gain_of(layer, layer.sensitivity.back());
  const Sensitivity* link = best_link(layer);
  return {{report.network.layers[at].name},
          decimals(report.count(at), 0),
          quantity(layer.plan.candidates.front().prediction.seconds, "s"),
          quantity_or_dash(measured_seconds(layer), "s"),
          percent_cell(report.count(at) * seconds_of(layer) / total_seconds),
          quantity(bytes_of(layer), "B"),
          quantity(layer.explanation.levels.back().bound_bytes, "B"),
          percent_cell(share_of_peak(layer)),
          percent_cell(share_of_roofline(layer)),
          {layer.plan.candidates.front().prediction.bottleneck},
          {fixed(cores, 2) + " times", cores},
          {link ? link->change + ": " + fixed(gain_of(layer, *link), 2) + " times" : "-"}};
}

Section layer_section(const NetworkReport& report, const NetworkTotals& totals) {
  Table table{.id = "layers",
              .headings = {"layer", "executions", "predicted, hot caches",
                           "measured, " + regime_text(report), "share of time",
                           "bytes into " + last_cache(report) + ", cold caches", "I/O lower bound",
                           "share of peak", "share of roofline", "bottleneck", "one more core",
                           "faster cache that helps most"},
              .sortable = true};
  for (std::size_t i = 0; i < report.layers.size(); ++i)
    table.rows.push_back(layer_row(report, i, totals.seconds));
  return {"Numbers of one execution", {table}, true};
}

Section schedule_section(const NetworkReport& report) {
  Table table{.id = "schedules", .headings = {"layer", "problem", "schedule"}};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const Plan& plan = report.layers[i].plan;
    table.rows.push_back({{report.network.layers[i].name},
                          {to_string(plan.problem)},
                          {to_string(plan.candidates.front().schedule)}});
  }
  return {"Schedules", {table}, true};
}

Section bytes_section(const NetworkReport& report) {
  BarChart chart{.axis = "bytes into " + last_cache(report) + ", all executions, cold caches",
                 .unit = "B",
                 .legend = {"input", "weights", "output"}};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    Bar bar{report.network.layers[i].name, {}};
    for (const LevelTensor& tensor : report.layers[i].explanation.levels.back().tensors)
      bar.parts.push_back(report.count(i) * static_cast<double>(tensor.bytes));
    chart.bars.push_back(bar);
  }
  return {"Bytes of the layers", {std::move(chart)}};
}

Section unplanned_section(const std::vector<Unplanned>& groups) {
  Table table{.id = "unplanned",
              .headings = {"operator", "nodes", "reason", "work", "bytes", "names"}};
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  for (const Unplanned& group : groups) {
    const std::string names = node_names(group);
    table.rows.push_back({{group.kind},
                          decimals(static_cast<double>(group.nodes.size()), 0),
                          {group.reason},
                          quantity_or_dash(known(group.flops), "flop"),
                          quantity_or_dash(known(group.bytes), "B"),
                          {names.empty() ? "-" : names}});
  }
  return {"Nodes without a plan", {table}, true};
}

}  // namespace

Document network_document(const NetworkReport& report, const Reproduction& origin) {
  const NetworkTotals totals = totals_of(report);
  const Plan& plan = report.layers.front().plan;
  double optimum = 0;
  for (std::size_t i = 0; i < report.layers.size(); ++i)
    optimum += report.count(i) * report.layers[i].plan.certificate.optimum;
  Document document{report.network.name + " on " + plan.machine.name,
                    {coverage_section(report, totals), rows_section(report, totals),
                     layer_section(report, totals), bytes_section(report),
                     sensitivity_section(totals.sensitivity, optimum), schedule_section(report)}};
  if (!report.network.unplanned.empty())
    document.sections.push_back(unplanned_section(report.network.unplanned));
  document.sections.push_back(origin_section(plan, origin));
  return document;
}

}  // namespace tileplan
