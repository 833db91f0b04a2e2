// SPDX-License-Identifier: Apache-2.0
// The execution is divided into the time in which a tensor streams and the remaining time, and both
// are added.
#include "partial_overlap.h"

#include <algorithm>
#include <cmath>

#include "branches.h"
#include "footprint.h"

namespace tileplan {
namespace {

/// Returns the time by which `stream` prolongs the part of `compute` during which it streams. A
/// small result is not computed as a difference of large times, because callers take a root of a
/// number nearly proportional to it, which would amplify the rounding error of the difference.
double added_seconds(const TensorStream& stream, double compute, double exponent) {
  const double during = stream.share * compute, seconds = stream.seconds;
  if (during < seconds)
    return seconds * std::pow(1 + std::pow(during / seconds, exponent), 1 / exponent) - during;
  return during <= 0
             ? seconds
             : during * std::expm1(std::log1p(std::pow(seconds / during, exponent)) / exponent);
}

/// Returns the seconds of steady traffic that prolongs `compute` by `added`, the inverse of
/// added_seconds(). Small times are again not computed as differences.
double seconds_that_add(double added, double compute, double exponent) {
  if (added < compute)
    return compute * std::pow(std::expm1(exponent * std::log1p(added / compute)), 1 / exponent);
  return added <= 0
             ? 0
             : (compute + added) *
                   std::pow(1 - std::pow(compute / (compute + added), exponent), 1 / exponent);
}

}  // namespace

double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut) {
  // The innermost loop that loads new elements of the tensor is at position first - 1.
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
    const double added = added_seconds(stream, compute, exponent);
    sum += added < compute ? power(compute) * std::expm1(exponent * std::log1p(added / compute))
                           : power(compute + added) - power(compute);
  }
  return std::max(busy, largest * std::pow(std::max(0.0, sum), 1 / exponent));
}

double partial_overlap_seconds(const std::vector<TensorStream>& streams,
                               const std::vector<double>& parts, double compute, double exponent) {
  const double whole = partial_overlap_seconds(streams, compute, exponent);
  if (parts.size() < 2) return whole;
  double added = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double during = parts[part] * compute;
    std::vector<TensorStream> own;
    for (const TensorStream& stream : streams) {
      const double share = stream.of_parts.empty() ? parts[part] : stream.of_parts[part];
      own.push_back({.seconds = share * stream.seconds, .share = stream.share});
    }
    added += added_seconds({.seconds = partial_overlap_seconds(own, during, exponent)}, during,
                           exponent);
  }
  return std::max(whole, seconds_that_add(added, compute, exponent));
}

}  // namespace tileplan
