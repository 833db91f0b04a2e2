// SPDX-License-Identifier: Apache-2.0
// NestBuilder reads a schedule from the innermost specifier outwards and counts, for each
// dimension, the iterations of the specifiers read so far. The other functions compute the boxes
// and sizes of a finished nest.
#include "nest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "check.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error("schedule: " + why); }

/// Returns a * b or, on overflow, the largest 64-bit number. This number equals no extent, so
/// checks that compare extents fail.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return multiply_overflows(a, b, product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// Returns the innermost dimension that occurs in the weights and the output alone, or nothing.
std::optional<Dim> channel_dim(const Computation& computation) {
  for (int d = computation.dims(); d-- > 0;)
    if (computation.role(Dim{d}) == Role::channel) return Dim{d};
  return std::nullopt;
}

/// Describes how the specifiers that were read so far cover one dimension. Specifiers are read from
/// the innermost one outwards.
struct DimCoverage {
  std::int64_t iterations = 1;
  /// Tells whether U(d) was read, but not yet the L(d,...) or P(d,[...]) that gives its size.
  bool unsized = false;
  bool lambda = false;
  /// Holds the position of R(d), counted from the innermost loop, unless an L(d,...) or P(d,[...])
  /// around it was read, which sets its trips in each part. Otherwise the extent determines them.
  std::optional<std::size_t> rest = {};
};

template <class Marked>
auto marks_of(Marked& from) {
  return std::tie(from.in, from.out, from.pack_input, from.pack_weights, from.pack_output,
                  from.weights_in_place, from.winograd, from.prefetch, from.ahead, from.nontemporal,
                  from.isa, from.widen);
}

class NestBuilder {
 public:
  NestBuilder(const Computation& computation, int lanes)
      : computation_(computation), lanes_(lanes) {
    for (int i = 0; i < computation.dims(); ++i) nest_.base[Dim{i}] = 1;
  }

  void vector(const Specifier& v) {
    nest_.vectorised = computation_.dim(v.dim);
    require_output(v, nest_.vectorised, "V");
    if (computation_.role(nest_.vectorised) == Role::pixel && !channel_dim(computation_))
      refuse(to_string(v) + " has no dimension of the weights; vectors of pixels need one beside");
    nest_.base[nest_.vectorised] = lanes_;
    coverage_[nest_.vectorised].iterations = lanes_;
  }

  void pass(const Specifier& s) {
    const Dim dim = computation_.dim(s.dim);
    switch (s.kind) {
      case Kind::vector:
        refuse(to_string(s) + " is not innermost; V must be last, and once");
      case Kind::unroll:
        return unroll(s, dim);
      case Kind::lambda:
        return lambda(s, dim);
      case Kind::rest:
        return rest(s, dim);
      case Kind::parallel:
      case Kind::tile:
        return s.is_lambda() ? lambda(s, dim) : loop(s, dim);
    }
  }

  Nest build() {
    std::ranges::reverse(nest_.loops);
    const Tile extents = covered_extents(computation_, nest_.vectorised, lanes_);
    for (int i = 0; i < computation_.dims(); ++i) close(Dim{i}, extents[Dim{i}]);
    return nest_;
  }

 private:
  void unroll(const Specifier& s, Dim dim) {
    if (!nest_.loops.empty()) refuse(to_string(s) + " stands outside a loop; U must be inside all");
    DimCoverage& coverage = coverage_[dim];
    if (s.count == 0 && coverage.unsized) refuse(to_string(s) + " is there twice; must be once");
    coverage.unsized = coverage.unsized || s.count == 0;
    const std::int64_t factor = s.count == 0 ? 1 : positive(s, s.count);
    coverage.iterations = saturating_product(coverage.iterations, factor);
    nest_.base[dim] = saturating_product(nest_.base[dim], factor);
  }

  void loop(const Specifier& s, Dim dim) {
    coverage_[dim].iterations = saturating_product(coverage_[dim].iterations, positive(s, s.count));
    nest_.loops.push_back({.dim = dim, .trips = s.count, .parallel = is_parallel(s, dim)});
  }

