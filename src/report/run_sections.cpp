// SPDX-License-Identifier: Apache-2.0
// This file describes a run by key figures, a timeline, its workspace, and tables of steps and
// conversions, and writes these numbers as JSON too.
#include "run_sections.h"

#include <algorithm>

#include "winograd_text.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

/// Each kind of step is drawn in the colour with its number.
enum StepKind { direct_kernel, winograd_kernel, other_operator, conversion };

const Candidate* choice_of(const NetworkPlan& network, const NetworkStep& step) {
  if (step.layer < 0) return nullptr;
  return &network.layers[static_cast<std::size_t>(step.layer)].plan.candidates.front();
}

StepKind kind_of(const NetworkPlan& network, const NetworkStep& step) {
  if (step.node < 0) return conversion;
  const Candidate* choice = choice_of(network, step);
  if (!choice) return other_operator;
  return choice->schedule.winograd ? winograd_kernel : direct_kernel;
}

const NetworkBuffer* buffer_at(const NetworkPlan& network, int at) {
  return at < 0 ? nullptr : &network.buffers[static_cast<std::size_t>(at)];
}

/// Returns the layouts of the first input and the first output, such as "nhwc to nchw", or "-" if
/// either is missing.
std::string layouts_text(const NetworkPlan& network, const NetworkStep& step) {
  const NetworkBuffer *in = buffer_at(network, step.inputs.empty() ? -1 : step.inputs[0]),
                      *out = buffer_at(network, step.outputs.empty() ? -1 : step.outputs[0]);
  if (!in || !out) return "-";
  return to_string(in->layout) + " to " + to_string(out->layout);
}

/// Returns the bytes of all inputs and outputs of a step.
double tensor_bytes(const NetworkPlan& network, const NetworkStep& step) {
  double bytes = 0;
  for (const auto* list : {&step.inputs, &step.outputs})
    for (const int each : *list)
      if (const NetworkBuffer* buffer = buffer_at(network, each))
        bytes += static_cast<double>(buffer->bytes);
  return bytes;
}

/// Returns the bytes that a step moves over the link into cache `level`. A step in place moves
/// none, and other steps without a kernel count as reading and writing their tensors once.
double level_bytes(const NetworkPlan& network, const NetworkStep& step, std::size_t level) {
  if (step.in_place) return 0;
  const Candidate* choice = choice_of(network, step);
  if (!choice) return tensor_bytes(network, step);
  const auto& levels = choice->prediction.levels;
  return level < levels.size() ? levels[level].bytes : 0;
}

/// Returns the algorithm of a step: "direct", marks such as "winograd=4x4", or "-" without a
/// kernel.
std::string algorithm_of(const NetworkPlan& network, const NetworkStep& step) {
  const Candidate* choice = choice_of(network, step);
  if (!choice) return "-";
  const auto& tiles = choice->schedule.winograd;
  return tiles ? text_of(*tiles).substr(1) : to_string(Algorithm::direct);
}

/// Returns the seconds that the choice of the algorithm and layouts of a step saves in the whole
/// network against the second-best choice, or nothing if no second-best choice is known.
std::optional<double> saved_seconds(const NetworkPlan& network, const NetworkStep& step) {
  if (step.second_best.empty()) return std::nullopt;
  return std::max(0.0, step.second_best_seconds - network.layouts.seconds);
}

std::optional<double> measured_step(const NetworkReport& report, std::size_t s) {
  if (!report.times) return std::nullopt;
  return report.times->step_seconds[s];
}

std::string hint_of(const NetworkStep& step, double seconds) {
  std::string hint = step.name;
  return hint.append(" (").append(step.kind).append("): ").append(with_prefix(seconds, "s"));
}

