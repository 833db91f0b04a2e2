// SPDX-License-Identifier: Apache-2.0
// plan() calls these stages in order:
//   1. prepare_plan() checks the input and adapts the machine to the element types.
//   2. merge_adjacent_dims() and in_strips() describe the problem as loops and accesses.
//      cross_check_footprints() aborts if isl counts other footprints of small boxes than the
//      models.
//   3. search_algorithms() searches loop orders, register tiles and tile sizes, scores schedules by
//      the prediction and bounds all others. Where the options ask for it, it searches Winograd
//      convolutions too or instead. Options::variant replaces all this by the schedules of one
//      variant of the GEMM family, which nothing bounds.
//   4. Without Options::variant, with_widened() and with_amx() also search kernels of other
//      arithmetic where the machine has it for the types.
//   5. keep_best() ranks the scored schedules.
//   6. verify() checks and measures the first of them where the options ask for it.
// TILEPLAN_TRACE=orders,search,combos,winograd,rank,verify prints lines of these names: `orders`
// for the loop orders, `search` after each step of search_schedules(), `combos` for the
// microkernels of this search, `winograd` for the algorithms, `rank` after keep_best() and `verify`
// after verify().
#include "tileplan/plan.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "certificate.h"
#include "computation.h"
#include "cost.h"
#include "cross_check.h"
#include "machine_rules.h"
#include "merge_dims.h"
#include "option_rules.h"
#include "orders.h"
#include "rank.h"
#include "search.h"
#include "stage_trace.h"
#include "strips.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "units.h"
#include "variant_search.h"
#include "winograd_certificate.h"
#include "winograd_cost.h"
#include "winograd_rules.h"
#include "winograd_search.h"

