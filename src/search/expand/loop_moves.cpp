// SPDX-License-Identifier: Apache-2.0
// Moves change the resolved nest, so that no schedule is resolved again.
#include "loop_moves.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "branches.h"
#include "cost.h"
#include "integers.h"
#include "layout_feasibility.h"
#include "prefetches.h"
#include "repack.h"
#include "streaming.h"

namespace tileplan {
namespace {

/// The best candidates of kImproved kinds (kind_of) are improved. For each, at most
/// kMostPredictions loop orders are predicted. Together, this takes a tenth of a plan's time.
constexpr std::size_t kImproved = 2;
constexpr int kMostPredictions = 100;
/// A move must save at least this share of the time.
constexpr double kWorthMoving = 1e-3;
/// Another layout of the input must save at least this share of the best prediction, because
/// unequal layouts of input and output need copies between layers. The value was chosen, not
/// fitted.
constexpr double kWorthConverting = 0.05;

/// Returns the text of the register tile, the layouts and the marks that neither name a loop nor
/// say how operands are packed.
std::string kind_of(Schedule schedule) {
  std::erase_if(schedule.loops, [](const Specifier& loop) {
    return loop.kind != Kind::unroll && loop.kind != Kind::vector;
  });
  schedule.pack_input.reset();
  schedule.pack_weights.reset();
  schedule.weights_in_place = false;
  schedule.ahead.reset();
  return to_string(schedule);
}

/// Returns the best candidate of each of the kImproved kinds (kind_of) with the best predictions.
/// Moves start from these candidates.
std::vector<Candidate> starts_of(const Candidates& candidates) {
  std::vector<const Candidate*> sorted;
  for (const Candidate& each : candidates.scored) sorted.push_back(&each);
  std::ranges::stable_sort(sorted, {},
                           [](const Candidate* each) { return each->prediction.seconds; });
  std::vector<Candidate> starts;
  std::set<std::string> kinds;
  for (const Candidate* const each : sorted) {
    if (starts.size() == kImproved) break;
    if (kinds.insert(kind_of(each->schedule)).second) starts.push_back(*each);
  }
  return starts;
}

template <class Loop>
void move_loop(std::vector<Loop>& loops, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return loops.begin() + static_cast<std::ptrdiff_t>(i); };
  if (from < to)
    std::rotate(at(from), at(from) + 1, at(to) + 1);
  else
    std::rotate(at(to), at(from), at(from) + 1);
}

/// Describes a split of loop `from`: its trips are divided by `part`, and a loop of `part` trips is
/// added at position `to` outside it.
struct Split {
  std::size_t from = 0, to = 0;
  std::int64_t part = 1;
};

void insert_part(Nest& nest, std::vector<Specifier>& loops, const Split& split) {
  NestLoop part = nest.loops[split.from];
  Specifier text = loops[split.from];
  part.trips = text.count = split.part;
  nest.loops[split.from].trips /= split.part;
  loops[split.from].count = nest.loops[split.from].trips;
  const auto place = static_cast<std::ptrdiff_t>(split.to);
  nest.loops.insert(nest.loops.begin() + place, part);
  loops.insert(loops.begin() + place, text);
}

class LoopMover {
 public:
  LoopMover(const CostContext& costs, Candidate start)
      : costs_(costs),
        best_(std::move(start)),
        nest_(resolve(best_.schedule, costs.computation, costs.machine.vector.lanes)) {}

  /// Moves loops and parts of loops, and tries non-temporal stores if they are worth trying.
  /// Returns the best schedule that was reached, or nothing when nothing improves the start.
  std::optional<Candidate> improved() {
    while (move_one() || split_one()) improved_ = true;
    const Marks marks = best_.schedule;
    if (!marks.nontemporal) {
      NestPredictor predictor = predictor_of(nest_, marks);
      if (const auto form = with_streaming(costs_, nest_, predictor, {marks, best_.prediction}))
        improved_ = accept(nest_, best_.schedule.loops, *form) || improved_;
    }
    if (!improved_) return std::nullopt;
    return best_;
  }

