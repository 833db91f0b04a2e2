// SPDX-License-Identifier: Apache-2.0
// Shares of the execution by counting the loops that reuse; times in two phases, with and without
// the stream.
#include "burst.h"

#include <algorithm>
#include <cmath>

#include "ahead.h"
#include "flat.h"

namespace tileplan {

namespace {

bool is_active(const NestLoop& loop) { return loop.is_lambda() || loop.trips > 1; }

std::int64_t blocks_of(const NestLoop& loop) {
  if (!loop.is_lambda()) return loop.trips;
  std::int64_t blocks = 0;
  for (const Part& part : loop.parts) blocks += part.times;
  return blocks;
}

}  // namespace

std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut) {
  std::size_t position = 0;
  for (; position < nest.loops.size(); ++position) {
    const Tile box = box_inside(nest, position);
    bool held = true;
    for (int d = 0; d < computation.dims(); ++d) held = held && box[Dim{d}] <= cut[Dim{d}];
    if (held) break;
  }
  return position;
}

double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut) {
  std::size_t first = 0;  // loop inside the innermost one that brings new elements
  for (std::size_t i = 0; i < loops_outside(computation, nest, cut); ++i)
    if (is_active(nest.loops[i]) && is_present(tensor, nest.loops[i].dim)) first = i + 1;
  double reuses = 1;
  for (std::size_t i = first; i < reduction_band(computation, nest); ++i)
    if (!is_present(tensor, nest.loops[i].dim))
      reuses *= static_cast<double>(blocks_of(nest.loops[i]));
  return 1 / reuses;
}

double burst_seconds(const std::vector<Stream>& streams, double compute, double exponent) {
  double largest = compute, steady = 0;
  for (const Stream& stream : streams) {
    largest = std::max(largest, stream.seconds);
    if (stream.share >= 1) steady += stream.seconds;
  }
  largest = std::max(largest, steady);
  if (largest <= 0) return 0;
  // Relative to the largest, so that small times do not vanish in the power.
  const auto power = [&](double seconds) { return std::pow(seconds / largest, exponent); };
  double sum = power(steady);
  for (const Stream& stream : streams) {
    if (stream.share >= 1) continue;
    const double during =
        largest * std::pow(power(stream.share * compute) + power(stream.seconds), 1 / exponent);
    sum += power((1 - stream.share) * compute + during) - power(compute);
  }
  return largest * std::pow(std::max(0.0, sum), 1 / exponent);
}

}  // namespace tileplan
