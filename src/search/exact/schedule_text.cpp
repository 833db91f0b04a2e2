// SPDX-License-Identifier: Apache-2.0
// This file writes the tiles and orders of a PerLevelSchedule as the loops of a Schedule, outermost
// first.
#include "check.h"
#include "exact.h"

namespace tileplan {
namespace {

class Writer {
 public:
  Writer(const Computation& computation, const KernelCombo& kernels, int lanes)
      : computation_(computation), kernels_(kernels), lanes_(lanes) {}

  /// Adds the loop over tiles of size `inner` inside a tile of size `outer`, unless both are equal.
  /// The blocks of an uneven split are multiples of `inside`.
  void loop(Dim dim, std::int64_t outer, std::int64_t inner, std::int64_t inside) {
    if (outer == inner) return;
    const bool sized = sized_by_lambda_[dim];
    sized_by_lambda_[dim] = outer % inner != 0;
    TILEPLAN_CHECK(!sized || !sized_by_lambda_[dim], "of a chain of tiles one may be uneven");
    if (sized_by_lambda_[dim]) {
      const auto [large, small] = uneven_blocks(outer, inner, inside);
      lambda(dim, {large, small});
    } else {
      add(sized ? Kind::rest : Kind::tile, dim, sized ? 0 : outer / inner);
    }
  }

  void lambda(Dim dim, std::vector<Part> parts) {
    if (dim == kernels_.vectorised)
      for (Part& part : parts) part.size /= lanes_;  // Schedules count vectors, not elements.
    add(Kind::lambda, dim, 0, std::move(parts));
  }

  void register_tile() {
    const Dim vectorised = kernels_.vectorised;
    for (int d = 0; d < computation_.dims(); ++d)
      if (Dim{d} != vectorised) unroll(Dim{d}, kernels_.base[Dim{d}]);
    unroll(vectorised, kernels_.base[vectorised] / lanes_);
    add(Kind::vector, vectorised, 0);
  }

  Schedule take() { return std::move(schedule_); }

 private:
  void unroll(Dim dim, std::int64_t size) {
    const bool is_sized = lambda_of(kernels_, dim) != nullptr;
    if (is_sized || size > 1) add(Kind::unroll, dim, is_sized ? 0 : size);
  }
  void add(Kind kind, Dim dim, std::int64_t count, std::vector<Part> parts = {}) {
    schedule_.loops.push_back({kind, computation_.name(dim), count, std::move(parts)});
  }

  const Computation& computation_;
  const KernelCombo& kernels_;
  int lanes_;
  Schedule schedule_;
  /// Tells, for each dimension, whether a list of blocks (lambda) sets the size of the next loop
  /// inwards.
  PerDim<bool> sized_by_lambda_{};
};

/// Returns the next smaller size of `dim` in the tiles inside `level`, or `base` if they all have
/// the size of `level`.
std::int64_t smaller_inside(const PerLevelSchedule& per_level, std::size_t level, Dim dim,
                            std::int64_t base) {
  for (std::size_t l = level; l-- > 0;)
    if (per_level.tiles[l][dim] != per_level.tiles[level][dim]) return per_level.tiles[l][dim];
  return base;
}

}  // namespace

Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const PerLevelSchedule& per_level, int lanes) {
  Writer writer(computation, kernels, lanes);
  Tile within = covered_extents(computation, kernels.vectorised, lanes);
  for (std::size_t l = per_level.tiles.size(); l-- > 0;) {
    if (!classes.classes.empty())
      for (const Dim dim : classes.classes[per_level.classes[l]].order)
        writer.loop(dim, within[dim], per_level.tiles[l][dim],
                    smaller_inside(per_level, l, dim, kernels.base[dim]));
    within = per_level.tiles[l];
  }
  const auto is_reduction = [&](Dim dim) { return computation.role(dim) == Role::reduction; };
  for (int d = 0; d < computation.dims(); ++d)
    if (!is_reduction(Dim{d})) {
      writer.loop(Dim{d}, within[Dim{d}], kernels.base[Dim{d}], 1);
      if (const Lambda* const lambda = lambda_of(kernels, Dim{d}))
        writer.lambda(Dim{d}, lambda->parts);
    }
  // The last reduction is outermost, so that the input channels, contiguous in nhwc, are innermost.
  for (int d = computation.dims() - 1; d >= 0; --d)
    if (is_reduction(Dim{d})) writer.loop(Dim{d}, within[Dim{d}], kernels.base[Dim{d}], 1);
  writer.register_tile();
  return writer.take();
}

}  // namespace tileplan