  void require_output(const Specifier& s, Dim dim, const char* letter) const {
    if (computation_.role(dim) == Role::reduction)
      refuse(to_string(s) + ": " + s.dim + " is summed over; " + letter +
             " must be a dimension of the output");
  }

  bool is_parallel(const Specifier& s, Dim dim) const {
    if (s.kind == Kind::parallel) require_output(s, dim, "P");
    return s.kind == Kind::parallel;
  }

  void rest(const Specifier& s, Dim dim) {
    if (coverage_[dim].rest) refuse(to_string(s) + " is there twice; must be once");
    if (coverage_[dim].unsized)
      refuse(to_string(s) + " is around U(" + s.dim + ") without a size; L(" + s.dim +
             ",...) must be between");
    coverage_[dim].rest = nest_.loops.size();
    nest_.loops.push_back({.dim = dim});
  }

  void lambda(const Specifier& s, Dim dim) {
    DimCoverage& coverage = coverage_[dim];
    if (coverage.lambda)
      refuse(to_string(s) + ": blocks of " + s.dim + " a second time; must be once");
    if (!coverage.unsized && !coverage.rest)
      refuse(to_string(s) + " sizes nothing; U(" + s.dim + ") or R(" + s.dim +
             ") must be inside it");
    NestLoop loop{.dim = dim, .trips = 0, .parallel = is_parallel(s, dim)};
    std::int64_t block = 0;
    for (const Part& part : s.parts) {
      const std::int64_t size = branch_size(s, dim, part);
      loop.parts.push_back({positive(s, part.times), size});
      if (__builtin_add_overflow(block, saturating_product(part.times, size), &block))
        block = std::numeric_limits<std::int64_t>::max();
    }
    (coverage.rest ? nest_.loops[*coverage.rest].trips : nest_.base[dim]) = 0;
    coverage = {.iterations = block, .lambda = true};
    nest_.loops.push_back(std::move(loop));
  }

  /// Returns the number of iterations that one block of `part` covers. The text gives sizes along
  /// the vectorised dimension in vectors.
  std::int64_t branch_size(const Specifier& s, Dim dim, const Part& part) const {
    const std::int64_t unit = dim == nest_.vectorised ? lanes_ : 1;
    const std::int64_t inner = coverage_[dim].iterations / unit;
    if (positive(s, part.size) % inner != 0)
      refuse(to_string(s) + ": a block of " + std::to_string(part.size) + " over the " +
             std::to_string(inner) + " iterations of " + s.dim + " inside it; must be a multiple");
    return saturating_product(part.size, unit);
  }

  static std::int64_t positive(const Specifier& s, std::int64_t count) {
    if (count < 1) refuse(to_string(s) + " has a count below 1; must be at least 1");
    return count;
  }

  void close(Dim dim, std::int64_t extent) {
    const DimCoverage& coverage = coverage_[dim];
    const std::string& name = computation_.name(dim);
    if (coverage.unsized)
      refuse("U(" + name + ") has no size; L(" + name + ",...) must be around it");
    if (coverage.rest && extent % coverage.iterations == 0) {
      nest_.loops[nest_.loops.size() - 1 - *coverage.rest].trips = extent / coverage.iterations;
      return;
    }
    if (coverage.iterations == extent) return;
    std::string size = std::to_string(computation_.extent(dim));
    if (extent != computation_.extent(dim))
      size += ", " + std::to_string(extent) + " in whole vectors";
    const bool more = coverage.iterations == std::numeric_limits<std::int64_t>::max();
    refuse("dimension " + name + " is covered " + (more ? "at least " : "") +
           std::to_string(coverage.iterations) + " times" +
           (coverage.rest ? " inside R(" + name + "), which must divide" : "") +
           "; its extent is " + size);
  }

  const Computation& computation_;
  int lanes_;
  Nest nest_;  ///< Holds the loops innermost first until `build` reverses them.
  PerDim<DimCoverage> coverage_;
};

}  // namespace

