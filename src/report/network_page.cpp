// SPDX-License-Identifier: Apache-2.0
// This file gives each layer an expandable row, and one row in each table of layers.
#include "network_page.h"

#include <algorithm>
#include <cctype>

#include "check.h"
#include "coverage.h"
#include "layer_page.h"
#include "run_sections.h"

namespace tileplan {
namespace {

const std::string& last_cache(const NetworkReport& report) {
  return report.layers.front().explanation.levels.back().cache;
}

std::string regime_text(const NetworkReport& report) {
  return in_words(report.layers.front().plan.options.regime);
}

/// Tells whether the times on the page were predicted or measured, and what the caches held before
/// a run.
std::string time_basis(const NetworkReport& report, const NetworkTotals& totals) {
  if (totals.measured == 0) return "predicted, " + regime_text(report);
  if (totals.measured == report.layers.size()) return "measured, " + regime_text(report);
  return "measured or else predicted with " + regime_text(report);
}

KeyFigures key_figures(const NetworkReport& report, const NetworkTotals& totals) {
  const bool all = totals.measured == report.layers.size();
  KeyFigures figures{
      {{"predicted time", with_prefix(totals.predicted_seconds, "s"), regime_text(report)},
       {"measured time", all ? with_prefix(totals.seconds, "s") : "-",
        all ? regime_text(report)
            : std::to_string(totals.measured) + " of " + std::to_string(report.layers.size()) +
                  " layers measured"},
       {"share of peak", percent(totals.share_of_peak), time_basis(report, totals)},
       {"bytes into " + last_cache(report), with_prefix(totals.bytes, "B"), "cold caches"},
       {"work", with_prefix(totals.flops, "flop"),
        std::to_string(report.layers.size()) + " distinct layers"}}};
  if (const PeerSums& sums = totals.peers; sums.layers > 0)
    figures.figures.push_back(
        {sums.name + " / this plan", fixed(sums.peer_seconds / sums.ours_seconds, 3) + " times",
         with_prefix(sums.peer_seconds, "s") + " / " + with_prefix(sums.ours_seconds, "s") + ", " +
             std::to_string(sums.layers) + " layers"});
  return figures;
}

Section coverage_section(const NetworkReport& report, const NetworkTotals& totals) {
  Section section{"", {Paragraph{covered_text(report.network)}}, true};
  for (const Unplanned& group : report.network.unplanned)
    if (is_operation(group.kind))
      section.blocks.emplace_back(Paragraph{dropped_text(group), Tone::warning});
  if (const std::string rest = not_counted_text(report.network); !rest.empty())
    section.blocks.emplace_back(Paragraph{rest});
  section.blocks.emplace_back(key_figures(report, totals));
  std::string about = std::string("All numbers count each execution of a layer. ") + kPaddingNote;
  if (std::ranges::any_of(report.layers, is_winograd)) about += std::string(" ") + kWinogradNote;
  if (report.layers.front().plan.machine.provenance.calibrated.empty())
    about += std::string(" ") + kAssumedNote;
  if (totals.measured == 0 && !report.times) about += " Nothing was measured.";
  section.blocks.emplace_back(Paragraph{about});
  return section;
}

/// Returns the number of the colour for `bottleneck`: 0 for compute, the level of a cache or 3 if
/// it is higher, and 4 for any other bottleneck.
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
  std::string peer;
  if (layer.peer && layer.peer->ours && layer.peer->peer)
    peer = "\nin pairs: this plan " + with_prefix(layer.peer->ours->median_seconds, "s") + ", " +
           layer.peer->name + " " + with_prefix(layer.peer->peer->median_seconds, "s");
  return report.network.layers[at].name + ": " + to_string(layer.plan.problem) + "\n" +
         with_prefix(bytes_of(layer), "B") + " into " + last.cache +
         " from cold caches; no schedule moves less than " + with_prefix(last.bound_bytes, "B") +
         "\n" + to_string(layer.plan.candidates.front().schedule) + peer;
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

/// Returns the change and its gain without the words of the column's heading: "into L2: 1.05
/// times".
std::string faster_link_text(const LayerReport& layer, const Sensitivity& link) {
  constexpr std::string_view kHeading = "twice the bandwidth ";
  TILEPLAN_CHECK(link.change.starts_with(kHeading), "a link is changed otherwise");
  return link.change.substr(kHeading.size()) + ": " + fixed(gain_of(layer, link), 2) + " times";
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
          {link ? faster_link_text(layer, *link) : "-"}};
}

Section layer_section(const NetworkReport& report, const NetworkTotals& totals) {
  Table table{.id = "layers",
              .headings = {"layer", "executions", "predicted, " + regime_text(report),
                           "measured, " + regime_text(report), "share of time",
                           "bytes into " + last_cache(report) + ", cold caches", "I/O lower bound",
                           "share of peak", "share of roofline", "bottleneck", "one more core",
                           "twice the bandwidth"},
              .sortable = true};
  for (std::size_t i = 0; i < report.layers.size(); ++i)
    table.rows.push_back(layer_row(report, i, totals.seconds));
  return {"Numbers of one execution", {table}, true};
}

/// Returns a section with the times of one execution of each layer by our kernel and by the peer.
Section peers_section(const NetworkReport& report, const NetworkTotals& totals) {
  const std::string& name = totals.peers.name;
  Table table{.id = "peers",
              .headings = {"layer", "executions", "this plan, " + regime_text(report), name,
                           name + " / this plan", "95 % interval", "layout", "without a ratio"},
              .sortable = true};
  const auto seconds = [](const std::optional<Measurement>& measured) {
    return quantity_or_dash(measured ? std::optional(measured->median_seconds) : std::nullopt, "s");
  };
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const PeerTimes& peer = *report.layers[i].peer;
    table.rows.push_back(
        {{report.network.layers[i].name},
         decimals(report.count(i), 0),
         seconds(peer.ours),
         seconds(peer.peer),
         peer.ratio ? decimals(peer.ratio->median, 3) : Cell{"-"},
         {peer.ratio ? fixed(peer.ratio->low, 3) + " to " + fixed(peer.ratio->high, 3) : "-"},
         {peer.layout.empty() ? "-" : peer.layout},
         {peer.disturbed.empty() ? "-" : peer.disturbed}});
  }
  return {"Comparison with " + name,
          {Paragraph{"Both sides computed each layer without its epilogue, in adjacent pairs. A "
                     "ratio above 1 means that this plan is faster."},
           table},
          true};
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
  std::vector<Section> run = run_sections(report);
  document.sections.insert(document.sections.begin() + 1, std::make_move_iterator(run.begin()),
                           std::make_move_iterator(run.end()));
  if (has_peer(report))
    document.sections.insert(document.sections.end() - 3, peers_section(report, totals));
  if (!report.network.unplanned.empty())
    document.sections.push_back(unplanned_section(report.network.unplanned));
  document.sections.push_back(origin_section(plan, origin));
  return document;
}

}  // namespace tileplan
