// SPDX-License-Identifier: Apache-2.0
// One function per section, in the order of the page.
#include "layer_page.h"

#include <algorithm>

#include "capacity.h"
#include "layer_text.h"
#include "reduction.h"
#include "regime.h"

namespace tileplan {

namespace {

const Prediction& chosen(const LayerReport& report) {
  return report.plan.candidates.front().prediction;
}

Section summary_section(const LayerReport& report) {
  const Plan& plan = report.plan;
  const Prediction& prediction = chosen(report);
  const Candidate& first = plan.candidates.front();
  std::string time = "Predicted " + with_prefix(prediction.seconds, "s");
  if (first.measurement)
    time += ", measured with " + std::string(in_words(plan.options.regime)) + ' ' +
            with_prefix(first.measurement->median_seconds, "s");
  time += ": " + with_prefix(plan.flops / seconds_of(report), "flop/s") + ", " +
          fixed(100 * share_of_peak(report), 1) + " % of peak. Limited by " +
          prediction.bottleneck + "; the microkernels alone take " +
          with_prefix(prediction.compute_seconds, "s") + ". " + kPaddingNote;
  if (!first.measurement && !report.peer) time += " Nothing was measured.";
  return {.title = "",
          .blocks = {
              Paragraph{to_string(plan.problem) + ": " + description(plan.problem) + "; " +
                        with_prefix(plan.flops, "flop") + ", " + to_string(type_of(plan.problem)) +
                        ", on " + std::to_string(plan.options.threads) +
                        (plan.options.threads == 1 ? " thread." : " threads.")},
              Paragraph{time}}};
}

Section schedule_section(const LayerReport& report) {
  return {.title = "Schedule",
          .blocks = {Paragraph{"Loops from the outermost to the register tile. A cache keeps the "
                               "tiles named above a loop while that loop and all inside it run."},
                     Code{annotated_nest(report)},
                     Paragraph{"As text: " + to_string(report.explanation.candidate.schedule)}}};
}

std::vector<std::string> tensor_names(const LayerReport& report) {
  std::vector<std::string> names;
  for (const TensorAccess& tensor : report.explanation.computation.tensors)
    names.push_back(tensor.name);
  return names;
}

BarChart level_chart(const LayerReport& report, std::size_t index) {
  const LevelExplanation& level = report.explanation.levels[index];
  Bar moved{.name = "this schedule", .parts = {}};
  for (const std::int64_t bytes : level.moved_bytes.values)
    moved.parts.push_back(static_cast<double>(bytes));
  BarChart chart{
      .axis = "bytes that enter " + report.explanation.machine.caches[index].name,
      .unit = "B",
      .legend = tensor_names(report),
      .bars = {moved,
               {.name = "I/O lower bound", .parts = {0, 0, 0, level.bound_bytes}},
               {.name = "compulsory", .parts = {0, 0, 0, compulsory_bytes(report, index)}}}};
  chart.legend.emplace_back("all together");
  return chart;
}

Table movement_table(const LayerReport& report) {
  Table table{.id = "bytes", .headings = {"cache"}, .rows = {}};
  for (const std::string& name : tensor_names(report)) table.headings.push_back(name);
  table.headings.insert(table.headings.end(), {"sum", "I/O lower bound", "sum over bound",
                                               "whole lines, hot caches", "time of the link"});
  for (std::size_t i = 0; i < report.explanation.levels.size(); ++i) {
    const LevelExplanation& level = report.explanation.levels[i];
    std::vector<Cell> row{{.text = "into " + report.explanation.machine.caches[i].name}};
    for (const std::int64_t bytes : level.moved_bytes.values)
      row.push_back(quantity(static_cast<double>(bytes), "B"));
    row.push_back(quantity(static_cast<double>(level.all_moved_bytes()), "B"));
    row.push_back(quantity(level.bound_bytes, "B"));
    row.push_back({.text = fixed(level.distance(), 2), .value = level.distance()});
    row.push_back(quantity(chosen(report).levels[i].bytes, "B"));
    row.push_back(quantity(chosen(report).levels[i].seconds, "s"));
    table.rows.push_back(row);
  }
  return table;
}

/// What `nt` does to the outputs, if the schedule has it.
std::string streamed_text(const LayerReport& report) {
  return report.explanation.candidate.schedule.nontemporal
             ? ", but when they are streamed only on the link to memory, in the lower bound too"
             : "";
}

/// Whose bytes are counted, where that is a question.
std::string threads_text(const LayerReport& report) {
  return report.plan.options.threads > 1
             ? " Bytes and times are of all threads together; in the bound their private caches "
               "are one of their joint size."
             : "";
}

/// What counts padding, where there is any.
std::string padding_text(const LayerReport& report) {
  return stored_share(report.explanation.computation) < 1
             ? " These and the lower bound count the padding of the input and the weights that "
               "meet "
               "it; the whole lines of the prediction do not."
             : "";
}

Section movement_section(const LayerReport& report) {
  Section section{
      .title = "Bytes per level and tensor",
      .blocks = {Paragraph{
          "From cold caches, outputs counted when they are read and when they are written back" +
          streamed_text(report) +
          ". No schedule moves less than the lower bound through a cache of this size; compulsory "
          "is each array once, " +
          with_prefix(compulsory_bytes(report), "B") + "." + padding_text(report) +
          threads_text(report)}}};
  for (std::size_t i = 0; i < report.explanation.levels.size(); ++i)
    section.blocks.emplace_back(level_chart(report, i));
  section.blocks.emplace_back(movement_table(report));
  return section;
}

/// Of the last cache. What the peer moves is not known, so it stands where each byte crosses once.
void add_measured(Roofline& roofline, const LayerReport& report, double intensity) {
  const double flops = report.plan.flops;
  std::optional<Measurement> ours = report.plan.candidates.front().measurement;
  if (report.peer && report.peer->ours) ours = report.peer->ours;
  if (ours) roofline.points.push_back({"measured", intensity, flops / ours->median_seconds});
  if (report.peer && report.peer->peer)
    roofline.points.push_back(
        {report.peer->name, roofline.compulsory, flops / report.peer->peer->median_seconds});
}

Section roofline_section(const LayerReport& report) {
  const Plan& plan = report.plan;
  Roofline roofline{.peak = plan.options.threads * peak_flops(plan.machine),
                    .bandwidths = {},
                    .points = {},
                    .compulsory = plan.flops / compulsory_bytes(report)};
  const double predicted = plan.flops / chosen(report).seconds;
  for (std::size_t i = 0; i < plan.machine.caches.size(); ++i) {
    const CacheLevel& cache = plan.machine.caches[i];
    const int caches = caches_of(cache, plan.options.threads);
    if (cache.fill_bytes_per_second > 0)
      roofline.bandwidths.emplace_back("into " + cache.name, caches * cache.fill_bytes_per_second);
    const double intensity =
        plan.flops / static_cast<double>(report.explanation.levels[i].all_moved_bytes());
    roofline.points.push_back({cache.name, intensity, predicted});
    if (i + 1 == plan.machine.caches.size()) add_measured(roofline, report, intensity);
  }
  roofline.caption =
      "Each square is the plan, over the bytes that enter the cache under it; each slope is the "
      "bandwidth into that cache" +
      std::string(plan.options.threads > 1 ? ", of private ones that of all threads together"
                                           : "") +
      ". The broken line is the layer itself: no schedule is to the right of it at the last cache" +
      (report.peer ? "; the peer, whose bytes are not known, stands on it." : ".");
  return {.title = "Roofline", .blocks = {roofline}};
}

std::vector<Cell> times_row(const std::string& side, const std::optional<Measurement>& measured,
                            double flops_at_peak) {
  if (!measured)
    return {{.text = side}, {.text = "-"}, {.text = "-"}, {.text = "-"}, {.text = "-"}};
  const double share = flops_at_peak / measured->median_seconds;
  return {{.text = side},
          quantity(measured->median_seconds, "s"),
          {.text = with_prefix(measured->low_seconds, "s") + " to " +
                   with_prefix(measured->high_seconds, "s")},
          {.text = std::to_string(measured->kept) + " of " + std::to_string(measured->samples)},
          {.text = fixed(100 * share, 1) + " %", .value = share}};
}

Section peer_section(const LayerReport& report) {
  const PeerTimes& peer = *report.peer;
  const double at_peak =
      report.plan.flops / report.plan.options.threads / peak_flops(report.plan.machine);
  const std::string layout = peer.layout.empty() ? "" : ", layout " + peer.layout;
  std::string verdict = "no ratio: " + peer.disturbed;
  if (peer.ratio)
    verdict = "time of the peer over ours " + fixed(peer.ratio->median, 3) + " (95 % interval " +
              fixed(peer.ratio->low, 3) + " to " + fixed(peer.ratio->high, 3) + ")";
  return {.title = "Beside " + peer.name,
          .blocks = {Table{.id = "peer",
                           .headings = {"side", "time", "95 % interval", "undisturbed samples",
                                        "share of peak"},
                           .rows = {times_row("this plan", peer.ours, at_peak),
                                    times_row(peer.name, peer.peer, at_peak)}},
                     Paragraph{peer.name + layout + ", " + peer.implementation +
                               ". Measured in adjacent pairs, " +
                               in_words(report.plan.options.regime) + "; " + verdict + "."}}};
}

Section candidates_section(const LayerReport& report) {
  const Plan& plan = report.plan;
  Table table{.id = "candidates",
              .headings = {"rank", "predicted", "measured", "why", "schedule"},
              .rows = {}};
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const Candidate& each = plan.candidates[i];
    const auto rank = static_cast<double>(i + 1);
    table.rows.push_back(
        {{.text = fixed(rank, 0), .value = rank},
         quantity(each.prediction.seconds, "s"),
         each.measurement ? quantity(each.measurement->median_seconds, "s") : Cell{.text = "-"},
         {.text = reason_of_rank(plan, i)},
         {.text = to_string(each.schedule)}});
  }
  const Certificate& certificate = plan.certificate;
  return {.title = "Candidates",
          .blocks = {table, Paragraph{"Searched: " + certificate.space + ". No schedule of the " +
                                      "problem is predicted below " +
                                      with_prefix(certificate.bound, "s") + "."}}};
}

Section rejected_section(const Plan& plan) {
  Section section{.title = "Rejected", .blocks = {}};
  if (plan.rejected.empty()) {
    section.blocks.emplace_back(Paragraph{"Nothing was rejected."});
    return section;
  }
  Table table{.id = "rejected", .headings = {"count", "reason"}, .rows = {}};
  for (const Rejected& each : plan.rejected)
    table.rows.push_back(
        {{.text = std::to_string(each.count), .value = static_cast<double>(each.count)},
         {.text = each.reason}});
  section.blocks.emplace_back(table);
  return section;
}

Section sensitivity_section(const LayerReport& report) {
  Table table{.id = "sensitivity",
              .headings = {"change", "predicted", "times as fast", "limited by"},
              .rows = {}};
  for (const Sensitivity& each : report.sensitivity) {
    const double gain = report.plan.certificate.optimum / each.seconds;
    table.rows.push_back({{.text = each.change},
                          quantity(each.seconds, "s"),
                          {.text = fixed(gain, 2), .value = gain},
                          {.text = each.bottleneck}});
  }
  return {.title = "If the machine were different",
          .blocks = {Paragraph{"Planned anew for each change; compared with the best prediction of "
                               "the search, " +
                               with_prefix(report.plan.certificate.optimum, "s") + "."},
                     table}};
}

}  // namespace

