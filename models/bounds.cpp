// SPDX-License-Identifier: Apache-2.0
// This file computes (LB1), and maximises (LB2) over segments of the execution whose numbers of
// loads form a geometric grid or are simple multiples of the capacity.
#include "bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

// Gives the ratio of neighbouring segment lengths that the search tries. The bound is flat around
// its maximum, so a finer grid hardly raises it (bounds_test).
constexpr double kSegmentRatio = 1.02;

// Lowers the number of segments a little before it is rounded up, so that the rounding error of
// `Segments::work` cannot raise the bound.
constexpr double kRounding = 1e-12;

// Returns the terms of an index whose loop has more than one iteration.
std::vector<Term> moving_terms(const Computation& computation, const DataDim& data) {
  std::vector<Term> terms = data.terms;
  std::erase_if(terms, [&](const Term& term) { return computation.extent(term.dim) == 1; });
  return terms;
}

// Returns true when each dimension of several iterations occurs in at least two tensors. The proof
// needs this, because only then do the indices of any two tensors determine an iteration.
bool each_dim_in_two_tensors(const Computation& computation) {
  for (int d = 0; d < computation.dims(); ++d) {
    const auto has_dim = [&](const TensorAccess& tensor) { return is_present(tensor, Dim{d}); };
    if (computation.extent(Dim{d}) > 1 && std::ranges::count_if(computation.tensors, has_dim) < 2)
      return false;
  }
  return true;
}

// Returns the number of taps of a window that may touch the same element, or 0 when `terms` are not
// a window. Taps that touch one element differ by multiples of stride / gcd, and the outputs that
// use them by multiples of dilation / gcd, so that both the taps and the outputs limit the number.
double window_reuse(const Computation& computation, const std::vector<Term>& terms) {
  if (terms.size() != 2) return 0;
  const bool first_is_tap = computation.role(terms[0].dim) == Role::reduction;
  const bool second_is_tap = computation.role(terms[1].dim) == Role::reduction;
  if (first_is_tap == second_is_tap) return 0;
  const Term& tap = terms[first_is_tap ? 0 : 1];
  const Term& output = terms[first_is_tap ? 1 : 0];
  const std::int64_t stride = std::abs(output.coefficient), dilation = std::abs(tap.coefficient);
  const std::int64_t common = std::gcd(stride, dilation);
  return static_cast<double>(std::min(ceil_div(computation.extent(tap.dim), stride / common),
                                      ceil_div(computation.extent(output.dim), dilation / common)));
}

// Bounds the multiply-adds of a segment, which is a part of the execution with a given number of
// loads. `sizes` holds the footprints of the whole problem in ascending order.
struct Segments {
  double volume = 0;
  double reuse = 1;
  double capacity = 1;
  std::array<double, kOperands> sizes{};

  // Returns the largest number of multiply-adds that `elements` distinct operand elements allow:
  // F(Y) of (LB2).
  double work(double elements) const {
    double product = 1;
    double left = elements;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double share = std::min(sizes[i], left / static_cast<double>(sizes.size() - i));
      product *= share;
      left -= share;
    }
    const double pairs = elements / 2 * (elements / 2);
    return std::min({volume, pairs, std::sqrt(reuse * product)});
  }

  // Returns the least number of full segments in the execution when a segment has `loads` loads.
  double full(double loads) const {
    return std::ceil(volume / work(capacity + loads) * (1 - kRounding)) - 1;
  }

  // Returns a bound on the loads of all full segments. A segment has a whole number of loads, so
  // `length` is rounded down unless segments of the next larger whole length are as many as
  // `segments`.
  double loads(double length, double segments) const {
    return segments * (full(std::ceil(length)) >= segments ? length : std::floor(length));
  }
};

double segment_bound(const Segments& segments) {
  const double s = segments.capacity;
  double best = 0;
  const auto improve = [&](double length, double count) {
    if (length >= 1 && length * count > best) best = std::max(best, segments.loads(length, count));
  };
  for (const double length : {s / 2, s, 2 * s, 3 * s}) improve(length, segments.full(length));
  double count = 1;
  for (double length = 1; count >= 1; length *= kSegmentRatio) {
    count = segments.full(length);
    improve(length, count);
  }
  return best;
}

}  // namespace

std::optional<double> sliding_reuse(const Computation& computation) {
  if (!each_dim_in_two_tensors(computation)) return std::nullopt;
  double reuse = 1;
  PerDim<int> slides;
  for (const TensorAccess& tensor : computation.tensors)
    for (const DataDim& data : tensor.data) {
      const std::vector<Term> terms = moving_terms(computation, data);
      if (terms.size() < 2) continue;
      for (const Term& term : terms) ++slides[term.dim];
      reuse *= window_reuse(computation, terms);
    }
  if (reuse == 0 || std::ranges::max(slides.values) > 1) return std::nullopt;
  return reuse;
}

LowerBound lower_bound(const Computation& computation, double capacity) {
  const Tile all = extents_of(computation);
  Segments segments{.volume = flops(computation) / 2 / computation.products, .capacity = capacity};
  double compulsory_bytes = 0;
  for (std::size_t t = 0; t < segments.sizes.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    segments.sizes[t] = static_cast<double>(footprint(tensor, all));
    compulsory_bytes += static_cast<double>(tensor.element_bytes()) * segments.sizes[t];
  }
  std::ranges::sort(segments.sizes);

  LowerBound result;
  result.compulsory = std::accumulate(segments.sizes.begin(), segments.sizes.end(), 0.0);
  if (const std::optional<double> reuse = sliding_reuse(computation)) {
    segments.reuse = *reuse;
    result.lb1 = std::max(0.0, 2 * segments.volume / std::sqrt(*reuse * capacity) - 2 * capacity);
    result.lb2 = segment_bound(segments);
  }
  result.bound = std::max({result.lb1, result.lb2, result.compulsory});
  result.bytes =
      std::max(static_cast<double>(computation.unit_bytes()) * result.bound, compulsory_bytes);
  return result;
}

}  // namespace tileplan
