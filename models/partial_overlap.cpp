// SPDX-License-Identifier: Apache-2.0
// The execution is divided into the time in which a tensor streams and the remaining time, and both
// are added.
#include "partial_overlap.h"

#include <algorithm>
#include <cmath>

#include "branches.h"
#include "footprint.h"

namespace tileplan {

double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut) {
  // The innermost loop that loads new elements of the tensor is outside position `first`.
  std::size_t first = 0;
  const std::size_t outside = loops_outside(computation, nest, cut);
  for (std::size_t i = 0; i < outside; ++i)
    if (nest.loops[i].is_active() && is_present(tensor, nest.loops[i].dim)) first = i + 1;
  const std::size_t begin = std::max(first, microkernel_begin(computation, nest));
  std::int64_t fills = 0, uses = 0;
  for (const Branch& branch : branches_of(nest, first)) {
    const std::int64_t blocks = iterations_of(branch.nest, 0, first, kAllDims);
    fills += blocks;
    uses += blocks * iterations_of(branch.nest, first, begin, ~present_dims(tensor));
  }
  return static_cast<double>(fills) / static_cast<double>(uses);
}

double partial_overlap_seconds(const std::vector<TensorStream>& streams, double compute,
                               double exponent) {
  double largest = compute, steady = 0, busy = 0;
  for (const TensorStream& stream : streams) {
    busy += stream.seconds;
    largest = std::max(largest, stream.seconds);
    if (stream.share >= 1) steady += stream.seconds;
  }
  largest = std::max(largest, steady);
  if (largest <= 0) return 0;
  // Times are divided by the largest, because the powers of small times would underflow.
  const auto power = [&](double seconds) { return std::pow(seconds / largest, exponent); };
  double sum = power(steady);
  for (const TensorStream& stream : streams) {
    if (stream.share >= 1) continue;
    const double during =
        largest * std::pow(power(stream.share * compute) + power(stream.seconds), 1 / exponent);
    sum += power((1 - stream.share) * compute + during) - power(compute);
  }
  return std::max(busy, largest * std::pow(std::max(0.0, sum), 1 / exponent));
}

}  // namespace tileplan