Section origin_section(const Plan& plan, const Provenance& provenance) {
  constexpr std::int64_t kKibi = 1024;
  const Machine& machine = plan.machine;
  std::string caches;
  for (const CacheLevel& cache : machine.caches)
    caches += (caches.empty() ? "" : ", ") + cache.name + " " +
              std::to_string(cache.capacity_bytes / kKibi) + " KiB";
  return {
      .title = "Machine and reproduction",
      .blocks = {
          Paragraph{machine.name + ": " + caches + "; " + with_prefix(machine.hertz, "Hz") + ", " +
                    with_prefix(peak_flops(machine), "flop/s") + " per core. " +
                    (machine.calibrated.empty() ? "Not calibrated: rates are estimates"
                                                : "Calibrated: " + machine.calibrated) +
                    "."},
          Paragraph{"Predictions are for hot caches; measurements, if any, with " +
                    std::string(in_words(plan.options.regime)) + ". " + provenance.version + "."},
          Code{provenance.command}}};
}

Document layer_document(const LayerReport& report, const Provenance& provenance) {
  Document document{.title = name_of(report.plan.problem) + " on " + report.plan.machine.name,
                    .sections = {summary_section(report), schedule_section(report),
                                 movement_section(report), roofline_section(report)}};
  if (report.peer) document.sections.push_back(peer_section(report));
  document.sections.insert(document.sections.end(),
                           {candidates_section(report), rejected_section(report.plan),
                            sensitivity_section(report), origin_section(report.plan, provenance)});
  return document;
}

std::string layer_csv(const LayerReport& report) {
  const Explanation& explanation = report.explanation;
  std::string text = "problem,cache,tensor,footprint_elements,moved_bytes\n";
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    for (std::size_t t = 0; t < explanation.computation.tensors.size(); ++t)
      text += to_string(report.plan.problem) + ',' + explanation.machine.caches[i].name + ',' +
              explanation.computation.tensors[t].name + ',' +
              std::to_string(explanation.levels[i].footprints.values[t]) + ',' +
              std::to_string(explanation.levels[i].moved_bytes.values[t]) + '\n';
  return text;
}

}  // namespace tileplan
