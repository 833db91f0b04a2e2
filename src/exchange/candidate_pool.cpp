// SPDX-License-Identifier: Apache-2.0
// This file expands one schedule at a time, by predicting the time of all its neighbours in every
// competitive layout.
#include "candidate_pool.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

#include "exact.h"
#include "kernels.h"
#include "neighbours.h"
#include "orders.h"
#include "packing.h"
#include "rank.h"

namespace tileplan {
namespace {

/// Limits the predictions of neighbours for one pool, and thus the time to make a list. Refused
/// schedules are not counted.
constexpr int kMostPredictions = 4000;

/// A layout is competitive, and thus worth measuring, if its best time is at most this fraction
/// above the fastest time.
constexpr double kCompetitive = 0.06;

/// Returns the text of the loops. Schedules with the same loops in different layouts have the same
/// text.
std::string nest_text(const Schedule& schedule) {
  return to_string(Schedule{.loops = schedule.loops});
}

/// Describes a schedule of the pool whose neighbours have not been generated yet. Schedules whose
/// loops had new Volumes in some layout are expanded first, then the fastest ones.
struct OpenSchedule {
  bool moves_new = false;
  double seconds = 0;
  std::size_t place = 0;  ///< The schedule has this position in the pool.

  bool operator<(const OpenSchedule& other) const {
    return std::tuple(moves_new, -seconds, other.place) <
           std::tuple(other.moves_new, -other.seconds, place);
  }
};

/// Limits each list of combinations of microkernels that a pool tries besides those of the plan.
constexpr std::size_t kCombos = 40;

/// Returns up to kCombos combinations of microkernels: those of kernel_combos() and, if these are
/// fewer, slower ones.
std::vector<KernelCombo> kernels_to_list(const Computation& computation, const Machine& machine) {
  // A slower combination takes at most this multiple of the fastest time.
  constexpr double kSlowest = 1.5;
  std::vector<KernelCombo> kernels = kernel_combos(computation, machine, kCombos);
  if (kernels.size() == kCombos) return kernels;
  const KernelSpace space =
      kernels_below(computation, machine, kSlowest * kernels.front().compute_seconds,
                    vectorised_dim(computation, machine.vector.lanes));
  for (const KernelCombo& each : space.below)
    if (kernels.size() < kCombos && std::ranges::find(kernels, each) == kernels.end())
      kernels.push_back(each);
  return kernels;
}

/// Returns up to kCombos combinations of microkernels, fastest first. `refusal` accepts their
/// schedules without cache tiles.
std::vector<KernelCombo> usable_kernels(const Computation& computation, const Machine& machine,
                                        const Refusal& refusal) {
  constexpr double kSlowest = 2;  // A combination takes at most this multiple of the fastest time.
  const double fastest = kernel_combos(computation, machine, 1).front().compute_seconds;
  const int lanes = machine.vector.lanes;
  const OrderClasses classes = order_classes(computation);
  std::vector<KernelCombo> usable;
  for (const KernelCombo& each :
       kernels_below(computation, machine, kSlowest * fastest, vectorised_dim(computation, lanes))
           .below) {
    if (usable.size() == kCombos) break;
    if (!refusal(computation, to_schedule(computation, each, classes, {}, lanes)))
      usable.push_back(each);
  }
  return usable;
}

/// Searches briefly for the best nest of each combination in `all` whose microkernel is not in
/// `known`. Returns the schedules that expand_schedules() makes of these nests.
std::vector<Candidate> best_of_kernels(const Plan& plan, const Computation& computation,
                                       const std::vector<KernelCombo>& all,
                                       const std::set<std::string>& known) {
  const Machine& machine = plan.machine;
  const OrderClasses classes = order_classes(computation);
  const ExactOptions limits{
      .capacity = plan.options.capacity, .slack = 0, .keep = 1, .most_nodes = 100};
  Candidates candidates;
  for (const KernelCombo& kernels : all) {
    const Schedule untiled = to_schedule(computation, kernels, classes, {}, machine.vector.lanes);
    if (known.contains(microkernel_of(untiled))) continue;
    expand_schedules(candidates, {computation, kernels, classes, machine, plan.options},
                     exact_search(computation, kernels, classes, machine, limits));
  }
  return candidates.scored;
}

/// Grows the pool by expanding one schedule at a time. The microkernels take turns, so that each
/// gets schedules.
class CandidatePool {
 public:
  CandidatePool(const Plan& plan, const Computation& computation, const Refusal& refusal)
      : plan_(plan),
        computation_(computation),
        refusal_(refusal),
        competitive_(competitive_layouts(plan.candidates)) {
    std::set<std::string> known;
    for (const Candidate& candidate : plan.candidates) {
      known.insert(microkernel_of(candidate.schedule));
      if (is_usable(candidate)) keep_and_open(candidate);
    }
    const std::vector<KernelCombo> listed = kernels_to_list(computation, plan.machine);
    for (const Candidate& candidate : best_of_kernels(plan, computation, listed, known))
      if (is_usable(candidate)) keep(candidate);
    if (refusal && candidates_.empty()) add_usable_kernels();
  }

