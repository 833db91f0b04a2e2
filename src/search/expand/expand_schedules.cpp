// SPDX-License-Identifier: Apache-2.0
// One band schedule becomes one schedule text per layout; blocks of a layout that tiles would cut
// are rejections.
#include "expand_schedules.h"

#include <algorithm>
#include <optional>
#include <set>

#include "block_splits.h"
#include "branches.h"
#include "cache_pressure.h"
#include "compute.h"
#include "input_packing.h"
#include "layout_feasibility.h"
#include "parallel.h"
#include "prefetches.h"
#include "repack.h"
#include "streaming.h"
#include "tileplan/error.h"
#include "untiled_nests.h"

namespace tileplan {

namespace {

bool is_conv(const Computation& computation) {
  return std::holds_alternative<ConvShape>(computation.problem);
}

/// nChw16c on 16 lanes, nChw8c on fewer; the input stays nhwc below one block of channels.
/// Assembled kernels need blocks of one vector, emitted NEON code whole vectors.
std::optional<Layouts> blocked_layouts(const Computation& computation, const VectorUnit& unit) {
  constexpr int kWideBlock = 16, kBlock = 8;
  if (unit.lanes < kBlock && unit.isa != Isa::neon) return std::nullopt;
  const bool wide = unit.lanes == kWideBlock;
  const Layout blocked = wide ? Layout::nChw16c : Layout::nChw8c;
  const auto& shape = std::get<ConvShape>(computation.problem);
  return Layouts{.in = shape.c >= (wide ? kWideBlock : kBlock) ? blocked : Layout::nhwc,
                 .out = blocked};
}

bool exists(const Computation& computation, const Layouts& layouts) {
  return why_no_layout(computation, Operand::input, layouts.in).empty() &&
         why_no_layout(computation, Operand::output, layouts.out).empty();
}

}  // namespace

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised) {
  if (!is_conv(computation) || computation.role(vectorised) != Role::pixel)
    return layouts_of(computation, choice, unit);
  switch (choice) {
    case LayoutChoice::any:
    case LayoutChoice::nchw:
      return {{.in = Layout::nchw, .out = Layout::nchw}};
    case LayoutChoice::nhwc:
      return {{.in = Layout::nhwc, .out = Layout::nhwc}};
    case LayoutChoice::blocked:
      break;  // outputs in blocks of channels hold no vectors of pixels
  }
  return {};
}

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit) {
  const Layouts nhwc{.in = Layout::nhwc, .out = Layout::nhwc};
  if (!is_conv(computation)) {
    if (choice != LayoutChoice::any)
      throw Error("layout: only convolutions have nhwc, nchw and blocked layouts; must be any");
    return {{.in = Layout::plain, .out = Layout::plain}};
  }
  const std::optional<Layouts> blocked = blocked_layouts(computation, unit);
  switch (choice) {
    case LayoutChoice::nhwc:
      return {nhwc};
    case LayoutChoice::nchw:
      return {{.in = Layout::nchw, .out = Layout::nchw}};
    case LayoutChoice::blocked:
      if (!blocked)
        throw Error("layout: blocked, but vectors are of " + std::to_string(unit.lanes) + " " +
                    to_string(unit.element) +
                    "; blocks are of 8 or 16 channels and must be one vector");
      layout_of(computation, Operand::input, blocked->in);
      layout_of(computation, Operand::output, blocked->out);
      return {*blocked};
    case LayoutChoice::any:
      break;
  }
  if (!blocked || !exists(computation, *blocked)) return {nhwc};
  return {*blocked, nhwc};
}

bool has_layouts(const Computation& computation, LayoutChoice choice, const VectorUnit& unit) {
  return choice != LayoutChoice::blocked || blocked_layouts(computation, unit).has_value();
}

void Candidates::add(Candidate candidate) {
  seconds = std::min(seconds, candidate.prediction.seconds);
  ranked.push_back(std::move(candidate));
}

void Candidates::add(Candidates others) {
  for (Candidate& each : others.ranked) add(std::move(each));
  for (const auto& [reason, count] : others.reasons) reasons[reason] += count;
}

std::vector<Rejected> Candidates::rejected_reasons() const {
  std::vector<Rejected> all;
  for (const auto& [reason, count] : reasons) all.push_back({.reason = reason, .count = count});
  return all;
}

std::string Candidates::why_empty(const Problem& problem) const {
  std::string why = "plan: no schedule of " + name_of(problem) + " fits";
  for (const auto& [reason, count] : reasons)
    why += "; " + reason + " (" + std::to_string(count) + ")";
  return why;
}

/// Schedules this much slower than the best so far are not measured: they need no twins.
constexpr double kListed = 1.05;

/// Adds `schedule`, which kernels cannot read because of `why`, with its loops split at blocks
/// where that helps; else counts the reason.
void append_split(Candidates& candidates, const Pricing& pricing, const Schedule& schedule,
                  const Nest& nest, const std::string& why) {
  if (const auto split = split_at_blocks(pricing.computation, schedule, nest))
    append_layouts(candidates, pricing, *split, {{.in = schedule.in, .out = schedule.out}});
  else
    ++candidates.reasons[why];
}

