// SPDX-License-Identifier: Apache-2.0
// Each function whose name ends in _section makes one section, and layer_sections() and
// layer_document() put the sections in the order of the page.
#include "layer_page.h"

#include <algorithm>

#include "algorithm_sections.h"
#include "below_bound.h"
#include "kernel_memory.h"
#include "legend.h"
#include "link.h"
#include "peak.h"
#include "reduction.h"
#include "regime.h"

namespace tileplan {
namespace {

const Prediction& chosen(const LayerReport& report) {
  return report.plan.candidates.front().prediction;
}

KeyFigures key_figures(const LayerReport& report) {
  const Candidate& first = report.plan.candidates.front();
  const std::string regime = in_words(report.plan.options.regime);
  const std::string last = report.explanation.levels.back().cache;
  return {{{"predicted time", with_prefix(first.prediction.seconds, "s"), regime},
           {"measured time",
            first.measurement ? with_prefix(first.measurement->median_seconds, "s") : "-",
            first.measurement ? regime : "not measured"},
           {"share of peak", percent(share_of_peak(report)),
            (first.measurement ? "measured, " : "predicted, ") + regime},
           {"bytes into " + last,
            with_prefix(static_cast<double>(report.explanation.levels.back().moved_bytes()), "B"),
            "cold caches"},
           {"bottleneck", first.prediction.bottleneck, "predicted, " + regime}}};
}

Section summary_section(const LayerReport& report) {
  const Plan& plan = report.plan;
  const Candidate& first = plan.candidates.front();
  // The page tells if the rates of the machine are assumed, because no prediction is more reliable
  // than these rates.
  std::string about =
      to_string(plan.problem) + " is a " + description(plan.problem) + ". It computes " +
      with_prefix(plan.flops, "flop") + " in " + to_string(types_of(plan.problem)) + " on " +
      std::to_string(plan.options.threads) + (plan.options.threads == 1 ? " thread." : " threads.");
  if (plan.machine.provenance.calibrated.empty()) about += std::string(" ") + kAssumedNote;
  std::string time = (first.measurement ? "The measured time with " : "The predicted time with ") +
                     in_words(plan.options.regime) + " means " +
                     with_prefix(plan.flops / seconds_of(report), "flop/s") +
                     ". The microkernels alone are predicted to take " +
                     with_prefix(first.prediction.compute_seconds, "s") + ". " +
                     (is_winograd(report) ? kWinogradNote : kPaddingNote);
  if (!first.measurement && !report.peer)
    time += " Nothing was measured; `--verify 3` measures the best three schedules.";
  return {"", {Paragraph{about}, key_figures(report), Paragraph{time}}, true};
}

Section schedule_section(const LayerReport& report) {
  std::string memory =
      memory_text(memory_of(report.plan, 0, ComputationVariants(report.plan.problem)));
  if (!memory.empty()) memory = " It needs " + memory + ".";
  return {"Schedule",
          {Paragraph{"The first line is the outermost loop, the last one belongs to the register "
                     "tile. While a loop runs, each cache named above it keeps the tiles that its "
                     "line lists."},
           Code{annotated_nest(report)},
           Paragraph{"The same schedule as text is `" +
                     to_string(report.explanation.candidate.schedule) + "`." + memory}}};
}

std::vector<std::string> tensor_names(const LayerReport& report) {
  std::vector<std::string> names;
  for (const TensorAccess& tensor : report.computation.tensors) names.push_back(tensor.name);
  return names;
}

std::vector<double> bytes_of(const LevelExplanation& level) {
  std::vector<double> bytes;
  for (const LevelTensor& tensor : level.tensors)
    bytes.push_back(static_cast<double>(tensor.bytes));
  return bytes;
}

BarChart level_chart(const LayerReport& report, std::size_t index) {
  const LevelExplanation& level = report.explanation.levels[index];
  BarChart chart{"bytes that enter " + level.cache + ", cold caches",
                 "B",
                 tensor_names(report),
                 {{"this schedule", bytes_of(level)},
                  {"I/O lower bound", {0, 0, 0, level.bound_bytes}},
                  {"compulsory", {0, 0, 0, compulsory_bytes(report, index)}}}};
  chart.legend.emplace_back("all together");
  return chart;
}

Table movement_table(const LayerReport& report) {
  const std::string regime = in_words(report.plan.options.regime);
  Table table{.id = "bytes", .headings = tensor_names(report)};
  table.headings.insert(table.headings.begin(), "cache");
  table.headings.insert(table.headings.end(),
                        {"sum, cold caches", "I/O lower bound", "sum divided by bound",
                         "whole lines, " + regime, "time of the link, " + regime});
  for (std::size_t i = 0; i < report.explanation.levels.size(); ++i) {
    const LevelExplanation& level = report.explanation.levels[i];
    const LevelPrediction& link = chosen(report).levels[i];
    std::vector<Cell> row{{"into " + report.explanation.machine.caches[i].name}};
    for (const double bytes : bytes_of(level)) row.push_back(quantity(bytes, "B"));
    row.insert(row.end(), {quantity(static_cast<double>(level.moved_bytes()), "B"),
                           quantity(level.bound_bytes, "B"), decimals(level.distance(), 2),
                           quantity(link.bytes, "B"), quantity(link.seconds, "s")});
    table.rows.push_back(row);
  }
  return table;
}

std::string counting_text(const LayerReport& report) {
  std::string text =
      "The caches are cold at first. Outputs count when they are read and when they are written "
      "back";
  if (report.explanation.candidate.schedule.nontemporal)
    text += "; streamed outputs count only on the link to memory, in the lower bound too";
  text +=
      ". No schedule moves less than the lower bound through a cache of this size. The "
      "compulsory bytes are each tensor once, " +
      with_prefix(compulsory_bytes(report), "B") + ".";
  if (stored_share(report.computation) < 1)
    text +=
        " The bytes and the lower bound include the padding of the input and the weights that "
        "meet it; the whole lines of the prediction do not.";
  if (report.plan.options.threads > 1)
    text +=
        " Bytes and times are of all threads together; the bound treats the caches of a level "
        "as one cache of their joint size.";
  if (report.explanation.candidate.schedule.winograd)
    text +=
        " Except for the compulsory bytes, all bytes are those of the products; the transforms "
        "have rows of their own in the table of stages.";
  return text;
}

Section movement_section(const LayerReport& report) {
  Section section{"Bytes per level and tensor", {Paragraph{counting_text(report)}}, true};
  for (std::size_t i = 0; i < report.explanation.levels.size(); ++i)
    section.blocks.emplace_back(level_chart(report, i));
  section.blocks.emplace_back(movement_table(report));
  return section;
}

/// Adds points for the measured times. The peer's point assumes that each byte is moved once.
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
                    .compulsory = plan.flops / compulsory_bytes(report)};
  const double predicted = plan.flops / chosen(report).seconds;
  for (std::size_t i = 0; i < plan.machine.caches.size(); ++i) {
    const CacheLevel& cache = plan.machine.caches[i];
    if (cache.fill_bytes_per_second > 0)
      roofline.bandwidths.emplace_back(
          "into " + cache.name,
          link_speed(plan.machine, i, plan.options.threads) * cache.fill_bytes_per_second);
    const double intensity =
        plan.flops / static_cast<double>(report.explanation.levels[i].moved_bytes());
    roofline.points.push_back({cache.name, intensity, predicted});
    if (i + 1 == plan.machine.caches.size()) add_measured(roofline, report, intensity);
  }
  roofline.caption =
      "Each square is the plan, over the bytes that enter the cache under it. Each slope is the "
      "bandwidth into that cache" +
      std::string(plan.options.threads > 1 ? ", for all threads together" : "") +
      ". The peak is that of the machine, so a time that was measured at a faster clock may lie "
      "above it. The broken line is the layer itself: at the last cache no schedule is to the "
      "right of it" +
      (report.peer ? ". The peer stands on it, because its bytes are not known." : ".");
  return {"Roofline", {roofline}};
}

