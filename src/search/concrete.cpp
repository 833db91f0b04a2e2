// SPDX-License-Identifier: Apache-2.0
// One band schedule becomes one schedule text per layout; blocks of a layout that tiles would cut
// are rejections.
#include "concrete.h"

#include "cost.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

bool is_conv(const Computation& computation) {
  return std::holds_alternative<ConvShape>(computation.problem);
}

/// nChw16c on 16 lanes, nChw8c on 8; the input stays nhwc below one block of channels.
Layouts blocked_layouts(const Computation& computation, const VectorUnit& unit) {
  const Layout blocked = unit.lanes == 16 ? Layout::nChw16c : Layout::nChw8c;
  const auto& shape = std::get<ConvShape>(computation.problem);
  return {.in = shape.c >= unit.lanes ? blocked : Layout::nhwc, .out = blocked};
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

/// The loop that would cut a block of the layout, in words; empty when none does.
std::string cut_block(const Computation& computation, const Nest& nest, const TensorLayout& layout,
                      Operand operand) {
  const TensorAccess& access = computation.tensors[static_cast<std::size_t>(operand)];
  PerDim<std::int64_t> covered = nest.base;
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    if (loop.is_lambda()) continue;
    const std::int64_t step = covered[loop.dim];
    covered[loop.dim] *= loop.trips;
    for (std::size_t a = 0; a < access.data.size(); ++a) {
      const std::int64_t block = layout.axes[a].block;
      if (block == 0 || loop.trips == 1) continue;
      for (const Term& term : access.data[a].terms)
        if (term.dim == loop.dim && step % block != 0 && block % covered[loop.dim] != 0 &&
            (covered[loop.dim] > block || covered[loop.dim] != computation.extent(loop.dim)))
          return "a tile of " + computation.name(loop.dim) + " cuts the blocks of the layout";
    }
  }
  return "";
}

}  // namespace

std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit) {
  const Layouts nhwc{.in = Layout::nhwc, .out = Layout::nhwc};
  if (!is_conv(computation)) {
    if (choice != LayoutChoice::any)
      throw Error("layout: only convolutions have nhwc, nchw and blocked layouts; must be any");
    return {{.in = Layout::plain, .out = Layout::plain}};
  }
  const Layouts blocked = blocked_layouts(computation, unit);
  switch (choice) {
    case LayoutChoice::nhwc:
      return {nhwc};
    case LayoutChoice::nchw:
      return {{.in = Layout::nchw, .out = Layout::nchw}};
    case LayoutChoice::blocked:
      layout_of(computation, Operand::input, blocked.in);
      layout_of(computation, Operand::output, blocked.out);
      return {blocked};
    case LayoutChoice::any:
      break;
  }
  if (!exists(computation, blocked)) return {nhwc};
  return {blocked, nhwc};
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

void append_concrete(Candidates& candidates, const SearchContext& context,
                     const SearchResult& found, const std::vector<Layouts>& layouts) {
  const Computation& computation = context.computation;
  const int lanes = context.machine.vector.lanes;
  for (const BandSchedule& band : found.best) {
    Schedule schedule = to_schedule(computation, context.kernels, context.classes, band, lanes);
    const Nest nest = resolve(schedule, computation, lanes);
    for (const Layouts& choice : layouts) {
      schedule.in = choice.in;
      schedule.out = choice.out;
      const TensorLayout input = layout_of(computation, Operand::input, choice.in);
      const std::string cut = cut_block(computation, nest, input, Operand::input);
      if (!cut.empty()) {
        ++candidates.reasons[cut];
        continue;
      }
      candidates.ranked.push_back({.schedule = schedule,
                                   .prediction = predict(computation, schedule, context.machine),
                                   .measurement = std::nullopt});
    }
  }
  if (found.best.empty()) ++candidates.reasons["microkernel slower than the best schedule so far"];
}

}  // namespace tileplan