void append_layouts(Candidates& candidates, const Pricing& pricing, Schedule schedule,
                    const std::vector<Layouts>& layouts) {
  const Computation& computation = pricing.computation;
  const Nest nest = resolve(schedule, computation, pricing.machine.vector.lanes);
  const std::vector<Branch> branches = branches_of(nest);
  schedule.prefetch = prefetch_of(pricing, branches.front().nest);
  const std::optional<Tile> held = second_level_box(pricing, nest);
  for (const Layouts& choice : layouts) {
    schedule.in = choice.in;
    schedule.out = choice.out;
    const std::string why = why_unreadable(computation, schedule, branches,
                                           layout_of(computation, Operand::input, choice.in));
    if (!why.empty()) {
      append_split(candidates, pricing, schedule, nest, why);
      continue;
    }
    const Candidate best = with_ahead(pricing, schedule, nest, held);
    candidates.add(best);
    const bool is_listed = best.prediction.seconds <= kListed * candidates.seconds;
    if (is_listed || leaves_caches(computation, pricing.machine))
      if (std::optional<Candidate> other = streamed(pricing, best, nest))
        candidates.add(std::move(*other));
    if (!is_listed) continue;
    if (std::optional<Candidate> other = without_prefetches(pricing, best))
      candidates.add(std::move(*other));
  }
}

namespace {

/// Band schedules per kernel combination that are also tried with all reductions innermost. The
/// first few differ most; each costs two predictions per layout.
constexpr std::size_t kSunk = 4;

/// Scores one schedule after the other, each once in every layout and parallel form.
class Scorer {
 public:
  Scorer(Candidates& candidates, const SearchContext& context, const std::vector<Layouts>& layouts)
      : candidates_(candidates),
        context_(context),
        pricing_(context.computation, context.machine, context.options),
        layouts_(layouts) {}

  Schedule schedule(const BandSchedule& band) const {
    return to_schedule(context_.computation, context_.kernels, context_.classes, band,
                       context_.machine.vector.lanes);
  }

  void score(const Schedule& found) {
    for (const Schedule& form :
         with_parallel_forms(context_.computation, found, context_.machine.cores))
      if (seen_.insert(to_string(form)).second)
        append_layouts(candidates_, pricing_, form, layouts_);
  }

  void score(const std::vector<Schedule>& all) {
    for (const Schedule& each : all) score(each);
  }

  /// Vectors of pixels may need the input packed; others are packed where packing alone is tried.
  void score_packed(const std::vector<Schedule>& all) {
    score(all);
    if (context_.computation.role(context_.kernels.vectorised) != Role::pixel) return;
    for (const Schedule& each : all) score(packed_variants(context_.computation, each));
  }

 private:
  Candidates& candidates_;
  const SearchContext& context_;
  Pricing pricing_;
  const std::vector<Layouts>& layouts_;
  std::set<std::string> seen_;
};

bool is_split_unevenly(const Schedule& schedule) {
  return std::any_of(schedule.loops.begin(), schedule.loops.end(),
                     [](const Specifier& each) { return each.kind == Kind::rest; });
}

}  // namespace

void append_concrete(Candidates& candidates, const SearchContext& context,
                     const SearchResult& found, const std::vector<Layouts>& layouts) {
  Scorer scorer(candidates, context, layouts);
  for (std::size_t i = 0; i < found.best.size(); ++i) {
    const Schedule schedule = scorer.schedule(found.best[i]);
    scorer.score(schedule);
    if (i == 0) {
      const std::vector<Schedule> whole = untiled(context, schedule);
      scorer.score_packed(whole);
      scorer.score(split_sums(context, whole.front()));
      scorer.score(packed_variants(context.computation, schedule));
    }
    if (i < kSunk) scorer.score_packed(sink_reductions(context.computation, schedule));
  }
  if (found.best.empty() && !candidates.ranked.empty())
    ++candidates.reasons["microkernel slower than the best schedule so far"];
}

void append_untiled(Candidates& candidates, const SearchContext& context,
                    const std::vector<Layouts>& layouts) {
  Scorer scorer(candidates, context, layouts);
  scorer.score_packed(untiled(context, scorer.schedule({})));
}

double seconds_between_calls(const SearchContext& context) {
  const Schedule like = to_schedule(context.computation, context.kernels, context.classes, {},
                                    context.machine.vector.lanes);
  const Schedule schedule = untiled(context, like).front();
  const Nest nest = resolve(schedule, context.computation, context.machine.vector.lanes);
  double cycles = 0;
  for (const BranchCompute& branch :
       compute_of(context.computation, nest, read_layout(context.computation, schedule, nest),
                  context.machine))
    cycles += branch.run_cycles + branch.dispatch_cycles;
  return cycles / context.machine.hertz;
}

void append_uneven(Candidates& candidates, const SearchContext& context, const SearchResult& found,
                   const std::vector<Layouts>& layouts) {
  Scorer scorer(candidates, context, layouts);
  for (const BandSchedule& band : found.best) {
    const Schedule schedule = scorer.schedule(band);
    if (!is_split_unevenly(schedule)) continue;
    scorer.score(schedule);
    scorer.score(sink_reductions(context.computation, schedule));
  }
}

}  // namespace tileplan