std::vector<Cell> times_row(const std::string& side, const std::optional<Measurement>& measured,
                            const Plan& plan) {
  if (!measured) return {{side}, {"-"}, {"-"}, {"-"}, {"-"}};
  return {
      {side},
      quantity(measured->median_seconds, "s"),
      {with_prefix(measured->low_seconds, "s") + " to " + with_prefix(measured->high_seconds, "s")},
      {std::to_string(measured->kept) + " of " + std::to_string(measured->samples)},
      percent_cell(seconds_at_peak(plan, measured) / measured->median_seconds)};
}

Section peer_section(const LayerReport& report) {
  const PeerTimes& peer = *report.peer;
  const std::string layout = peer.layout.empty() ? "" : " in layout " + peer.layout;
  std::string verdict = "There is no ratio: " + peer.disturbed;
  if (peer.ratio)
    verdict = "The time of the peer over ours is " + fixed(peer.ratio->median, 3) +
              " (95 % interval " + fixed(peer.ratio->low, 3) + " to " + fixed(peer.ratio->high, 3) +
              ")";
  return {"Comparison with " + peer.name,
          {Table{"peer",
                 {"side", "time", "95 % interval", "undisturbed samples", "share of peak"},
                 {times_row("this plan", peer.ours, report.plan),
                  times_row(peer.name, peer.peer, report.plan)}},
           Paragraph{peer.name + layout + " chose its implementation " + peer.implementation +
                     ". Both were measured in adjacent pairs with " +
                     in_words(report.plan.options.regime) + ". " + verdict + "."}}};
}

