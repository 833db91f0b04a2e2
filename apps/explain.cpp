// SPDX-License-Identifier: Apache-2.0
// `tileplan explain` shows one schedule level by level.
#include "explain.h"

#include <iostream>

#include "documents.h"
#include "flags.h"
#include "reduction.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr double kMeasureBudget = 2;  // seconds

constexpr const char* kWhoseNumbers =
    "Boxes, footprints and capacities are those of one cache. Movement, bounds, links and times "
    "are those of all threads together. The microkernels are those of one core that makes all "
    "calls.\n\n";

constexpr const char* kPadding =
    "Footprints, movement and bounds count padding and the weights that meet it; links do not."
    "\n\n";

struct Flags : PlanFlags {
  std::string schedule;
  bool measure = false;
};

/// Returns a text like "k32 c64 h7", without dims of size 1.
std::string box_text(const Computation& computation, const Tile& box) {
  std::string text;
  for (int d = 0; d < computation.dims(); ++d)
    if (box[Dim{d}] != 1)
      text += (text.empty() ? "" : " ") + computation.name(Dim{d}) + std::to_string(box[Dim{d}]);
  return text.empty() ? "one iteration" : text;
}

Json box_document(const Computation& computation, const Tile& box) {
  Json document = Json::object();
  for (int d = 0; d < computation.dims(); ++d) document[computation.name(Dim{d})] = box[Dim{d}];
  return document;
}

void add_level(Json& document, const Computation& computation, const LevelExplanation& level) {
  document["cut"] = box_document(computation, level.cut);
  document["footprint"] = level.footprint();
  document["footprints"] = per_tensor(computation, level.footprints);
  document["required"] = level.required;
  document["capacity"] = level.capacity;
  document["holds_cut"] = level.holds_cut;
  document["holds_problem"] = level.holds_problem;
  document["slowness"] = level.slowness;
  document["limit"] = level.limit.empty() ? Json() : Json(level.limit);
  document["volumes"] = per_tensor(computation, level.volumes);
  document["volume_bytes"] = per_tensor(computation, level.moved_bytes);
  document["bound"] = level.bound.bound;
  document["distance"] = level.distance();
}

Json explain_document(const Explanation& explanation) {
  const Computation& computation = explanation.computation;
  Json document = candidate_document(explanation.candidate, 1);
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    add_level(document["levels"][i], computation, explanation.levels[i]);
  document["problem"] = to_string(computation.problem);
  document["machine"] = explanation.machine.name;
  document["calibrated"] = !explanation.machine.provenance.calibrated.empty();
  document["threads"] = explanation.machine.cores;
  Json calls = Json::array();
  for (const BranchCompute& one : explanation.compute)
    calls.push_back({{"pixels", one.tile.pixels},
                     {"vectors", one.tile.vectors},
                     {"calls", one.calls.calls},
                     {"steps", one.calls.steps},
                     {"cycles_per_step", one.rate.cycles_per_step},
                     {"cycles_per_call", one.rate.cycles_per_call},
                     {"call_cycles", one.call_cycles},
                     {"run_cycles", one.run_cycles},
                     {"dispatch_cycles", one.dispatch_cycles},
                     {"cycles", one.cycles()}});
  document["compute"] = calls;
  document["repack"] = repack_document(explanation.repack);
  document["peak_s"] = explanation.peak_seconds;
  document["rejected"] = explanation.rejected;
  return document;
}

std::string movement_table(const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows{
      {"level", "tensor", "footprint, elements", "movement, elements", "movement, bytes"}};
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    for (std::size_t t = 0; t < explanation.computation.tensors.size(); ++t)
      rows.push_back({explanation.machine.caches[i].name, explanation.computation.tensors[t].name,
                      std::to_string(explanation.levels[i].footprints.values[t]),
                      std::to_string(explanation.levels[i].volumes.values[t]),
                      std::to_string(explanation.levels[i].moved_bytes.values[t])});
  return aligned(rows);
}

std::string level_table(const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows{{"level", "footprint, elements", "with the next tile",
                                              "capacity, elements", "lower bound, elements",
                                              "distance", "link, bytes", "time"}};
  for (std::size_t i = 0; i < explanation.levels.size(); ++i) {
    const LevelExplanation& level = explanation.levels[i];
    const LevelPrediction& link = explanation.candidate.prediction.levels[i];
    rows.push_back({link.name, std::to_string(level.footprint()), std::to_string(level.required),
                    std::to_string(level.capacity), formatted("%.0f", level.bound.bound),
                    formatted("%.2f", level.distance()), formatted("%.0f", link.bytes),
                    format_seconds(link.seconds)});
  }
  return aligned(rows);
}

