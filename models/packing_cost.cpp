// SPDX-License-Identifier: Apache-2.0
// Each operand is packed in rows. Their direction, their length and whether they are contiguous
// decide the cycles per element.
#include "packing_cost.h"

#include <algorithm>

#include "branches.h"
#include "footprint.h"

namespace tileplan {
namespace {

/// For contiguous pixels or weights, Overheads::packed_row_cycles is the time of a row of
/// kMeasuredRow elements. The share kShareOfAnyRow of this time is the same for rows of any length,
/// and the rest is proportional to the length. The values were measured on two machines
/// (docs/experiments.md).
constexpr double kShareOfAnyRow = 0.4, kMeasuredRow = 64;

/// Returns the cycles that packing takes per element of a row of `length` contiguous pixels or
/// weights, eq. (R).
double row_cycles(double length, const Overheads& overheads) {
  return overheads.packed_row_cycles *
         (kShareOfAnyRow / length + (1 - kShareOfAnyRow) / kMeasuredRow);
}

/// Returns the cycles that packing takes per element of a row of `length` pixels (`of_pixels`) or
/// channels, which may be contiguous in the input.
double input_row_cycles(double length, bool of_pixels, bool is_contiguous,
                        const Overheads& overheads) {
  const double row = overheads.packed_row_cycles / length;
  if (is_contiguous) return of_pixels ? row_cycles(length, overheads) : row;
  return std::max(row, of_pixels ? overheads.packed_pixel_cycles : overheads.packed_channel_cycles);
}

/// Returns the cycles that packing takes per element of the input, eq. (R). A row runs along the
/// vectorised pixels or along the first reduction dimension of the input.
double packing_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  const bool of_pixels = resolved.computation.role(resolved.nest.vectorised) == Role::pixel;
  const auto is_along = [&](Dim dim) {
    return of_pixels ? dim == resolved.nest.vectorised
                     : resolved.computation.role(dim) == Role::reduction;
  };
  const auto& data = resolved.computation.tensor(Operand::input).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms) {
      if (!is_along(term.dim)) continue;
      const bool is_contiguous = resolved.input.axes[a].offset(term.coefficient) == 1;
      return input_row_cycles(static_cast<double>(card(data[a], box)), of_pixels, is_contiguous,
                              resolved.machine.rates.overheads);
    }
  return 0;
}

/// Returns the cycles that packing takes per weight in a row of `row` weights, eq. (R).
double weights_row_cycles(const Computation& computation, Dim channel, std::int64_t row,
                          const Overheads& overheads) {
  const auto& data = computation.tensor(Operand::weights).data;
  const TensorLayout plain = layout_of(computation, Operand::weights, Layout::plain);
  const auto length = static_cast<double>(std::max<std::int64_t>(1, row));
  for (std::size_t a = 0; a < data.size(); ++a)
    if (plain.axes[a].offset(coefficient_of(data[a], channel)) == 1)
      return row_cycles(length, overheads);
  return std::max(overheads.packed_row_cycles / length, overheads.packed_channel_cycles);
}

/// Returns the cycles that packing takes per weight, eq. (R). A row has the weights of one register
/// tile and one reduction step. Blocks of several sizes count by the weights in them.
double weights_packing_cycles(const ResolvedSchedule& resolved) {
  const Computation& computation = resolved.computation;
  const Dim channel = weights_dim(computation, resolved.nest.vectorised);
  double cycles = 0, all = 0;
  for (const Branch& branch : branches_of(resolved.nest)) {
    const Calls calls = calls_of(computation, branch);
    const std::int64_t row = branch.nest.base[channel];
    const double weights = calls.calls * calls.steps * static_cast<double>(row);
    cycles +=
        weights * weights_row_cycles(computation, channel, row, resolved.machine.rates.overheads);
    all += weights;
  }
  return cycles / all;
}

/// Returns the cycles that packing takes per output, eq. (R). A row runs along the vectorised
/// dimension.
double output_packing_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  return resolved.machine.rates.overheads.packed_row_cycles /
         static_cast<double>(std::max<std::int64_t>(1, box[resolved.nest.vectorised]));
}

/// Returns the cycles that packing takes per element of `operand`.
double packing_cycles(const ResolvedSchedule& resolved, Operand operand, const Tile& box) {
  if (operand == Operand::weights) return weights_packing_cycles(resolved);
  return operand == Operand::input ? packing_cycles(resolved, box)
                                   : output_packing_cycles(resolved, box);
}

/// Returns the time of packing `operand` into `box` on the slowest link into a cache beyond the
/// first that cannot hold the box, or 0 if all of them can. On such a link the copy reads the
/// operand and writes the box, in addition to the kernels' own reads. The time is divided by the
/// share of the busiest core, because callers multiply the result by it.
double copying_beyond_seconds(const ResolvedSchedule& resolved, Operand operand, const Tile& box) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  const auto elements = static_cast<double>(footprint(resolved.computation.tensor(operand), box));
  double longest = 0;
  for (std::size_t at = 1; at < caches.size(); ++at)
    if (resolved.bytes_of(operand, elements) > usable_bytes(caches[at]))
      longest = std::max(longest,
                         link_share(resolved.cores, resolved.machine, at) *
                             packing_link(resolved, operand).seconds(resolved.machine, caches[at]));
  return longest / resolved.cores.busiest_share;
}

/// Returns the seconds by which packing of one operand takes longer than its traffic into the first
/// cache.
double packing_seconds(const ResolvedSchedule& resolved, Operand operand) {
  const Machine& machine = resolved.machine;
  const std::size_t outside = loops_around_box(resolved.marks, resolved.nest, operand);
  const Nest branch = branches_of(resolved.nest, outside).front().nest;
  const Tile box = box_inside(branch, outside);
  const double cycles = packing_cycles(resolved, operand, box);
  // Rows outside the array are neither copied nor read.
  const double copied = operand == Operand::input ? stored_share(resolved.computation) : 1;
  const double copying = copied * cycles * packed_elements(resolved, operand) / machine.clock.hertz;
  return std::max(0.0,
                  std::max(copying, copying_beyond_seconds(resolved, operand, box)) -
                      packing_link(resolved, operand).seconds(machine, machine.caches.front()));
}

}  // namespace

double packing_seconds(const ResolvedSchedule& resolved) {
  if (resolved.machine.caches.empty()) return 0;
  return (resolved.marks.pack_input ? packing_seconds(resolved, Operand::input) : 0) +
         (resolved.marks.pack_weights ? packing_seconds(resolved, Operand::weights) : 0) +
         (resolved.marks.pack_output ? packing_seconds(resolved, Operand::output) : 0);
}

}  // namespace tileplan
