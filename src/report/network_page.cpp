// SPDX-License-Identifier: Apache-2.0
// Gives each layer one row of each table.
#include "network_page.h"

#include <algorithm>
#include <functional>

#include "layer_page.h"

namespace tileplan {
namespace {

double bytes_of(const LayerReport& report) {
  return static_cast<double>(report.explanation.levels.back().all_moved_bytes());
}

double gain_of(const LayerReport& report, const Sensitivity& change) {
  return report.plan.certificate.optimum / change.seconds;
}

/// Returns the faster link that speeds the layer up most, or null when none helps.
const Sensitivity* best_link(const LayerReport& report) {
  constexpr double kLeastGain = 1.005;
  const Sensitivity* best = nullptr;
  for (const Sensitivity& each : report.sensitivity)
    if (each.change.starts_with("twice") && gain_of(report, each) > kLeastGain &&
        (!best || each.seconds < best->seconds))
      best = &each;
  return best;
}

const std::string& last_cache(const Network& network) {
  return network.layers.front().report.plan.machine.caches.back().name;
}

Section layer_section(const Network& network, const NetworkTotals& totals) {
  Table table{
      .id = "layers",
      .headings = {"layer", "executions", "time", "share of time",
                   "bytes into " + last_cache(network), "share of peak", "share of roofline",
                   "bottleneck", "one more core", "faster cache that helps most"},
      .sortable = true};
  for (const NetworkLayer& layer : network.layers) {
    const LayerReport& report = layer.report;
    const double cores = gain_of(report, report.sensitivity.back());
    const Sensitivity* link = best_link(report);
    table.rows.push_back(
        {{layer.name},
         decimals(layer.count, 0),
         quantity(seconds_of(report), "s"),
         percent_cell(layer.count * seconds_of(report) / totals.seconds),
         quantity(bytes_of(report), "B"),
         percent_cell(share_of_peak(report)),
         percent_cell(share_of_roofline(report)),
         {report.plan.candidates.front().prediction.bottleneck},
         {fixed(cores, 2) + " times", cores},
         {link ? link->change + ": " + fixed(gain_of(report, *link), 2) + " times" : "none"}});
  }
  return {"Layers", {table}};
}

Section schedule_section(const Network& network) {
  Table table{.id = "schedules", .headings = {"layer", "problem", "schedule"}};
  for (const NetworkLayer& layer : network.layers) {
    const Plan& plan = layer.report.plan;
    table.rows.push_back(
        {{layer.name}, {to_string(plan.problem)}, {to_string(plan.candidates.front().schedule)}});
  }
  return {"Schedules", {table}};
}

Section chart_section(const std::string& title, BarChart chart) {
  std::ranges::stable_sort(chart.bars, std::greater(), total);
  return {title, {std::move(chart)}};
}

BarChart time_chart(const Network& network) {
  BarChart chart{.axis = "time of all executions", .unit = "s"};
  for (const NetworkLayer& layer : network.layers)
    chart.bars.push_back({layer.name, {layer.count * seconds_of(layer.report)}});
  return chart;
}

BarChart bytes_chart(const Network& network) {
  BarChart chart{.axis = "bytes into " + last_cache(network) + ", all executions",
                 .unit = "B",
                 .legend = {"input", "weights", "output"}};
  for (const NetworkLayer& layer : network.layers) {
    Bar bar{layer.name, {}};
    for (const std::int64_t bytes : layer.report.explanation.levels.back().moved_bytes.values)
      bar.parts.push_back(layer.count * static_cast<double>(bytes));
    chart.bars.push_back(bar);
  }
  return chart;
}

Section total_section(const Network& network, const NetworkTotals& totals) {
  const bool measured =
      std::any_of(network.layers.begin(), network.layers.end(), [](const NetworkLayer& layer) {
        return layer.report.plan.candidates.front().measurement.has_value();
      });
  return {"",
          {Paragraph{"The " + std::to_string(network.layers.size()) + " layers compute " +
                     with_prefix(totals.flops, "flop") + " in a " +
                     (measured ? "measured or predicted" : "predicted") + " time of " +
                     with_prefix(totals.seconds, "s") + ", which is " +
                     percent(totals.share_of_peak) + " of peak. From cold caches they move " +
                     with_prefix(totals.bytes, "B") + " into the last cache. " + kPaddingNote +
                     (measured ? "" : " Nothing was measured.")}}};
}

Section unplanned_section(const Network& network) {
  Table table{.id = "unplanned", .headings = {"node", "reason"}};
  for (const Unplanned& each : network.unplanned)
    table.rows.push_back({{each.name}, {each.reason}});
  return {"Nodes that are not planned", {table}};
}

}  // namespace

NetworkTotals totals_of(const Network& network) {
  NetworkTotals totals;
  totals.sensitivity = network.layers.front().report.sensitivity;
  for (Sensitivity& each : totals.sensitivity) each = {.change = each.change};
  for (const NetworkLayer& layer : network.layers) {
    totals.seconds += layer.count * seconds_of(layer.report);
    totals.bytes += layer.count * bytes_of(layer.report);
    totals.flops += layer.count * layer.report.plan.flops;
    for (std::size_t i = 0; i < totals.sensitivity.size(); ++i)
      totals.sensitivity[i].seconds += layer.count * layer.report.sensitivity[i].seconds;
  }
  const Plan& plan = network.layers.front().report.plan;
  totals.share_of_peak =
      totals.flops / (plan.options.threads * peak_flops(plan.machine)) / totals.seconds;
  return totals;
}

Document network_document(const Network& network, const Reproduction& origin) {
  const NetworkTotals totals = totals_of(network);
  const Plan& plan = network.layers.front().report.plan;
  double optimum = 0;
  for (const NetworkLayer& layer : network.layers)
    optimum += layer.count * layer.report.plan.certificate.optimum;
  Document document{network.name + " on " + plan.machine.name,
                    {total_section(network, totals), layer_section(network, totals),
                     chart_section("Layers by time", time_chart(network)),
                     chart_section("Layers by bytes", bytes_chart(network)),
                     sensitivity_section(totals.sensitivity, optimum), schedule_section(network)}};
  if (!network.unplanned.empty()) document.sections.push_back(unplanned_section(network));
  document.sections.push_back(origin_section(plan, origin));
  return document;
}

std::string network_csv(const Network& network) {
  std::string text =
      "layer,problem,executions,predicted_s,measured_s,last_cache_bytes,flops,share_of_peak,"
      "share_of_roofline,bottleneck,schedule\n";
  constexpr int kDigits = 9;
  for (const NetworkLayer& layer : network.layers) {
    const Plan& plan = layer.report.plan;
    const Candidate& first = plan.candidates.front();
    text += layer.name + ',' + to_string(plan.problem) + ',' + std::to_string(layer.count) + ',' +
            fixed(first.prediction.seconds, kDigits) + ',' +
            (first.measurement ? fixed(first.measurement->median_seconds, kDigits) : "") + ',' +
            fixed(bytes_of(layer.report), 0) + ',' + fixed(plan.flops, 0) + ',' +
            fixed(share_of_peak(layer.report), 4) + ',' +
            fixed(share_of_roofline(layer.report), 4) + ',' + first.prediction.bottleneck + ",\"" +
            to_string(first.schedule) + "\"\n";
  }
  return text;
}

}  // namespace tileplan
