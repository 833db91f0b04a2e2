// SPDX-License-Identifier: Apache-2.0
// One row per layer.
#include "network_page.h"

#include <algorithm>
#include <numeric>

#include "layer_page.h"

namespace tileplan {

namespace {

double bytes_of(const LayerReport& report) {
  return static_cast<double>(report.explanation.levels.back().all_moved_bytes());
}

double gain_of(const LayerReport& report, const Sensitivity& change) {
  return report.plan.certificate.optimum / change.seconds;
}

/// The faster link that speeds the layer up most, by more than what rounds to nothing.
const Sensitivity* best_link(const LayerReport& report) {
  constexpr double kSeen = 1.005;
  const Sensitivity* best = nullptr;
  for (const Sensitivity& each : report.sensitivity)
    if (each.change.starts_with("twice") && gain_of(report, each) > kSeen &&
        (!best || each.seconds < best->seconds))
      best = &each;
  return best;
}

Cell percent(double share) { return {.text = fixed(100 * share, 1) + " %", .value = share}; }

/// "twice the bandwidth into L2, 1.12", or nothing that helps.
Cell link_cell(const LayerReport& report) {
  const Sensitivity* link = best_link(report);
  return {.text =
              link ? link->change + ": " + fixed(gain_of(report, *link), 2) + " times" : "none"};
}

Table layer_table(const Network& network, const NetworkTotals& totals) {
  const std::string last = network.layers.front().report.plan.machine.caches.back().name;
  Table table{.id = "layers",
              .headings = {"layer", "executions", "time", "share of time", "bytes into " + last,
                           "share of peak", "share of roofline", "limited by", "one more core",
                           "faster cache that helps most"},
              .rows = {},
              .sortable = true};
  for (const NetworkLayer& layer : network.layers) {
    const LayerReport& report = layer.report;
    const double cores = gain_of(report, report.sensitivity.back());
    table.rows.push_back(
        {{.text = layer.name},
         {.text = std::to_string(layer.count), .value = static_cast<double>(layer.count)},
         quantity(seconds_of(report), "s"),
         percent(layer.count * seconds_of(report) / totals.seconds),
         quantity(bytes_of(report), "B"),
         percent(share_of_peak(report)),
         percent(share_of_roofline(report)),
         {.text = report.plan.candidates.front().prediction.bottleneck},
         {.text = fixed(cores, 2) + " times", .value = cores},
         link_cell(report)});
  }
  return table;
}

Table schedule_table(const Network& network) {
  Table table{.id = "schedules", .headings = {"layer", "problem", "schedule"}, .rows = {}};
  for (const NetworkLayer& layer : network.layers) {
    const Plan& plan = layer.report.plan;
    table.rows.push_back({{.text = layer.name},
                          {.text = to_string(plan.problem)},
                          {.text = to_string(plan.candidates.front().schedule)}});
  }
  return table;
}

/// The layers as bars, the longest first.
BarChart by_length(BarChart chart) {
  const auto length = [](const Bar& bar) {
    return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
  };
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [&](const Bar& a, const Bar& b) { return length(a) > length(b); });
  return chart;
}

BarChart time_chart(const Network& network) {
  BarChart chart{.axis = "time of all executions", .unit = "s", .legend = {}, .bars = {}};
  for (const NetworkLayer& layer : network.layers)
    chart.bars.push_back({.name = layer.name, .parts = {layer.count * seconds_of(layer.report)}});
  return by_length(chart);
}

BarChart bytes_chart(const Network& network) {
  BarChart chart{.axis = "bytes into " +
                         network.layers.front().report.plan.machine.caches.back().name +
                         ", all executions",
                 .unit = "B",
                 .legend = {"input", "weights", "output"},
                 .bars = {}};
  for (const NetworkLayer& layer : network.layers) {
    Bar bar{.name = layer.name, .parts = {}};
    for (const std::int64_t bytes : layer.report.explanation.levels.back().moved_bytes.values)
      bar.parts.push_back(layer.count * static_cast<double>(bytes));
    chart.bars.push_back(bar);
  }
  return by_length(chart);
}

Section total_section(const Network& network, const NetworkTotals& totals) {
  const bool measured =
      std::any_of(network.layers.begin(), network.layers.end(), [](const NetworkLayer& layer) {
        return layer.report.plan.candidates.front().measurement.has_value();
      });
  return {.title = "",
          .blocks = {Paragraph{
              std::to_string(network.layers.size()) + " layers, " +
              with_prefix(totals.flops, "flop") + ": " + with_prefix(totals.seconds, "s") +
              (measured ? " measured or predicted, " : " predicted, ") +
              fixed(100 * totals.share_of_peak, 1) + " % of peak, " +
              with_prefix(totals.bytes, "B") + " into the last cache from cold caches. " +
              kPaddingNote + (measured ? "" : " Nothing was measured.")}}};
}

Section sensitivity_section(const Network& network, const NetworkTotals& totals) {
  double now = 0;
  for (const NetworkLayer& layer : network.layers)
    now += layer.count * layer.report.plan.certificate.optimum;
  Table table{
      .id = "sensitivity", .headings = {"change", "predicted", "times as fast"}, .rows = {}};
  for (const Sensitivity& each : totals.sensitivity)
    table.rows.push_back({{.text = each.change},
                          quantity(each.seconds, "s"),
                          {.text = fixed(now / each.seconds, 2), .value = now / each.seconds}});
  return {.title = "If the machine were different",
          .blocks = {Paragraph{"Each layer planned anew; compared with the best predictions, " +
                               with_prefix(now, "s") + " together."},
                     table}};
}

Section unplanned_section(const Network& network) {
  Table table{.id = "unplanned", .headings = {"node", "reason"}, .rows = {}};
  for (const Unplanned& each : network.unplanned)
    table.rows.push_back({{.text = each.name}, {.text = each.reason}});
  return {.title = "Not planned", .blocks = {table}};
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

Document network_document(const Network& network, const Provenance& provenance) {
  const NetworkTotals totals = totals_of(network);
  const Plan& plan = network.layers.front().report.plan;
  Document document{.title = network.name + " on " + plan.machine.name,
                    .sections = {total_section(network, totals),
                                 {.title = "Layers", .blocks = {layer_table(network, totals)}},
                                 {.title = "By time", .blocks = {time_chart(network)}},
                                 {.title = "By bytes", .blocks = {bytes_chart(network)}},
                                 sensitivity_section(network, totals),
                                 {.title = "Schedules", .blocks = {schedule_table(network)}}}};
  if (!network.unplanned.empty()) document.sections.push_back(unplanned_section(network));
  document.sections.push_back(origin_section(plan, provenance));
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