Timeline timeline_of(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  Timeline timeline{.legend = {{"direct kernel", direct_kernel},
                               {"Winograd kernel", winograd_kernel},
                               {"other operator", other_operator},
                               {"conversion or copy", conversion}},
                    .lanes = {{"predicted", {}}}};
  if (report.times) timeline.lanes.push_back({"measured", {}});
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const NetworkStep& step = network.steps[s];
    const int colour = kind_of(network, step);
    const double predicted = step.in_place ? 0 : step.seconds;
    timeline.lanes[0].second.push_back({hint_of(step, predicted), colour, predicted});
    if (const auto seconds = measured_step(report, s))
      timeline.lanes[1].second.push_back({hint_of(step, *seconds), colour, *seconds});
  }
  std::erase_if(timeline.legend, [&](const auto& entry) {
    return std::ranges::none_of(network.steps, [&](const NetworkStep& step) {
      return kind_of(network, step) == entry.second;
    });
  });
  return timeline;
}

StepCurve arena_curve(const NetworkPlan& network) {
  return {.name = "bytes in use",
          .unit = "B",
          .values = bytes_in_use(network),
          .limits = {{"workspace", static_cast<double>(network.arena.bytes)},
                     {"lower bound", static_cast<double>(network.arena.least_bytes)}}};
}

KeyFigures run_figures(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  const LayoutProof& proof = network.layouts;
  KeyFigures figures{
      {{"predicted run", with_prefix(proof.seconds, "s"),
        "no choices take less than " + with_prefix(proof.bound, "s")},
       {"next best choices",
        proof.runner_up_seconds > 0 ? with_prefix(proof.runner_up_seconds, "s") : "-", "predicted"},
       {"conversions", std::to_string(proof.conversions), "between layouts"},
       {"workspace", with_prefix(static_cast<double>(network.arena.bytes), "B"),
        "one step needs " + with_prefix(static_cast<double>(network.arena.least_bytes), "B")}}};
  if (report.times)
    figures.figures.insert(figures.figures.begin() + 1,
                           {"measured run", with_prefix(report.times->whole.median_seconds, "s"),
                            "one run after another"});
  return figures;
}

Table steps_table(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  Table table{.id = "steps",
              .headings = {"step", "operator", "algorithm", "layouts", "predicted", "measured",
                           "saved against the second best", "second best"},
              .sortable = true};
  for (const CacheLevel& cache : network.machine.caches)
    table.headings.push_back("bytes into " + cache.name);
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const NetworkStep& step = network.steps[s];
    table.rows.push_back({{step.name},
                          {step.in_place ? step.kind + ", in place" : step.kind},
                          {algorithm_of(network, step)},
                          {layouts_text(network, step)},
                          quantity(step.in_place ? 0 : step.seconds, "s"),
                          quantity_or_dash(measured_step(report, s), "s"),
                          quantity_or_dash(saved_seconds(network, step), "s"),
                          {step.second_best.empty() ? "-" : step.second_best}});
    for (std::size_t level = 0; level < network.machine.caches.size(); ++level)
      table.rows.back().push_back(quantity(level_bytes(network, step, level), "B"));
  }
  return table;
}

/// Returns the names of the steps that read the buffer with the number `buffer`, or "the caller" if
/// no step does.
std::string readers_of(const NetworkPlan& network, int buffer) {
  std::string names;
  for (const NetworkStep& step : network.steps)
    if (std::ranges::count(step.inputs, buffer) > 0)
      names += (names.empty() ? "" : ", ") + step.name;
  return names.empty() ? "the caller" : names;
}

std::string writer_of(const NetworkPlan& network, int buffer) {
  for (const NetworkStep& step : network.steps)
    if (std::ranges::count(step.outputs, buffer) > 0) return step.name;
  return "the caller";
}

/// Returns the reason for a conversion or a copy: the step that writes one layout and the steps
/// that read the other, where the caller may take the place of either.
std::string why_converted(const NetworkPlan& network, const NetworkStep& step) {
  std::string why = writer_of(network, step.inputs[0]);
  why.append(" writes ").append(to_string(buffer_at(network, step.inputs[0])->layout));
  why.append("; ").append(readers_of(network, step.outputs[0]));
  return why.append(" reads ").append(to_string(buffer_at(network, step.outputs[0])->layout));
}