constexpr const char* kOrderOfRanks =
    "Predictions within 3 % of the best are ties. Ties with fewer bytes from beyond L2 come first, "
    "where numbers between the same two powers of two count as equal. Among predictions within "
    "0.5 % of the best, longer sums in registers come first, then more adjacent vectors per store "
    "where a link is the bottleneck, and then fewer loops. Less predicted time decides last. The "
    "list holds only some of similar schedules. Measured schedules precede all others.";

Section candidates_section(const Plan& plan) {
  Table table{.id = "candidates",
              .headings = {"rank", "predicted, " + in_words(plan.options.regime), "measured", "why",
                           "schedule"}};
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const Candidate& each = plan.candidates[i];
    table.rows.push_back(
        {decimals(static_cast<double>(i + 1), 0),
         quantity(each.prediction.seconds, "s"),
         each.measurement ? quantity(each.measurement->median_seconds, "s") : Cell{"-"},
         {reason_of_rank(plan, i)},
         {to_string(each.schedule)}});
  }
  const std::string below = below_bound_text(plan);
  return {"Candidates",
          {table, Paragraph{kOrderOfRanks},
           Paragraph{"The search covered " + plan.certificate.space +
                     ". No schedule of the space is predicted to take less than " +
                     with_prefix(plan.certificate.bound, "s") + "." +
                     (below.empty() ? "" : " Note that " + below + ".")}},
          true};
}

/// Returns a sentence that explains the first T, the first U with a count, and V of `schedule`, as
/// in "T(8,k) is a loop of 8 steps over k, and V(k) is a vector of k."
std::string specifier_words(const Schedule& schedule) {
  std::vector<std::string> phrases;
  const auto add_first = [&](Kind kind, const auto& words) {
    const auto found = std::ranges::find_if(schedule.loops, [&](const Specifier& each) {
      return each.kind == kind && !each.is_lambda() && (kind == Kind::vector || each.count > 0);
    });
    if (found != schedule.loops.end()) phrases.push_back(to_string(*found) + words(*found));
  };
  add_first(Kind::tile, [](const Specifier& loop) {
    return " is a loop of " + std::to_string(loop.count) + " steps over " + loop.dim;
  });
  add_first(Kind::unroll, [](const Specifier& loop) {
    return " stands for " + std::to_string(loop.count) + " steps of " + loop.dim + " in registers";
  });
  add_first(Kind::vector, [](const Specifier& loop) { return " is a vector of " + loop.dim; });
  std::string text;
  for (std::size_t i = 0; i < phrases.size(); ++i)
    text += (i == 0 ? "" : i + 1 == phrases.size() ? ", and " : ", ") + phrases[i];
  return text + ".";
}