  /// Returns the best schedule with the input in another layout (nchw or nhwc), in which cache
  /// lines may conflict less or input addresses jump less often between reduction steps. Returns
  /// nothing when no such schedule is feasible and takes at most `most` seconds. The output keeps
  /// its layout.
  std::optional<Candidate> with_other_input(double most) const {
    std::optional<Candidate> best;
    for (const Layout in : {Layout::nchw, Layout::nhwc}) {
      Marks marks = best_.schedule;
      if (marks.in == in) continue;
      marks.in = in;
      const std::optional<PredictedMarks> form = predicted(nest_, marks);
      if (!form || form->prediction.seconds > most) continue;
      most = form->prediction.seconds;
      best = {.schedule = with_marks(best_.schedule.loops, form->marks),
              .prediction = form->prediction};
    }
    return best;
  }

 private:
  /// Returns the position of the first loop inside all packed boxes. Loops outside the boxes are
  /// not moved.
  std::size_t first() const {
    const Schedule& schedule = best_.schedule;
    return static_cast<std::size_t>(
        std::max(schedule.pack_input.value_or(-1), schedule.pack_weights.value_or(-1)) + 1);
  }

  /// Makes the first move that saves time. Moves of inner loops are tried first.
  bool move_one() {
    for (std::size_t from = nest_.loops.size(); from-- > first();)
      for (std::size_t to = nest_.loops.size(); to-- > first();)
        if (to != from && to + 1 != from && may_pass(from, to) && try_move(from, to)) return true;
    return false;
  }

  /// Moves a part of a reduction loop outwards, to the first place that saves time.
  bool split_one() {
    for (std::size_t from = nest_.loops.size(); from-- > first();) {
      const bool reduces = costs_.computation.role(nest_.loops[from].dim) == Role::reduction;
      if (!reduces || best_.schedule.loops[from].kind != Kind::tile) continue;
      for (const std::int64_t part : parts_of(nest_.loops[from].trips))
        for (std::size_t to = first(); to < from; ++to)
          if (may_pass(from, to) && try_part({from, to, part})) return true;
    }
    return false;
  }

  /// Moves a part of a loop outside another loop, or between two parts of that loop.
  bool try_part(const Split& split) {
    if (try_split(nest_, best_.schedule.loops, split)) return true;
    const Split inside{split.from + 1, split.to + 1, split.part};
    for (const std::int64_t around : parts_of(nest_.loops[split.to].trips))
      if (try_split_within(split.to, around, inside)) return true;
    return false;
  }

  /// Splits the loop at `at` into two, the outer of which has `around` trips, and tries the moved
  /// part of the reduction loop between them.
  bool try_split_within(std::size_t at, std::int64_t around, const Split& split) {
    if (best_.schedule.loops[at].kind != Kind::tile) return false;
    Nest nest = nest_;
    std::vector<Specifier> loops = best_.schedule.loops;
    insert_part(nest, loops, {at, at, around});
    return try_split(std::move(nest), std::move(loops), split);
  }

  /// Returns the factors of `trips` that are tried. Small factors keep long sums in registers.
  static std::vector<std::int64_t> parts_of(std::int64_t trips) {
    constexpr std::size_t kFactors = 3;
    std::vector<std::int64_t> parts = divisors(std::max<std::int64_t>(1, trips));
    parts.erase(parts.begin());
    if (!parts.empty()) parts.pop_back();
    if (parts.size() > kFactors) parts.resize(kFactors);
    return parts;
  }

  /// Returns true when loop `from` may move to `to`. Loops of one trip do not move. A loop may pass
  /// another loop over the same dimension only if neither is a list of blocks (lambda) or has trips
  /// that depend on one.
  bool may_pass(std::size_t from, std::size_t to) const {
    const auto is_plain = [](const NestLoop& loop) { return loop.trips > 0; };
    for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i)
      if (i != from && nest_.loops[i].dim == nest_.loops[from].dim &&
          !(is_plain(nest_.loops[i]) && is_plain(nest_.loops[from])))
        return false;
    return nest_.loops[from].is_active();
  }

  /// Tries to move a loop. Unless it becomes the outermost loop, it is merged with a neighbour over
  /// the same dimension if merge() can do so.
  bool try_move(std::size_t from, std::size_t to) {
    Nest nest = nest_;
    std::vector<Specifier> loops = best_.schedule.loops;
    move_loop(nest.loops, from, to);
    move_loop(loops, from, to);
    if (to > 0 && !merge(nest, loops, to - 1)) merge(nest, loops, to);
    return predict_change(nest, loops);
  }