std::string holding_text(const Explanation& explanation) {
  std::string text;
  for (std::size_t i = 0; i < explanation.levels.size(); ++i) {
    const LevelExplanation& level = explanation.levels[i];
    text += explanation.machine.caches[i].name + (level.holds_cut ? " holds " : " cannot hold ") +
            box_text(explanation.computation, level.cut);
    if (!level.limit.empty()) text += "; " + level.limit;
    if (level.holds_problem)
      text += "; all arrays fit, so hot caches leave the link idle";
    else if (level.slowness > 1)
      text += "; input lines arrive one by one, which takes the link " +
              formatted("%.1f", level.slowness) + " times as long";
    text += '\n';
  }
  return text;
}

std::string compute_table(const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows{
      {"microkernel, pixels x vectors", "calls", "steps per call", "cycles per step",
       "cycles per call", "all calls", "between runs", "dispatches", "cycles"}};
  for (const BranchCompute& one : explanation.compute)
    rows.push_back({std::to_string(one.tile.pixels) + " x " + std::to_string(one.tile.vectors),
                    formatted("%.0f", one.calls.calls), formatted("%.0f", one.calls.steps),
                    formatted("%.2f", one.rate.cycles_per_step),
                    formatted("%.1f", one.rate.cycles_per_call), formatted("%.0f", one.call_cycles),
                    formatted("%.0f", one.run_cycles), formatted("%.0f", one.dispatch_cycles),
                    formatted("%.0f", one.cycles())});
  return aligned(rows);
}

/// Shows equation (T), first the overlapped times and then those that nothing hides.
std::string sum_text(const Prediction& prediction) {
  const Unhidden& unhidden = prediction.unhidden;
  std::string text = "predicted " + format_seconds(prediction.seconds) + " = " +
                     format_seconds(prediction.seconds - unhidden.sum()) + " (" +
                     format_seconds(prediction.compute_seconds) +
                     " of computing, overlapped with the links)";
  const auto add = [&](double seconds, const char* what) {
    if (seconds > 0) text += " + " + format_seconds(seconds) + " of " + what;
  };
  add(unhidden.exposed, "traffic that computing does not hide");
  add(unhidden.packing, "packing");
  add(unhidden.repack, "repacking");
  add(unhidden.fork, "starting threads");
  add(unhidden.prefetching, "issuing prefetches while a link is busy");
  return text;
}

void print_text(const Explanation& explanation) {
  const Candidate& candidate = explanation.candidate;
  const Prediction& prediction = candidate.prediction;
  const auto& measured = candidate.measurement;
  const double seconds = measured ? measured->median_seconds : prediction.seconds;
  std::cout << name_of(explanation.computation.problem) << " on " << explanation.machine.name
            << ", " << threads_text(explanation.machine.cores)
            << ", hot caches: " << to_string(candidate.schedule) << "\n\n"
            << (explanation.machine.cores > 1 ? kWhoseNumbers : "")
            << (stored_share(explanation.computation) < 1 ? kPadding : "")
            << holding_text(explanation) << '\n'
            << level_table(explanation) << '\n'
            << movement_table(explanation) << '\n'
            << compute_table(explanation) << '\n'
            << sum_text(prediction) << "\nbottleneck " << prediction.bottleneck << ", measured "
            << time_text(measured) << ", "
            << formatted("%.1f", 100 * explanation.peak_seconds / seconds) << " % of peak\n"
            << repack_text(explanation.repack);
  for (const std::string& reason : explanation.rejected)
    std::cout << "rejected: " << reason << '\n';
}

/// Checks and times the kernel. Returns false, with a rejection, when an output is wrong.
bool measure_on_host(Explanation& explanation) {
  const Kernel kernel =
      compile(plan_of(explanation.computation.problem, explanation.machine,
                      explanation.candidate.schedule, {.threads = explanation.machine.cores}));
  const Check check = check_kernel(kernel);
  if (check.passed())
    explanation.candidate.measurement = measure(kernel, kMeasureBudget);
  else
    explanation.rejected.push_back(mismatch_text(check));
  return check.passed();
}

}  // namespace

void add_explain(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand(
      "explain", "Show what each cache holds and moves under a schedule, with bounds and times.");
  add_problem(*verb, flags->problem)->required();
  verb->add_option("schedule", flags->schedule,
                   "The schedule is written as plan prints it: '[...] in=nhwc out=nhwc'.")
      ->required();
  add_flags(*verb, *flags, {"--machine", "--threads", "--json"});
  verb->add_flag("--measure", flags->measure,
                 "Compile the schedule, check it and time it on this machine.");
  verb->callback([flags, &status] {
    const Problem problem = parse_problem(flags->problem);
    const Schedule schedule = parse_schedule(flags->schedule);
    Machine machine = machine_of(*flags);
    require_threads(flags->threads, machine);
    if (flags->measure) require_host(machine, "--measure");
    machine.cores = flags->threads;
    Explanation explanation = explain(problem, machine, schedule);
    print_machine_notes(explanation.machine);
    const bool right = !flags->measure || measure_on_host(explanation);
    flags->json ? print_json(explain_document(explanation)) : print_text(explanation);
    status = right ? Status::good : Status::no;
  });
}

}  // namespace tileplan
