// SPDX-License-Identifier: Apache-2.0
// Rates that were not measured follow from counted operations.
#include "winograd_transforms.h"

#include <algorithm>
#include <cstdlib>

#include "link.h"
#include "straight_line_program.h"
#include "winograd_points.h"

namespace tileplan {
namespace {

/// Gives the ratio of measured cycles to port_cycles() of transforms in the first cache level. The
/// value is the mean over F(2,3), F(4,3) and F(6,3) on one machine (docs/experiments.md).
constexpr double kOverPorts = 1.2;

std::int64_t lines_of(const Matrix<Rational>& matrix) {
  return static_cast<std::int64_t>(factored_program(matrix).lines.size());
}

/// Holds the size F(m, r) of one direction and the operations of its transforms.
struct Direction {
  WinogradSize size = {};
  TransformOperations operations = {};

  std::int64_t inputs() const { return size.outputs + size.taps - 1; }
};

/// Returns the size of `matrices` with the operations of winograd_points() where these exist,
/// because measured rates are rates of transforms with these points.
Direction direction_of(const WinogradMatrices& matrices) {
  const WinogradSize size{matrices.outputs, matrices.taps};
  if (const auto known = winograd_operations(size)) return {size, *known};
  return {size, {.input = lines_of(matrices.input), .output = lines_of(matrices.output)}};
}

/// Returns F(m, r) with the operations of winograd_points(). Matrices are made only for sizes whose
/// operations are not stored.
Direction direction_of(WinogradSize size) {
  const auto known = winograd_operations(size);
  return known ? Direction{size, *known} : direction_of(winograd_of(size));
}

/// Holds F(m, r) of both directions.
struct Directions {
  Direction height, width;

  explicit Directions(const WinogradTile& tile)
      : height(direction_of(tile.height)), width(direction_of(tile.width)) {}
  explicit Directions(const TransformRate& rate)
      : height(direction_of(WinogradSize{rate.outputs[0], rate.taps[0]})),
        width(direction_of(WinogradSize{rate.outputs[1], rate.taps[1]})) {}

  std::int64_t products() const { return height.inputs() * width.inputs(); }
  TransformWork input_work() const {
    return {.arithmetic =
                height.operations.input * width.inputs() + width.operations.input * height.inputs(),
            .loads = products(),
            .stores = products()};
  }
  TransformWork output_work() const {
    return {.arithmetic = height.operations.output * width.inputs() +
                          width.operations.output * height.size.outputs,
            .loads = products(),
            .stores = std::int64_t{height.size.outputs} * width.size.outputs};
  }
};

/// Returns the cycles in which `lines` vectors cross the link into the first cache at
/// `bytes_per_second`, or 0 if this rate is 0, which stands for an unknown one.
double link_cycles(std::int64_t lines, double bytes_per_second, const Machine& machine) {
  const double bytes =
      static_cast<double>(lines * machine.vector.lanes * bytes_of(machine.vector.element));
  return bytes_per_second > 0 ? bytes / bytes_per_second * machine.clock.hertz : 0;
}

TransformRate counted_rate(const Directions& tile, const Machine& machine) {
  const WinogradSize height = tile.height.size, width = tile.width.size;
  TransformRate rate{.outputs = {height.outputs, width.outputs},
                     .taps = {height.taps, width.taps},
                     .in_first = kOverPorts * port_cycles(tile.input_work(), machine.vector),
                     .out_first = kOverPorts * port_cycles(tile.output_work(), machine.vector)};
  rate.in_second = rate.in_first;
  rate.out_second = rate.out_first;
  if (machine.caches.empty()) return rate;
  const CacheLevel& first = machine.caches.front();
  rate.in_second =
      std::max(rate.in_first, link_cycles(tile.products(), write_rate(first), machine));
  rate.out_second =
      std::max(rate.out_first, link_cycles(tile.products(), first.fill_bytes_per_second, machine));
  return rate;
}

int products_of(const TransformRate& rate) {
  return (rate.outputs[0] + rate.taps[0] - 1) * (rate.outputs[1] + rate.taps[1] - 1);
}

/// Returns true when the operations of F(outputs, taps) are known. A machine may have rates of
/// other sizes, whose points are not known.
bool has_operations(int outputs, int taps) {
  const WinogradSize size{outputs, taps};
  return size == WinogradSize{} || winograd_operations(size).has_value();
}

/// Returns the measured rate with known operations whose number of products is most similar to
/// `products`, or null if there is none.
const TransformRate* most_similar(const std::vector<TransformRate>& measured, int products) {
  const TransformRate* best = nullptr;
  const auto distance = [&](const TransformRate& rate) {
    return std::abs(products_of(rate) - products);
  };
  for (const TransformRate& rate : measured)
    if (has_operations(rate.outputs[0], rate.taps[0]) &&
        has_operations(rate.outputs[1], rate.taps[1]) &&
        (best == nullptr || distance(rate) < distance(*best)))
      best = &rate;
  return best;
}

}  // namespace

TransformWork input_work(const WinogradTile& tile) { return Directions(tile).input_work(); }
TransformWork output_work(const WinogradTile& tile) { return Directions(tile).output_work(); }

double port_cycles(const TransformWork& work, const VectorUnit& unit) {
  return std::max({static_cast<double>(work.arithmetic) / unit.fma_units,
                   static_cast<double>(work.loads) / unit.load_ports,
                   static_cast<double>(work.stores) / unit.store_ports});
}

TransformRate transform_rate(const WinogradTile& tile, const Machine& machine) {
  const std::vector<TransformRate>& measured = machine.rates.transforms;
  const std::array<int, 2> outputs{tile.height.outputs, tile.width.outputs};
  const std::array<int, 2> taps{tile.height.taps, tile.width.taps};
  const auto same = std::ranges::find_if(measured, [&](const TransformRate& rate) {
    return rate.outputs == outputs && rate.taps == taps;
  });
  if (same != measured.end()) return *same;
  const TransformRate counted = counted_rate(Directions(tile), machine);
  const TransformRate* const similar = most_similar(measured, tile.products());
  if (similar == nullptr) return counted;
  const TransformRate estimate = counted_rate(Directions(*similar), machine);
  TransformRate rate = counted;
  rate.in_first *= similar->in_first / estimate.in_first;
  rate.out_first *= similar->out_first / estimate.out_first;
  rate.in_second *= similar->in_second / estimate.in_second;
  rate.out_second *= similar->out_second / estimate.out_second;
  return rate;
}

}  // namespace tileplan
