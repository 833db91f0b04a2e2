// SPDX-License-Identifier: Apache-2.0
// This file resolves each schedule once and then predicts it in every layout.
#include "expand_schedules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "block_splits.h"
#include "branches.h"
#include "compute.h"
#include "conflicts.h"
#include "layout_feasibility.h"
#include "link.h"
#include "packing.h"
#include "parallel.h"
#include "prefetches.h"
#include "repack.h"
#include "streaming.h"
#include "untiled_nests.h"

namespace tileplan {
namespace {

/// Schedules whose prediction exceeds this multiple of the best one so far are rarely measured, so
/// they get no variants that only a measurement can compare.
constexpr double kMeasurable = 1.05;

/// Limits the schedules per kernel combination that expand_schedules() also tries with all
/// reductions innermost. The first few differ most, and each schedule costs several predictions per
/// layout.
constexpr std::size_t kSunk = 4;

/// Scores each schedule once in every layout and parallel variant.
class CandidateScorer {
 public:
  CandidateScorer(Candidates& candidates, const SearchContext& context)
      : candidates_(candidates),
        context_(context),
        costs_(context.computation, context.machine, context.options),
        layouts_(layouts_of(context.computation, context.options.layout, context.machine.vector,
                            context.kernels.vectorised)) {}

  Schedule schedule(const PerLevelSchedule& per_level) const {
    return to_schedule(context_.computation, context_.kernels, context_.classes, per_level,
                       context_.machine.vector.lanes);
  }

  void score(const Schedule& found) {
    if (context_.options.weights == WeightsChoice::packed) return score_form(found);
    for (const Schedule& form :
         plain_weights_forms(context_.computation, context_.machine.vector, found))
      score_form(form);
  }

  void score_form(const Schedule& found) {
    for (const Schedule& form :
         with_parallel_forms(context_.computation, found, context_.machine.cores)) {
      if (std::ranges::find(seen_, form) != seen_.end()) continue;
      seen_.push_back(form);
      append_layouts(candidates_, costs_, form, layouts_);
    }
  }

  void score(const std::vector<Schedule>& all) {
    for (const Schedule& each : all) score(each);
  }

  /// Scores `all` and, for vectors of pixels, also the variants with a packed input. For other
  /// vectors, only expand_schedules tries packed inputs.
  void score_packed(const std::vector<Schedule>& all) {
    score(all);
    if (context_.computation.role(context_.kernels.vectorised) != Role::pixel) return;
    for (const Schedule& each : all) score(input_packings(context_.computation, each));
  }