Marks::Marks(const Schedule& schedule) { marks_of(*this) = marks_of(schedule); }

Schedule with_marks(std::vector<Specifier> loops, const Marks& marks) {
  Schedule schedule{.loops = std::move(loops)};
  marks_of(schedule) = marks_of(marks);
  return schedule;
}

std::int64_t NestLoop::blocks() const {
  return std::accumulate(parts.begin(), parts.end(), trips,
                         [](std::int64_t sum, const Part& part) { return sum + part.times; });
}

Nest resolve(const Schedule& schedule, const Computation& computation, int lanes) {
  const std::vector<Specifier>& loops = schedule.loops;
  if (std::ranges::none_of(loops, [](const Specifier& s) { return s.kind == Kind::vector; }))
    refuse("V is missing; the last specifier must be V");
  if (loops.back().kind != Kind::vector)
    refuse(to_string(loops.back()) + " is innermost; the last specifier must be V");
  NestBuilder builder(computation, lanes);
  builder.vector(loops.back());
  for (auto s = std::next(loops.rbegin()); s != loops.rend(); ++s) builder.pass(*s);
  return builder.build();
}

Dim weights_dim(const Computation& computation, Dim vectorised) {
  if (computation.role(vectorised) != Role::pixel) return vectorised;
  const std::optional<Dim> channel = channel_dim(computation);
  TILEPLAN_CHECK(channel, "vectors of pixels beside weights without a channel");
  return *channel;
}

std::int64_t weights_group(const Computation& computation, const Nest& nest, std::size_t first) {
  const Dim blocked = weights_dim(computation, nest.vectorised);
  std::size_t enclosed = first;
  for (std::size_t i = first; i < nest.loops.size(); ++i) {
    const NestLoop& loop = nest.loops[i];
    const Role role = computation.role(loop.dim);
    if (loop.dim == blocked && loop.is_lambda()) break;
    if (loop.dim == blocked || (role != Role::batch && role != Role::channel)) continue;
    if (loop.is_active()) enclosed = i;
  }
  return box_inside(nest, enclosed)[blocked];
}

std::int64_t covered(const std::vector<Part>& parts) {
  return std::accumulate(
      parts.begin(), parts.end(), std::int64_t{0},
      [](std::int64_t sum, const Part& part) { return sum + part.times * part.size; });
}

Nest with_part(const Nest& nest, std::size_t lambda, const Part& part) {
  Nest chosen = nest;
  const Dim dim = nest.loops[lambda].dim;
  std::int64_t* sized = &chosen.base[dim];
  // Holds the product of those sizes along `dim` inside the lambda that the lambda does not set.
  std::int64_t inside = 1;
  for (std::size_t i = lambda + 1; i < nest.loops.size(); ++i) {
    NestLoop& loop = chosen.loops[i];
    if (loop.dim != dim) continue;
    if (loop.trips != 0)
      inside *= loop.trips;
    else
      sized = &loop.trips;
  }
  if (sized != &chosen.base[dim]) inside *= chosen.base[dim];
  *sized = part.size / inside;
  chosen.loops[lambda].trips = part.times;
  chosen.loops[lambda].parts.clear();
  return chosen;
}

std::vector<Dim> unrolled_reductions(const Computation& computation) {
  std::vector<Dim> dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == Role::reduction) dims.push_back(Dim{d});
  if (!dims.empty()) std::rotate(dims.begin(), dims.begin() + 1, dims.end());
  return dims;
}

Tile covered_extents(const Computation& computation, Dim vectorised, int lanes) {
  Tile extents = extents_of(computation);
  extents[vectorised] = round_up(extents[vectorised], lanes);
  return extents;
}

Tile box_inside(const Nest& nest, std::size_t position) {
  Tile box = nest.base;
  for (std::size_t i = nest.loops.size(); i-- > position;) {
    const NestLoop& loop = nest.loops[i];
    box[loop.dim] = loop.is_lambda() ? covered(loop.parts) : box[loop.dim] * loop.trips;
  }
  return box;
}

}  // namespace tileplan