  /// Expands schedules until the pool has `per_layout` times as many different pairs of layouts and
  /// Volumes as there are competitive layouts, kMostPredictions schedules that are not refused were
  /// predicted, or none is left to expand.
  void grow(std::size_t per_layout) {
    int predictions = 0;
    for (bool has_open = true; has_open;) {
      has_open = false;
      for (auto& [microkernel, open] : open_) {
        const bool is_large = volumes_.size() >= per_layout * competitive_.size();
        if (is_large || predictions >= kMostPredictions) return;
        if (open.empty()) continue;
        has_open = true;
        const std::size_t best = open.top().place;
        open.pop();
        predictions += expand(best);
      }
    }
  }

  std::vector<Candidate> ranked() const {
    return best_first(candidates_, static_cast<int>(candidates_.size()));
  }

 private:
  /// Adds the best schedules, in competitive layouts, of microkernels that `refusal` accepts. Many
  /// of them are slow, so they are listed only when `refusal` refuses all other schedules.
  void add_usable_kernels() {
    const std::vector<KernelCombo> usable = usable_kernels(computation_, plan_.machine, refusal_);
    for (const Candidate& candidate : best_of_kernels(plan_, computation_, usable, {})) {
      if (is_usable(candidate) && competitive_.contains(layouts_of(candidate.schedule)))
        keep_and_open(candidate);
    }
  }

  void keep_and_open(const Candidate& candidate) {
    const bool is_new = nests_.insert(nest_text(candidate.schedule)).second;
    const bool moves_new = keep(candidate);
    if (is_new) open(candidates_.size() - 1, moves_new);
  }

  bool is_usable(const Candidate& candidate) const {
    return !refusal_ || !refusal_(computation_, candidate.schedule);
  }

  /// Returns the competitive layouts among those that the search tries for the vectors of `nest`.
  std::vector<Layouts> layouts_for(const Schedule& nest) const {
    std::vector<Layouts> layouts =
        layouts_of(computation_, plan_.options.layout, plan_.machine.vector, vectorised(nest));
    std::erase_if(layouts, [&](const Layouts& each) { return !competitive_.contains(each); });
    return layouts;
  }

  Dim vectorised(const Schedule& nest) const { return computation_.dim(nest.loops.back().dim); }

  /// Adds the neighbours of the schedule at position `place`. Returns the number of predicted
  /// schedules that are not refused.
  int expand(std::size_t place) {
    const Schedule expanded = candidates_[place].schedule;
    const std::vector<Layouts> layouts = layouts_for(expanded);
    int predictions = 0;
    for (const Schedule& next : neighbours(expanded))
      if (nests_.insert(nest_text(next)).second) predictions += add(next, layouts);
    return predictions;
  }