 private:
  Candidates& candidates_;
  const SearchContext& context_;
  CostContext costs_;
  std::vector<Layouts> layouts_;
  std::vector<Schedule> seen_;
};

bool is_split_unevenly(const Schedule& schedule) {
  return std::ranges::find(schedule.loops, Kind::rest, &Specifier::kind) != schedule.loops.end();
}

/// Holds the first untiled nest and the layout in which its loops read the input, if the input has
/// the first layout of layouts_of().
struct UntiledNest {
  Nest nest;
  TensorLayout input;
};

UntiledNest untiled_nest_of(const SearchContext& context) {
  Schedule schedule = first_untiled_nest(context);
  const std::vector<Layouts> layouts =
      layouts_of(context.computation, context.options.layout, context.machine.vector,
                 context.kernels.vectorised);
  if (!layouts.empty()) schedule.in = layouts.front().in;
  Nest nest = resolve(schedule, context.computation, context.machine.vector.lanes);
  TensorLayout input = read_layout(context.computation, schedule, nest);
  return {.nest = std::move(nest), .input = std::move(input)};
}

double conflict_seconds(const SearchContext& context, const UntiledNest& untiled) {
  if (context.machine.caches.empty()) return 0;
  const CacheLevel& l1 = context.machine.caches.front();
  const double lines = conflict_lines(context.computation, untiled.nest, untiled.input, l1);
  return link_seconds(l1, lines * static_cast<double>(l1.line_bytes), 0);
}

}  // namespace

void append_layouts(Candidates& candidates, const CostContext& costs, Schedule schedule,
                    const std::vector<Layouts>& layouts) {
  const Computation& computation = costs.computation;
  const Nest nest = resolve(schedule, computation, costs.machine.vector.lanes);
  const std::vector<Branch> branches = branches_of(nest);
  const std::optional<Tile> held = second_level_box(costs, nest);
  Marks marks = schedule;
  marks.prefetch = weight_prefetch_distance(costs, marks, branches.front().nest);
  const auto add = [&](const std::optional<PredictedMarks>& form) {
    if (form)
      candidates.add(
          {.schedule = with_marks(schedule.loops, form->marks), .prediction = form->prediction});
  };
  for (const Layouts& choice : layouts) {
    marks.in = choice.in;
    marks.out = choice.out;
    const Layout in = layout_in_loops(computation, marks, nest, Operand::input);
    const std::string why = why_infeasible(computation, marks, nest, branches,
                                           layout_of(computation, Operand::input, in));
    if (!why.empty()) {
      if (const auto split = split_at_blocks(computation, with_marks(schedule.loops, marks), nest))
        append_layouts(candidates, costs, *split, {choice});
      else
        ++candidates.reasons[why];
      continue;
    }
    NestPredictor predictor(computation, nest, marks, costs.machine, costs.rules);
    const PredictedMarks best = with_prefetches(costs, nest, predictor, marks, held);
    add(best);
    const bool is_measurable = best.prediction.seconds <= kMeasurable * candidates.best_seconds;
    if (costs.crowds_caches && (is_measurable || costs.leaves_caches))
      add(with_streaming(costs, nest, predictor, best));
    if (is_measurable) add(without_prefetches(predictor, best));
  }
}

void expand_schedules(Candidates& candidates, const SearchContext& context,
                      const ExactResult& found) {
  CandidateScorer scorer(candidates, context);
  for (std::size_t i = 0; i < found.best.size(); ++i) {
    const Schedule schedule = scorer.schedule(found.best[i]);
    scorer.score(schedule);
    if (i == 0) {
      const std::vector<Schedule> whole = untiled_nests(context);
      scorer.score_packed(whole);
      scorer.score(split_sums(context, whole.front()));
      scorer.score(input_packings(context.computation, schedule));
    }
    if (i < kSunk) scorer.score_packed(sink_reductions(context.computation, schedule));
  }
  if (found.best.empty() && !candidates.scored.empty())
    ++candidates.reasons["microkernel slower than the best schedule so far"];
}

void expand_uneven_schedules(Candidates& candidates, const SearchContext& context,
                             const ExactResult& found) {
  CandidateScorer scorer(candidates, context);
  for (const PerLevelSchedule& per_level : found.best) {
    const Schedule schedule = scorer.schedule(per_level);
    if (!is_split_unevenly(schedule)) continue;
    scorer.score(schedule);
    scorer.score(sink_reductions(context.computation, schedule));
  }
}

void expand_untiled_nests(Candidates& candidates, const SearchContext& context) {
  CandidateScorer scorer(candidates, context);
  const std::vector<Schedule> whole = untiled_nests(context);
  scorer.score_packed(whole);
  scorer.score(split_sums(context, whole.front()));
}

double conflict_seconds(const SearchContext& context) {
  return conflict_seconds(context, untiled_nest_of(context));
}

double seconds_besides_calls(const SearchContext& context) {
  const Machine& machine = context.machine;
  const UntiledNest untiled = untiled_nest_of(context);
  double cycles = 0;
  for (const BranchCompute& branch :
       compute_of(context.computation, untiled.nest, untiled.input, machine))
    cycles += branch.run_cycles + branch.dispatch_cycles;
  return cycles / machine.clock.hertz + conflict_seconds(context, untiled);
}

}  // namespace tileplan