/// Returns a section that explains the notation of schedules and the terms of the search.
Section words_section(const Plan& plan) {
  std::string text = plan.certificate.space;
  for (const Candidate& each : plan.candidates) text += " " + to_string(each.schedule);
  Table table{.id = "words", .headings = {"word", "meaning"}};
  for (const auto& [word, meaning] : legend_of(text)) table.rows.push_back({{word}, {meaning}});
  if (table.rows.empty()) return {"Words", {Paragraph{"docs/concepts.md explains all words."}}};
  return {"Words",
          {table, Paragraph{specifier_words(plan.candidates.front().schedule) +
                            " docs/concepts.md explains all words."}}};
}

Section rejected_section(const Plan& plan) {
  if (plan.rejected.empty())
    return {"Rejected schedules", {Paragraph{"No schedule was rejected."}}};
  Table table{.id = "rejected", .headings = {"count", "reason"}};
  for (const Rejected& each : plan.rejected)
    table.rows.push_back({decimals(static_cast<double>(each.count), 0), {each.reason}});
  return {"Rejected schedules", {table}};
}

}  // namespace

Section sensitivity_section(const std::vector<Sensitivity>& changes, double seconds) {
  const bool has_bottlenecks =
      std::any_of(changes.begin(), changes.end(),
                  [](const Sensitivity& each) { return !each.bottleneck.empty(); });
  Table table{.id = "sensitivity", .headings = {"change", "predicted", "times as fast"}};
  if (has_bottlenecks) table.headings.emplace_back("bottleneck");
  for (const Sensitivity& each : changes) {
    table.rows.push_back(
        {{each.change}, quantity(each.seconds, "s"), decimals(seconds / each.seconds, 2)});
    if (has_bottlenecks) table.rows.back().push_back({each.bottleneck});
  }
  return {"If the machine were different",
          {Paragraph{"A new plan was made for each change. The times are compared with " +
                     with_prefix(seconds, "s") + ", the best prediction for the machine itself."},
           table}};
}

Section origin_section(const Plan& plan, const Reproduction& origin) {
  const Machine& machine = plan.machine;
  std::string caches;
  for (const CacheLevel& cache : machine.caches)
    caches += (caches.empty() ? "" : ", ") + cache.name + " " +
              std::to_string(cache.capacity_bytes / 1024) + " KiB";
  return {"Machine and reproduction",
          {Paragraph{machine.name + " has the caches " + caches + ". It runs at " +
                     with_prefix(machine.clock.hertz, "Hz") + " with a peak of " +
                     with_prefix(peak_flops(machine), "flop/s") + " per core. " +
                     (machine.provenance.calibrated.empty()
                          ? "It was not calibrated: rates are estimates"
                          : "It was calibrated: " + machine.provenance.calibrated) +
                     "."},
           Paragraph{"Predictions and measurements are with " + in_words(plan.options.regime) +
                     ", and their times " +
                     (plan.options.weights == WeightsChoice::packed
                          ? "leave out packing of the weights"
                          : "include packing of the weights") +
                     ". " + origin.version + " made this report:"},
           Code{origin.command}},
          true};
}

std::vector<Section> layer_sections(const LayerReport& report) {
  std::vector<Section> sections{summary_section(report), schedule_section(report),
                                roofline_section(report), movement_section(report)};
  for (Section& each : algorithm_sections(report.plan)) sections.push_back(std::move(each));
  if (report.peer) sections.push_back(peer_section(report));
  sections.insert(
      sections.end(),
      {candidates_section(report.plan), words_section(report.plan), rejected_section(report.plan),
       sensitivity_section(report.sensitivity, report.plan.certificate.optimum)});
  return sections;
}

Document layer_document(const LayerReport& report, const Reproduction& origin) {
  Document document{.title = name_of(report.plan.problem) + " on " + report.plan.machine.name,
                    .sections = layer_sections(report)};
  document.sections.push_back(origin_section(report.plan, origin));
  return document;
}

}  // namespace tileplan
