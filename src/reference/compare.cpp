// SPDX-License-Identifier: Apache-2.0
// This file chooses outputs and compares them. It chooses corners of the tensor and borders of
// tiles first, because kernels fail there most often.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "buffers.h"
#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

/// Points at edges of tiles are added until they and the corners of the tensor are this share of
/// OutputChoice::count. The others are random points, which find errors inside tiles.
constexpr double kEdgeShare = 0.75;
/// Each round draws one point at each edge. The number of rounds is limited, because the distinct
/// points at edges can be fewer than kEdgeShare demands.
constexpr int kEdgeRounds = 64;

class OutputChooser {
 public:
  OutputChooser(const Computation& computation, const TensorLayout& output,
                const OutputChoice& choice)
      : computation_(computation),
        output_(output),
        dims_(output_dims(computation)),
        state_(choice.seed) {}

  std::size_t size() const { return points_.size(); }

  void add(const Tile& point) {
    const auto offset = element_index(computation_.tensor(Operand::output), output_, point);
    if (places_.insert(offset).second) points_.push_back({point, offset});
  }

  void add_all() {
    Tile point;
    do {
      add(point);
    } while (advance(computation_, dims_, point));
  }

  void add_corners() {
    for (std::size_t mask = 0; mask < std::size_t{1} << dims_.size(); ++mask) {
      Tile point;
      for (std::size_t i = 0; i < dims_.size(); ++i)
        point[dims_[i]] = (mask >> i & 1) != 0 ? computation_.extent(dims_[i]) - 1 : 0;
      add(point);
    }
  }

  void add_random() {
    Tile point;
    for (const Dim dim : dims_) point[dim] = below(computation_.extent(dim));
    add(point);
  }

  /// Draws one output point on each of `edges` along each dimension, until there are `most` points,
  /// and adds those that are new.
  void add_edges(const TileStarts& edges, std::size_t most) {
    for (const Dim dim : dims_)
      for (const std::int64_t edge : edges[dim]) {
        if (size() >= most) return;
        Tile point = random_point(edges);
        point[dim] = edge;
        add(point);
      }
  }

  std::vector<OutputPoint> sorted() && {
    std::ranges::sort(points_, {}, &OutputPoint::offset);
    return std::move(points_);
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next_random(state_) % static_cast<std::uint64_t>(limit));
  }

  /// Returns a point. Each of its indices is a random edge with probability 1/2, and any index
  /// otherwise.
  Tile random_point(const TileStarts& edges) {
    Tile point;
    for (const Dim dim : dims_) {
      const auto on_edge = static_cast<std::size_t>(below(std::ssize(edges[dim])));
      point[dim] = below(2) == 0 ? below(computation_.extent(dim)) : edges[dim][on_edge];
    }
    return point;
  }

  const Computation& computation_;
  const TensorLayout& output_;
  std::vector<Dim> dims_;
  std::uint64_t state_;
  std::unordered_set<std::size_t> places_;
  std::vector<OutputPoint> points_;
};