namespace tileplan {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns a plan without candidates. Throws Error for invalid input as plan() does.
Plan prepare_plan(const Problem& problem, const Machine& given, const Options& options) {
  validate(problem);
  const TensorTypes types = types_of(problem);
  check_planned(types);
  check_machine(given, "machine " + given.name);
  Plan result{.problem = problem, .machine = machine_for(given, types), .options = options};
  check_options(options, result.machine, types);
  return result;
}

/// Searches schedules in steps. The first step finds the optimum of the per-level model
/// (docs/concepts.md), which is simpler than the prediction, for tile sizes that divide the
/// extents, unless it visits so many tiles that it is cut short. The other steps are heuristic and
/// only add schedules. Each step scores its schedules by the prediction. The comments name the
/// problem of each example in parentheses.
SearchResults search_schedules(const SearchSpace& space) {
  // The first step finds schedules whose tile sizes divide the extents: [T(2,j), T(16,i), T(8,j),
  // T(64,k), U(16,i), V(j)] (m256n256k64).
  SearchResults found = search_divisor_tiles(space);
  trace_search("divisor_tiles", space, found);
  // Few tiles divide an extent such as 17 vectors, and a cache may hold more than the largest that
  // does. The next step adds tiles of two sizes along one dimension: [L(j,[1*9,1*8]), T(17,i),
  // R(j), T(64,k), U(13,i), V(j)] (m221n272k64).
  found = search_uneven_tiles(space, std::move(found));
  trace_search("uneven_tiles", space, found);
  // Vectors of channels waste lanes if there are few channels, and nchw does not store channels
  // contiguously. The next step adds vectors of pixels: [T(56,hw), T(64,c), U(8,k), V(hw)]
  // in=nchw out=nchw (1x1 taps, 64 to 8 channels, 56x16 pixels).
  found = search_pixel_vectors(space, std::move(found));
  trace_search("pixel_vectors", space, found);
  // Where no size divides either extent, two sizes along one dimension leave small register tiles.
  // The next step adds microkernels of two sizes along one or two dimensions: [L(i,[1*8,7*9]),
  // L(j,[1*3,7*2]), T(64,k), U(i), U(j), V(j)] (m71n272k64).
  found = search_mixed_tilings(space, std::move(found));
  trace_search("mixed_tilings", space, found);
  // Microkernels with slower calls can still make better schedules, because predictions also count
  // idle cores and the time between calls. The next step adds them without tiles for caches:
  // [T(17,i), T(17,j), T(64,k), U(13,i), V(j)] (m221n272k64).
  found = search_untiled_nests(space, std::move(found));
  trace_search("untiled_nests", space, found);
  // Orders that are equal in the per-level model can still differ in the time between calls and in
  // the cache lines that neighbouring tiles share. The last step moves loops of the best schedules
  // as long as the prediction becomes smaller, and tries streaming stores and other layouts of the
  // input with the results.
  found = search_loop_orders(space, std::move(found));
  trace_search("loop_orders", space, found);
  using DimSeconds = std::pair<const Dim, double>;
  trace_stage(
      "combos",
      {{"all", static_cast<double>(found.record.all_combos)},
       {"searched", found.record.divisors.combos},
       {"least_compute_seconds",
        std::ranges::min_element(found.least_compute_seconds, {}, &DimSeconds::second)->second}});
  return found;
}

/// Repeats the search for `machine`, whose vectors are the narrow ones, and marks each schedule
/// with their ISA. The record of this search is dropped: Certificate::per_level and
/// Certificate::space describe the search with wide vectors, except that `space` counts all scored
/// schedules.
Candidates search_narrow_vectors(const SearchSpace& space, const Machine& machine) {
  const SearchSpace narrow{.computation = space.computation,
                           .classes = space.classes,
                           .machine = machine,
                           .options = space.options};
  Candidates found = search_schedules(narrow).candidates;
  for (Candidate& each : found.scored) each.schedule.isa = machine.vector.isa;
  return found;
}

Machine with_cores(Machine machine, int cores) {
  machine.cores = cores;
  return machine;
}

Machine without_narrow_vectors(Machine machine) {
  machine.narrow.reset();
  return machine;
}

/// Returns at most max(top, verify) candidates, as best_first() chooses and orders them. With
/// Algorithm::any, a list of two or more has direct and Winograd schedules, if both were scored.
std::vector<Candidate> keep_best(std::vector<Candidate> scored, const Options& options,
                                 double best_seconds) {
  const auto count = static_cast<double>(scored.size());
  const int wanted = std::max(options.top, options.verify);
  std::vector<Candidate> kept = options.algorithm == Algorithm::any
                                    ? best_of_each_algorithm(std::move(scored), wanted)
                                    : best_first(std::move(scored), wanted);
  trace_stage("rank", {{"scored", count},
                       {"kept", static_cast<double>(kept.size())},
                       {"best_seconds", best_seconds}});
  return kept;
}

/// Searches wide vectors, searches narrow ones too if they are promising, and bounds the result.
/// The bound covers narrow vectors only if they were searched (docs/concepts.md); if they were not,
/// at most an estimate shows that they are slower, and no proof does.
std::pair<Candidates, Certificate> search_and_certify(const SearchSpace& space) {
  SearchResults found = search_schedules(space);
  const std::optional<Machine> narrow =
      promising_narrow_vectors(space, found.candidates.best_seconds);
  if (narrow) found.candidates.add(search_narrow_vectors(space, *narrow));
  const Machine certified = narrow ? space.machine : without_narrow_vectors(space.machine);
  Certificate certificate = certify({.computation = space.computation,
                                     .classes = space.classes,
                                     .machine = certified,
                                     .options = space.options,
                                     .record = found.record,
                                     .combos = found.combos,
                                     .scored = found.candidates.scored});
  return {std::move(found.candidates), std::move(certificate)};
}

std::pair<Candidates, Certificate> search_direct(const Computation& computation,
                                                 const Machine& machine, const Options& options) {
  if (options.weights == WeightsChoice::plain) check_plain_weights(computation);
  const OrderClasses classes = order_classes(computation);
  trace_stage("orders", {{"signatures", classes.signatures},
                         {"classes", static_cast<double>(classes.classes.size())}});
  return search_and_certify(
      {.computation = computation, .classes = classes, .machine = machine, .options = options});
}

/// Searches one variant of the GEMM family. The certificate proves nothing about it.
std::pair<Candidates, Certificate> search_one_variant(const Computation& computation,
                                                      const Machine& machine,
                                                      const Options& options) {
  if (options.weights == WeightsChoice::plain) check_plain_weights(computation);
  const OrderClasses none;
  Candidates found = search_variant(
      {.computation = computation, .classes = none, .machine = machine, .options = options});
  Certificate certificate{
      .space = std::to_string(found.scored.size()) + " schedules of " + to_string(*options.variant),
      .optimum = found.best_seconds,
      .gap = 1};
  for (const Candidate& each : found.scored)
    if (each.prediction.seconds == found.best_seconds)
      certificate.bottleneck = each.prediction.bottleneck;
  return {std::move(found), std::move(certificate)};
}

/// Searches the variant of the options alone, or their algorithms. Without direct schedules, the
/// certificate is about Winograd convolutions alone. If no Winograd convolution is possible with an
/// error that the options allow, the function throws Error with the reason for Algorithm::winograd,
/// and counts the reason as a rejection for Algorithm::any.
std::pair<Candidates, Certificate> search_algorithms(const Problem& problem,
                                                     const Computation& computation,
                                                     const Machine& machine,
                                                     const Options& options) {
  if (options.variant) return search_one_variant(computation, machine, options);
  if (options.algorithm == Algorithm::direct) return search_direct(computation, machine, options);
  const bool is_alone = options.algorithm == Algorithm::winograd;
  Candidates candidates;
  Certificate certificate;
  if (!is_alone) std::tie(candidates, certificate) = search_direct(computation, machine, options);
  std::string why_not = why_no_winograd(problem);
  WinogradResults found;
  if (why_not.empty()) {
    found = search_winograd(problem, computation, machine, options, candidates.best_seconds);
    if (found.algorithms.empty()) why_not = why_error_too_large(problem, options);
  }
  if (!why_not.empty()) {
    if (is_alone) throw Error("algorithm: winograd, but " + why_not);
    ++candidates.reasons["winograd: " + why_not];
    return {std::move(candidates), std::move(certificate)};
  }
  trace_stage("winograd", {{"algorithms", static_cast<double>(found.algorithms.size())},
                           {"choices", static_cast<double>(found.choices)},
                           {"predicted", static_cast<double>(found.predicted)},
                           {"best_seconds", found.candidates.best_seconds}});
  certificate = with_winograd(std::move(certificate), found);
  candidates.add(std::move(found.candidates));
  return {std::move(candidates), std::move(certificate)};
}

using SearchOutcome = std::pair<Candidates, Certificate>;

/// Adds `others`, the results for other arithmetic, which `label` names. The bound is the smaller
/// of the two.
void add_results(SearchOutcome& found, SearchOutcome others, const std::string& label) {
  Certificate& whole = found.second;
  const Certificate& certificate = others.second;
  whole.space += "; " + label + ": " + certificate.space;
  whole.nodes += certificate.nodes;
  whole.bound = std::min(whole.bound, certificate.bound);
  if (certificate.optimum < whole.optimum) {
    whole.optimum = certificate.optimum;
    whole.bottleneck = certificate.bottleneck;
    whole.per_level = certificate.per_level;
    whole.divisibility = certificate.divisibility;
  }
  whole.gap = (whole.optimum - whole.bound) / whole.optimum;
  found.first.add(std::move(others.first));
}

/// Returns the computation of the loops on `machine`, whose instructions multiply strips of
/// `elements`.
Computation loops_on(const Machine& machine, const Computation& elements) {
  Computation loops = in_strips(elements, loop_types(types_of(elements.problem), machine.vector));
  // The process aborts if isl counts other footprints of small boxes than the models.
  cross_check_footprints(loops);
  return loops;
}

/// Returns `found`, the results for vdpbf16ps, together with those for widened bf16. Kernels for
/// widened bf16 compute fewer products per instruction, but their instructions may be faster.
SearchOutcome with_widened(SearchOutcome found, const Computation& elements, const Machine& machine,
                           const Options& options) {
  const Machine widened = with_widened_bf16(machine);
  SearchOutcome others = search_direct(loops_on(widened, elements), widened, options);
  for (Candidate& each : others.first.scored) each.schedule.widen = true;
  add_results(found, std::move(others), "widened");
  return found;
}

/// Returns `found`, the results for vectors, together with the results for tiles of AMX. Tiles
/// cannot multiply vectors of the input, which depthwise convolutions need. Certificate::algorithms
/// needs no entry, because Winograd convolutions have no types that tiles multiply. Schedule::isa
/// can be set for all results, because nothing else sets it on a machine without narrow vectors.
SearchOutcome with_amx(SearchOutcome found, const Computation& elements, const Machine& machine,
                       const Options& options) {
  const Machine amx = with_tile_unit(machine);
  const Computation computation = loops_on(amx, elements);
  const Dim vectorised = vectorised_dim(computation, amx.vector.lanes);
  if (is_present(computation.tensor(Operand::input), vectorised)) return found;
  SearchOutcome others = search_direct(computation, amx, options);
  for (Candidate& each : others.first.scored) each.schedule.isa = amx.vector.isa;
  add_results(found, std::move(others), "tiles of amx");
  return found;
}

/// Fills Prediction::bound_bytes of direct schedules. The bound depends on the strips that the unit
/// of a schedule multiplies. The search for Winograd schedules has filled the field of these.
void add_bound_bytes(std::vector<Candidate>& candidates, const Computation& elements,
                     const Machine& machine) {
  const TensorTypes types = types_of(elements.problem);
  for (Candidate& each : candidates)
    if (!each.schedule.winograd) {
      const LoopTypes own = loop_types(types, unit_of(each.schedule, machine));
      each.prediction.bound_bytes = bound_bytes(in_strips(elements, own), machine);
    }
}

/// Holds the results of the search before they are ranked. The plan has no candidates yet.
struct ScoredPlan {
  Plan plan;
  Computation elements;
  Machine machine;  ///< The machine has only the cores that a schedule may use.
  std::vector<Candidate> scored = {};
};

ScoredPlan score_schedules(const Problem& problem, const Machine& given, const Options& options) {
  Plan result = prepare_plan(problem, given, options);
  const Machine machine = with_cores(result.machine, options.threads);
  // Rows and columns of a 1 x 1 layer become one dimension, so that register tiles may cross rows.
  const Computation elements = merge_adjacent_dims(computation_of(problem));
  const Computation computation = loops_on(machine, elements);
  SearchOutcome found = search_algorithms(problem, computation, machine, options);
  if (may_widen(machine.vector) && !options.variant)
    found = with_widened(std::move(found), elements, machine, options);
  // The variants of the GEMM family have kernels for vectors only.
  if (machine.tiles && uses_tiles(machine.tiles->arithmetic) && !options.variant)
    found = with_amx(std::move(found), elements, machine, options);
  auto& [candidates, certificate] = found;
  if (candidates.scored.empty()) throw Error(candidates.why_empty(problem));
  result.certificate = std::move(certificate);
  result.flops = flops(elements);
  result.rejected = candidates.rejected_reasons();
  return {std::move(result), elements, machine, std::move(candidates.scored)};
}

Plan list_best(ScoredPlan found, const Options& options) {
  Plan& result = found.plan;
  result.candidates = keep_best(std::move(found.scored), options, result.certificate.optimum);
  add_bound_bytes(result.candidates, found.elements, found.machine);
  return std::move(result);
}

}  // namespace