Section conversions_section(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  Table table{.id = "conversions",
              .headings = {"tensor", "reason", "bytes", "predicted", "measured"}};
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const NetworkStep& step = network.steps[s];
    if (step.node >= 0) continue;
    table.rows.push_back({{step.name},
                          {why_converted(network, step)},
                          quantity(tensor_bytes(network, step), "B"),
                          quantity(step.in_place ? 0 : step.seconds, "s"),
                          quantity_or_dash(measured_step(report, s), "s")});
  }
  Section section{"Conversions between layouts", {}, true};
  if (table.rows.empty())
    section.blocks.emplace_back(Paragraph{"Every tensor is read in the layout that it has."});
  else
    section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

std::vector<double> bytes_in_use(const NetworkPlan& network) {
  std::vector<double> bytes;
  for (int s = 0; s < static_cast<int>(network.steps.size()); ++s) {
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (const NetworkBuffer& each : network.buffers)
      if (each.place == NetworkBuffer::Place::arena && each.first_step <= s && s <= each.last_step)
        places.emplace_back(each.offset, each.offset + each.bytes);
    std::ranges::sort(places);
    std::int64_t end = 0, all = 0;
    for (const auto& [first, last] : places) {
      all += std::max<std::int64_t>(0, last - std::max(first, end));
      end = std::max(end, last);
    }
    bytes.push_back(static_cast<double>(all));
  }
  return bytes;
}

std::vector<Section> run_sections(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  if (network.steps.empty()) return {};
  Section run{"A run of the network", {run_figures(report)}, true};
  run.blocks.emplace_back(timeline_of(report));
  run.blocks.emplace_back(arena_curve(network));
  Section steps{"Steps of a run",
                {Paragraph{"A choice is an algorithm and the layouts of one step. The second best "
                           "is the best other choice with the best choices of all other steps. "
                           "Steps without a kernel are counted as reading and writing their "
                           "tensors once."},
                 steps_table(report)},
                true};
  return {std::move(run), std::move(steps), conversions_section(report)};
}

Json run_json(const NetworkReport& report) {
  const NetworkPlan& network = report.network;
  if (network.steps.empty()) return Json::object();
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json steps = Json::array();
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    const NetworkStep& step = network.steps[s];
    Json bytes = Json::object();
    for (std::size_t level = 0; level < network.machine.caches.size(); ++level)
      bytes[network.machine.caches[level].name] = level_bytes(network, step, level);
    const Candidate* choice = choice_of(network, step);
    steps.push_back({{"name", step.name},
                     {"kind", step.kind},
                     {"layouts", layouts_text(network, step)},
                     {"schedule", choice ? Json(to_string(choice->schedule)) : Json()},
                     {"in_place", step.in_place},
                     {"predicted_s", step.in_place ? 0 : step.seconds},
                     {"measured_s", number(measured_step(report, s))},
                     {"saved_s", number(saved_seconds(network, step))},
                     {"second_best", step.second_best},
                     {"bytes", bytes}});
    if (step.node < 0) steps.back()["why"] = why_converted(network, step);
  }
  const LayoutProof& proof = network.layouts;
  return {{"choices",
           {{"predicted_s", proof.seconds},
            {"bound_s", proof.bound},
            {"runner_up_s", proof.runner_up_seconds},
            {"conversions", proof.conversions}}},
          {"measured_s", report.times ? Json(report.times->whole.median_seconds) : Json()},
          {"steps", steps},
          {"arena",
           {{"bytes", network.arena.bytes},
            {"least_bytes", network.arena.least_bytes},
            {"in_use", bytes_in_use(network)}}}};
}

}  // namespace tileplan