/// Returns the first and the last index, and the indices on both sides of each tile start.
std::vector<std::int64_t> edges_of(std::int64_t extent, const std::vector<std::int64_t>& starts) {
  std::vector<std::int64_t> edges = {0, extent - 1};
  for (const std::int64_t start : starts)
    if (start > 0 && start < extent) edges.insert(edges.end(), {start - 1, start});
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Returns the absolute error of `got`. Equal infinities agree. No other result agrees with an
/// infinity or with a NaN.
double error_of(double got, double expected) {
  const double error = got == expected ? 0 : std::abs(got - expected);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

class LargestError {
 public:
  explicit LargestError(double magnitude) : magnitude_(magnitude) {}

  void add(std::size_t offset, double expected, double got) {
    const double error = error_of(got, expected);
    // An infinity must not count as a magnitude, from which a tolerance follows.
    if (std::isfinite(expected)) magnitude_ = std::max(magnitude_, std::abs(expected));
    if (check_.compared++ != 0 && error <= check_.largest_error) return;
    check_.largest_error = error;
    check_.worst_index = offset;
    check_.expected = expected;
    check_.got = got;
  }

  Check check(const Computation& computation) {
    check_.tolerance = tolerance(computation, magnitude_);
    return check_;
  }

 private:
  Check check_;
  /// Holds the largest of the magnitude that the caller gave and of the absolute expected values.
  /// The tolerance grows with it.
  double magnitude_;
};

/// Calls `compare_all` with the elements of `got` and an object that collects their errors.
template <class CompareAll>
Check checked(const Computation& computation, const Values& got, double magnitude,
              const CompareAll& compare_all) {
  LargestError error(magnitude);
  std::visit([&](const auto values) { compare_all(values, error); }, got);
  return error.check(computation);
}

/// Calls `visit` with the position of every element, including the padding of the last block.
template <class Visit>
void for_each_element(const TensorAccess& access, const TensorLayout& layout, const Visit& visit,
                      std::size_t d = 0, std::int64_t base = 0) {
  if (d == access.data.size()) {
    visit(static_cast<std::size_t>(base));
    return;
  }
  const AxisLayout& axis = layout.axes[d];
  const std::int64_t extent = access.data[d].extent;
  const std::int64_t padded = axis.block == 0 ? extent : round_up(extent, axis.block);
  for (std::int64_t i = 0; i < padded; ++i)
    for_each_element(access, layout, visit, d + 1, base + axis.offset(i));
}

/// Returns the largest relative error of converting a sum in f32 to bf16 or f16, and 0 for other
/// types. The result and the reference can lie on different sides of a tie, so the error is a whole
/// unit in the last place.
double conversion_error(ElementType output) {
  if (output != ElementType::bf16 && output != ElementType::f16) return 0;
  return with_element(output, [](auto zero) -> double {
    return std::ldexp(1.0, 1 - significand_bits<decltype(zero)>());
  });
}

}  // namespace

std::vector<std::int64_t> tile_starts(std::int64_t extent, std::int64_t size) {
  std::vector<std::int64_t> starts;
  for (std::int64_t start = 0; start < extent; start += size) starts.push_back(start);
  return starts;
}

std::vector<OutputPoint> choose_outputs(const Computation& computation, const TensorLayout& output,
                                        const TileStarts& starts, const OutputChoice& choice) {
  OutputChooser chooser(computation, output, choice);
  TileStarts edges;
  double outputs = 1;
  for (const Dim dim : output_dims(computation)) {
    outputs *= static_cast<double>(computation.extent(dim));
    edges[dim] = edges_of(computation.extent(dim), starts[dim]);
  }
  if (outputs <= static_cast<double>(choice.count)) {
    chooser.add_all();
    return std::move(chooser).sorted();
  }
  chooser.add_corners();
  const auto most = static_cast<std::size_t>(kEdgeShare * static_cast<double>(choice.count));
  for (int round = 0; round < kEdgeRounds && chooser.size() < most; ++round)
    chooser.add_edges(edges, most);
  while (chooser.size() < choice.count) chooser.add_random();
  return std::move(chooser).sorted();
}

double reduction_length(const Computation& computation) {
  double length = 1;
  for (const Dim dim : reduction_dims(computation))
    length *= static_cast<double>(computation.extent(dim));
  return length;
}

double tolerance(const Computation& computation, double largest_expected) {
  // This factor allows for rounding errors that do not cancel.
  constexpr double kRoundings = 4;
  const ElementType output = computation.tensor(Operand::output).type;
  // Integer sums are exact in any order.
  if (is_integer(computation.tensor(Operand::input).type)) return 0;
  const double epsilon = output == ElementType::f64 ? std::numeric_limits<double>::epsilon()
                                                    : std::numeric_limits<float>::epsilon();
  const double root = std::sqrt(reduction_length(computation));
  // If there are few outputs, all can be near zero by chance although their partial sums were not,
  // so the tolerance has a lower limit.
  const double of_sums = kRoundings * epsilon * root * std::max(largest_expected, root / 3);
  return of_sums + conversion_error(output) * (largest_expected + of_sums);
}

Check compare(const Computation& computation, const TensorLayout& output, const Values& got,
              std::span<const double> expected, double magnitude) {
  return checked(computation, got, magnitude, [&](const auto values, LargestError& error) {
    TILEPLAN_CHECK(values.size() == expected.size() && std::ssize(values) == output.elements,
                   "compared buffers differ in size");
    for_each_element(computation.tensor(Operand::output), output, [&](std::size_t offset) {
      error.add(offset, expected[offset], static_cast<double>(values[offset]));
    });
  });
}

Check compare_within(const Computation& computation, const TensorLayout& output, const Values& got,
                     std::span<const double> expected, std::span<const double> tolerances) {
  const auto values = std::get<std::span<const float>>(got);
  Check worst;
  double largest_share = -1;
  for_each_element(computation.tensor(Operand::output), output, [&](std::size_t offset) {
    const double error = error_of(values[offset], expected[offset]);
    const double share = error == 0 ? 0 : error / tolerances[offset];
    ++worst.compared;
    if (share <= largest_share) return;
    largest_share = share;
    worst.largest_error = error;
    worst.tolerance = tolerances[offset];
    worst.worst_index = offset;
    worst.expected = expected[offset];
    worst.got = values[offset];
  });
  return worst;
}

Check compare_at(const Computation& computation, std::span<const OutputPoint> points,
                 const Values& got, std::span<const double> expected, double magnitude) {
  TILEPLAN_CHECK(points.size() == expected.size(), "one expected value per point");
  return checked(computation, got, magnitude, [&](const auto values, LargestError& error) {
    for (std::size_t i = 0; i < points.size(); ++i)
      error.add(points[i].offset, expected[i], static_cast<double>(values[points[i].offset]));
  });
}

Check compare_results(const Computation& computation, const Values& got, const Values& expected,
                      double magnitude) {
  const auto compare_all = [&](const auto values, LargestError& error) {
    const auto others = std::get<std::decay_t<decltype(values)>>(expected);
    for (std::size_t i = 0; i < values.size(); ++i)
      error.add(i, static_cast<double>(others[i]), static_cast<double>(values[i]));
  };
  Check check = checked(computation, got, magnitude, compare_all);
  check.tolerance *= 2;
  return check;
}

}  // namespace tileplan