  /// Adds the loops `nest` in each of `layouts`, and queues the fastest result for expansion.
  /// Returns the number of predicted schedules that are not refused.
  int add(const Schedule& nest, const std::vector<Layouts>& layouts) {
    const CostContext costs(computation_, plan_.machine, plan_.options);
    Candidates forms;
    append_layouts(forms, costs, nest, layouts);
    if (computation_.role(vectorised(nest)) == Role::pixel)
      for (const Schedule& packed : input_packings(computation_, nest))
        append_layouts(forms, costs, packed, layouts);
    std::erase_if(forms.scored, [&](const Candidate& form) { return !is_usable(form); });
    if (forms.scored.empty()) return 0;
    // The fastest schedule with ordinary stores is added too, because not every format has
    // streaming stores.
    std::map<std::pair<Layouts, bool>, Candidate> fastest;
    for (const Candidate& form : forms.scored) {
      const auto [place, is_new] =
          fastest.try_emplace({layouts_of(form.schedule), form.schedule.nontemporal}, form);
      if (form.prediction.seconds < place->second.prediction.seconds) place->second = form;
    }
    bool moves_new = false;
    std::size_t best = candidates_.size();
    for (const auto& [kind, form] : fastest) {
      moves_new = keep(form) || moves_new;
      if (form.prediction.seconds < candidates_[best].prediction.seconds)
        best = candidates_.size() - 1;
    }
    open(best, moves_new);
    return static_cast<int>(forms.scored.size());
  }

  void open(std::size_t place, bool moves_new) {
    const Candidate& candidate = candidates_[place];
    if (layouts_for(candidate.schedule).empty()) return;
    open_[microkernel_of(candidate.schedule)].push(
        {.moves_new = moves_new, .seconds = candidate.prediction.seconds, .place = place});
  }

  /// Adds `candidate`. Returns true when its Volumes are new for its layout.
  bool keep(Candidate candidate) {
    candidate.prediction.bound_bytes = plan_.candidates.front().prediction.bound_bytes;
    candidates_.push_back(std::move(candidate));
    const Candidate& kept = candidates_.back();
    return volumes_.emplace(layouts_of(kept.schedule), volumes_of(kept)).second;
  }

  const Plan& plan_;
  const Computation& computation_;
  const Refusal& refusal_;
  std::set<Layouts> competitive_;
  std::vector<Candidate> candidates_;
  std::set<std::string> nests_;
  std::set<std::pair<Layouts, Volumes>> volumes_;
  /// Maps each microkernel to its schedules that wait for expansion.
  std::map<std::string, std::priority_queue<OpenSchedule>> open_;
};

}  // namespace

Volumes volumes_of(const Candidate& candidate) {
  Volumes volumes;
  for (const LevelPrediction& level : candidate.prediction.levels)
    volumes.push_back(std::llround(level.bytes));
  return volumes;
}

std::string microkernel_of(const Schedule& schedule) {
  std::string text;
  for (const Specifier& loop : schedule.loops) {
    if (!loop.is_lambda() && loop.kind != Kind::unroll && loop.kind != Kind::vector) continue;
    // A parallel list of blocks (lambda) determines the size of the tile like a sequential one.
    Specifier sizing = loop;
    if (loop.is_lambda()) sizing.kind = Kind::lambda;
    if (!text.empty()) text += ' ';
    text += to_string(sizing);
  }
  return text;
}

Layouts layouts_of(const Schedule& schedule) { return {.in = schedule.in, .out = schedule.out}; }

std::set<Layouts> competitive_layouts(const std::vector<Candidate>& candidates) {
  const auto seconds = [](const Candidate& each) { return each.prediction.seconds; };
  const double fastest = seconds(*std::ranges::min_element(candidates, {}, seconds));
  std::set<Layouts> layouts;
  for (const Candidate& each : candidates)
    if (seconds(each) <= (1 + kCompetitive) * fastest) layouts.insert(layouts_of(each.schedule));
  return layouts;
}

std::vector<Candidate> candidate_pool(const Plan& plan, const Computation& computation,
                                      std::size_t per_layout, const Refusal& refusal) {
  CandidatePool pool(plan, computation, refusal);
  pool.grow(per_layout);
  return pool.ranked();
}

}  // namespace tileplan