Plan plan(const Problem& problem, const Machine& given, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = list_best(score_schedules(problem, given, options), options);
  result.plan_seconds = seconds_since(start);
  return options.verify > 0 ? verify(std::move(result)) : result;
}

PlanWithRivals plan_with_rivals(const Problem& problem, const Machine& given,
                                const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  ScoredPlan found = score_schedules(problem, given, options);
  std::vector<Candidate> rivals = found.scored;
  std::erase_if(rivals, [](const Candidate& each) { return each.schedule.winograd.has_value(); });
  rivals = best_first(std::move(rivals), std::numeric_limits<int>::max());
  Plan result = list_best(std::move(found), options);
  result.plan_seconds = seconds_since(start);
  return {options.verify > 0 ? verify(std::move(result)) : result, std::move(rivals)};
}

Plan plan_of(const Problem& problem, const Machine& given, const Schedule& schedule,
             const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = prepare_plan(problem, given, options);
  if (schedule.takes_plain_weights()) result.options.weights = WeightsChoice::plain;
  const Machine machine =
      with_cores(machine_for_schedule(schedule, result.machine), options.threads);
  const Prediction prediction = predict_schedule(problem, schedule, machine, rules_of(options));
  result.flops = flops(computation_of(problem));
  result.candidates = {{.schedule = schedule, .prediction = prediction}};
  result.certificate = {.space = "one schedule, given",
                        .optimum = prediction.seconds,
                        .bottleneck = prediction.bottleneck,
                        // Nothing is proven: the bound is 0, so the gap is 100 %.
                        .gap = 1};
  result.plan_seconds = seconds_since(start);
  return result;
}

}  // namespace tileplan
