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

/// Transforms in the first cache level take this multiple of their least cycles. The value is the
/// mean over F(2,3), F(4,3) and F(6,3) on one machine (docs/experiments.md).
constexpr double kOverPorts = 1.2;

std::int64_t lines_of(const Matrix<Rational>& matrix) {
  return static_cast<std::int64_t>(factored_program(matrix).lines.size());
}

/// Returns the cycles of `lines` vectors that cross the first link at `bytes_per_second`.
double link_cycles(std::int64_t lines, double bytes_per_second, const Machine& machine) {
  const double bytes =
      static_cast<double>(lines * machine.vector.lanes * bytes_of(machine.vector.element));
  return bytes_per_second > 0 ? bytes / bytes_per_second * machine.clock.hertz : 0;
}

TransformRate counted_rate(const WinogradTile& tile, const Machine& machine) {
  const std::int64_t products = tile.products();
  TransformRate rate{.outputs = {tile.height.outputs, tile.width.outputs},
                     .taps = {tile.height.taps, tile.width.taps},
                     .in_first = kOverPorts * port_cycles(input_work(tile), machine.vector),
                     .out_first = kOverPorts * port_cycles(output_work(tile), machine.vector)};
  rate.in_second = rate.in_first;
  rate.out_second = rate.out_first;
  if (machine.caches.empty()) return rate;
  const CacheLevel& first = machine.caches.front();
  rate.in_second = std::max(rate.in_first, link_cycles(products, write_rate(first), machine));
  rate.out_second =
      std::max(rate.out_first, link_cycles(products, first.fill_bytes_per_second, machine));
  return rate;
}

WinogradTile tile_of(const TransformRate& rate) {
  return {winograd_of({rate.outputs[0], rate.taps[0]}),
          winograd_of({rate.outputs[1], rate.taps[1]})};
}

int products_of(const TransformRate& rate) {
  return (rate.outputs[0] + rate.taps[0] - 1) * (rate.outputs[1] + rate.taps[1] - 1);
}

/// Returns the measured rate with the most similar number of products. Requires one.
const TransformRate& most_similar(const std::vector<TransformRate>& measured, int products) {
  return *std::ranges::min_element(measured, {}, [products](const TransformRate& rate) {
    return std::abs(products_of(rate) - products);
  });
}

}  // namespace

TransformWork input_work(const WinogradTile& tile) {
  const int high = tile.height.inputs(), wide = tile.width.inputs();
  return {.arithmetic = lines_of(tile.height.input) * wide + lines_of(tile.width.input) * high,
          .loads = tile.products(),
          .stores = tile.products()};
}

TransformWork output_work(const WinogradTile& tile) {
  const int rows = tile.height.outputs;
  return {.arithmetic = lines_of(tile.height.output) * tile.width.inputs() +
                        lines_of(tile.width.output) * rows,
          .loads = tile.products(),
          .stores = std::int64_t{rows} * tile.width.outputs};
}

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
  const TransformRate counted = counted_rate(tile, machine);
  if (measured.empty()) return counted;
  const TransformRate& similar = most_similar(measured, tile.products());
  const TransformRate estimate = counted_rate(tile_of(similar), machine);
  TransformRate rate = counted;
  rate.in_first *= similar.in_first / estimate.in_first;
  rate.out_first *= similar.out_first / estimate.out_first;
  rate.in_second *= similar.in_second / estimate.in_second;
  rate.out_second *= similar.out_second / estimate.out_second;
  return rate;
}

}  // namespace tileplan