  bool try_split(Nest nest, std::vector<Specifier> loops, const Split& split) {
    insert_part(nest, loops, split);
    if (split.to > 0) merge(nest, loops, split.to - 1);
    return predict_change(nest, loops);
  }

  NestPredictor predictor_of(const Nest& nest, const Marks& marks) const {
    return {costs_.computation, nest, marks, costs_.machine, costs_.rules};
  }

  /// Returns the prediction of `nest` with the marks for prefetches that suit it, or nothing when
  /// the nest is not feasible.
  std::optional<PredictedMarks> predicted(const Nest& nest, Marks marks) const {
    const std::vector<Branch> branches = branches_of(nest);
    if (!is_feasible(nest, marks, branches)) return std::nullopt;
    marks.prefetch = weight_prefetch_distance(costs_, marks, branches.front().nest);
    NestPredictor predictor = predictor_of(nest, marks);
    return with_next_tile_prefetch(costs_, nest, predictor, marks, second_level_box(costs_, nest));
  }

  bool predict_change(const Nest& nest, const std::vector<Specifier>& loops) {
    if (predictions_ == kMostPredictions) return false;
    const std::optional<PredictedMarks> form = predicted(nest, best_.schedule);
    if (!form) return false;
    ++predictions_;
    return accept(nest, loops, *form);
  }

  /// Replaces the best schedule if the new one saves enough time. Returns true if it does.
  bool accept(const Nest& nest, std::vector<Specifier> loops, const PredictedMarks& form) {
    if (form.prediction.seconds > (1 - kWorthMoving) * best_.prediction.seconds) return false;
    best_ = {.schedule = with_marks(std::move(loops), form.marks), .prediction = form.prediction};
    nest_ = nest;
    return true;
  }

  /// Merges loop `at` with the next loop inside it if both are T loops or both are P loops over one
  /// dimension, neither is a list of blocks, and no box is packed between them. Returns
  /// true if it merges them.
  bool merge(Nest& nest, std::vector<Specifier>& loops, std::size_t at) const {
    const std::size_t next = at + 1;
    const auto is_counted = [](const Specifier& loop) {
      return loop.count > 0 && loop.kind != Kind::unroll;
    };
    if (next >= nest.loops.size() || nest.loops[at].dim != nest.loops[next].dim ||
        loops[at].kind != loops[next].kind || !is_counted(loops[at]) || !is_counted(loops[next]) ||
        best_.schedule.pack_input == static_cast<int>(at) ||
        best_.schedule.pack_weights == static_cast<int>(at))
      return false;
    nest.loops[at].trips *= nest.loops[next].trips;
    loops[at].count *= loops[next].count;
    nest.loops.erase(nest.loops.begin() + static_cast<std::ptrdiff_t>(next));
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(next));
    return true;
  }

  bool is_feasible(const Nest& nest, const Marks& marks,
                   const std::vector<Branch>& branches) const {
    const Computation& computation = costs_.computation;
    const std::size_t begin = microkernel_begin(computation, nest);
    for (const std::optional<int>& packed : {marks.pack_input, marks.pack_weights})
      if (packed && static_cast<std::size_t>(*packed) >= begin) return false;
    const Layout in = layout_in_loops(computation, marks, nest, Operand::input);
    return why_infeasible(computation, marks, nest, branches,
                          layout_of(computation, Operand::input, in))
        .empty();
  }

  const CostContext& costs_;
  Candidate best_;
  Nest nest_;
  int predictions_ = 0;
  bool improved_ = false;
};

}  // namespace

void improve_loop_orders(Candidates& candidates, const CostContext& costs) {
  std::vector<LoopMover> movers;
  for (Candidate& start : starts_of(candidates)) {
    LoopMover& mover = movers.emplace_back(costs, std::move(start));
    if (std::optional<Candidate> better = mover.improved()) candidates.add(std::move(*better));
  }
  if (!costs.any_layout) return;
  for (const LoopMover& mover : movers)
    if (std::optional<Candidate> other =
            mover.with_other_input((1 - kWorthConverting) * candidates.best_seconds))
      candidates.add(std::move(*other));
}

}  // namespace tileplan
