// SPDX-License-Identifier: Apache-2.0
// One band schedule becomes one schedule text per layout; blocks of a layout that tiles would cut
// are rejections.
#include "concrete.h"

#include <algorithm>
#include <optional>
#include <set>

#include "branches.h"
#include "parallel.h"
#include "prefetches.h"
#include "readable.h"
#include "tileplan/error.h"
#include "variants.h"

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
  try {
    layout_of(computation, Operand::input, layouts.in);
    layout_of(computation, Operand::output, layouts.out);
    return true;
  } catch (const Error&) {
    return false;  // not a layout of this shape; the other layouts remain
  }
}

}  // namespace

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised) {
  if (!is_conv(computation) || role(computation, vectorised) != Role::pixel)
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
        throw Error("layout: blocked, but " + to_string(unit.isa) + " has vectors of " +
                    std::to_string(unit.lanes) + " " + to_string(unit.element) +
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

namespace {

/// Band schedules per kernel combination that are also tried with all reductions innermost. The
/// first few differ most; each costs two predictions per layout.
constexpr std::size_t kSunk = 4;

bool is_reduction(const Computation& computation, const Specifier& specifier) {
  return specifier.kind == Kind::tile &&
         role(computation, computation.dim(specifier.dim)) == Role::reduction;
}

/// One loop per reduction dim, in domain order but the first innermost: the filter taps around all
/// channels.
std::vector<Specifier> merged(const Computation& computation,
                              const std::vector<Specifier>& reductions) {
  std::vector<Specifier> loops;
  for (int d = 0; d < computation.dims(); ++d) {
    Specifier whole{.kind = Kind::tile, .dim = computation.name(Dim{d}), .count = 1, .parts = {}};
    for (const Specifier& one : reductions)
      if (one.dim == whole.dim) whole.count *= one.count;
    if (whole.count > 1) loops.push_back(std::move(whole));
  }
  if (!loops.empty()) std::rotate(loops.begin(), loops.begin() + 1, loops.end());
  return loops;
}

/// `schedule` with its reduction loops directly above the register tile, in the order found and
/// merged: the accumulators then never leave the registers. The band model splits reductions to
/// keep tiles in L1; whether that pays, the flat model says.
std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule) {
  Schedule outer = schedule;
  outer.loops.clear();
  std::vector<Specifier> reductions, tile;
  for (const Specifier& one : schedule.loops) {
    const bool in_tile = one.kind == Kind::unroll || one.kind == Kind::vector;
    (in_tile ? tile : is_reduction(computation, one) ? reductions : outer.loops).push_back(one);
  }
  std::vector<Schedule> sunk;
  for (const std::vector<Specifier>& inner : {reductions, merged(computation, reductions)}) {
    sunk.push_back(outer);
    std::vector<Specifier>& loops = sunk.back().loops;
    loops.insert(loops.end(), inner.begin(), inner.end());
    loops.insert(loops.end(), tile.begin(), tile.end());
  }
  return sunk;
}

/// The loops that cover `dim` above the register tile in one go: a tile loop, then the lambda when
/// it sizes this dim.
std::vector<Specifier> whole_loops(const SearchContext& context, Dim dim) {
  const KernelCombo& kernels = context.kernels;
  const int lanes = context.machine.vector.lanes;
  const std::string& name = context.computation.name(dim);
  const Tile covered = covered_extents(context.computation, kernels.vectorised, lanes);
  std::vector<Specifier> loops;
  const std::int64_t trips = covered[dim] / kernels.base[dim];
  if (trips > 1) loops.push_back({.kind = Kind::tile, .dim = name, .count = trips, .parts = {}});
  if (!kernels.lambda || kernels.lambda->dim != dim) return loops;
  std::vector<Part> parts = kernels.lambda->parts;
  if (dim == kernels.vectorised)
    for (Part& part : parts) part.size /= lanes;
  loops.push_back({.kind = Kind::lambda, .dim = name, .count = 0, .parts = std::move(parts)});
  return loops;
}

void append(std::vector<Specifier>& loops, const std::vector<Specifier>& more) {
  loops.insert(loops.end(), more.begin(), more.end());
}

/// The whole loops of all dims of one role but the vectorised one, a group per dim that has any.
std::vector<std::vector<Specifier>> loops_of(const SearchContext& context, Role wanted) {
  std::vector<std::vector<Specifier>> groups;
  for (int d = 0; d < context.computation.dims(); ++d) {
    const Role part = role(context.computation, Dim{d});
    const Role place = part == Role::channel ? Role::pixel : part;
    if (place != wanted || Dim{d} == context.kernels.vectorised) continue;
    std::vector<Specifier> loops = whole_loops(context, Dim{d});
    if (!loops.empty()) groups.push_back(std::move(loops));
  }
  return groups;
}

/// Nests without cache tiles: every dim in one loop, reductions innermost, the vectorised dim in
/// each place among the rows of the output. They read and write memory in long straight lines,
/// which the levels of the model give no credit for.
std::vector<Schedule> untiled(const SearchContext& context, const Schedule& like) {
  std::vector<Specifier> outside, reductions;
  for (const auto& loops : loops_of(context, Role::batch)) append(outside, loops);
  for (const auto& loops : loops_of(context, Role::reduction)) append(reductions, loops);
  const std::vector<std::vector<Specifier>> rows = loops_of(context, Role::pixel);
  std::vector<Specifier> inside = merged(context.computation, reductions);
  for (const Specifier& one : like.loops)
    if (one.kind == Kind::unroll || one.kind == Kind::vector) inside.push_back(one);
  std::vector<Schedule> nests;
  for (std::size_t place = 0; place <= rows.size(); ++place) {
    Schedule nest = like;
    nest.loops = outside;
    for (std::size_t i = 0; i <= rows.size(); ++i) {
      if (i == place) append(nest.loops, whole_loops(context, context.kernels.vectorised));
      if (i < rows.size()) append(nest.loops, rows[i]);
    }
    append(nest.loops, inside);
    nests.push_back(std::move(nest));
  }
  return nests;
}

/// Scores `schedule` in every layout.
void append_layouts(Candidates& candidates, const SearchContext& context, Schedule schedule,
                    const std::vector<Layouts>& layouts) {
  const Computation& computation = context.computation;
  const Nest nest = resolve(schedule, computation, context.machine.vector.lanes);
  const std::vector<Branch> branches = branches_of(nest);
  const Pricing pricing{computation, context.machine, context.options.capacity};
  schedule.prefetch = prefetch_of(pricing, branches.front().nest);
  const std::optional<Tile> held = second_level_box(pricing, nest);
  for (const Layouts& choice : layouts) {
    schedule.in = choice.in;
    schedule.out = choice.out;
    const TensorLayout input = layout_of(computation, Operand::input, choice.in);
    const std::string why = why_unreadable(computation, schedule, branches, input);
    if (!why.empty()) {
      ++candidates.reasons[why];
      continue;
    }
    candidates.ranked.push_back(with_ahead(pricing, schedule, nest, held));
  }
}

/// Scores one schedule after the other, each once in every layout and parallel form.
class Scorer {
 public:
  Scorer(Candidates& candidates, const SearchContext& context, const std::vector<Layouts>& layouts)
      : candidates_(candidates), context_(context), layouts_(layouts) {}

  Schedule schedule(const BandSchedule& band) const {
    return to_schedule(context_.computation, context_.kernels, context_.classes, band,
                       context_.machine.vector.lanes);
  }

  void score(const Schedule& found) {
    for (const Schedule& form :
         with_parallel_forms(context_.computation, found, context_.machine.cores))
      if (seen_.insert(to_string(form)).second)
        append_layouts(candidates_, context_, form, layouts_);
  }

  void score(const std::vector<Schedule>& all) {
    for (const Schedule& each : all) score(each);
  }

  /// Vectors of pixels may need the input packed; others are packed where packing alone is tried.
  void score_packed(const std::vector<Schedule>& all) {
    score(all);
    if (role(context_.computation, context_.kernels.vectorised) != Role::pixel) return;
    for (const Schedule& each : all) score(packed_variants(context_.computation, each));
  }

 private:
  Candidates& candidates_;
  const SearchContext& context_;
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
      scorer.score_packed(untiled(context, schedule));
      scorer.score(packed_variants(context.computation, schedule));
    }
    if (i < kSunk) scorer.score_packed(sink_reductions(context.computation, schedule));
  }
  if (found.best.empty()) ++candidates.reasons["microkernel slower than the best schedule so far"];
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
