// SPDX-License-Identifier: Apache-2.0
// This file writes a band schedule as specifiers, outermost first.
#include "check.h"
#include "exact.h"

namespace tileplan {
namespace {

class Writer {
 public:
  Writer(const Computation& computation, const KernelCombo& kernels, int lanes)
      : computation_(computation), kernels_(kernels), lanes_(lanes) {}

  /// Adds the loop from `outer` to `inner`, whose next smaller tile is `inside`.
  void loop(Dim dim, std::int64_t outer, std::int64_t inner, std::int64_t inside) {
    if (outer == inner) return;
    const bool sized = sized_by_lambda_[dim];
    sized_by_lambda_[dim] = outer % inner != 0;
    TILEPLAN_CHECK(!sized || !sized_by_lambda_[dim], "of a chain of tiles one may be uneven");
    if (sized_by_lambda_[dim])
      lambda(dim, uneven_blocks(outer, inner, inside));
    else if (sized)
      add({Kind::rest, computation_.name(dim), 0, {}});
    else
      add({Kind::tile, computation_.name(dim), outer / inner, {}});
  }

  void lambda(Dim dim, const Blocks& blocks) {
    const std::int64_t unit = dim == kernels_.vectorised ? lanes_ : 1;
    const auto [large, small] = blocks;
    add({Kind::lambda,
         computation_.name(dim),
         0,
         {{large.times, large.size / unit}, {small.times, small.size / unit}}});
  }

  void lambda(const Lambda& lambda) {
    Specifier node{Kind::lambda, computation_.name(lambda.dim), 0, lambda.parts};
    if (lambda.dim == kernels_.vectorised)
      for (Part& part : node.parts) part.size /= lanes_;  // the text counts vectors
    add(std::move(node));
  }

  void register_tile() {
    const Dim vectorised = kernels_.vectorised;
    for (int d = 0; d < computation_.dims(); ++d)
      if (Dim{d} != vectorised) unroll(Dim{d}, kernels_.base[Dim{d}]);
    unroll(vectorised, kernels_.base[vectorised] / lanes_);
    add({Kind::vector, computation_.name(vectorised), 0, {}});
  }

  Schedule take() { return std::move(schedule_); }

 private:
  void unroll(Dim dim, std::int64_t size) {
    if (lambda_of(kernels_, dim))
      add({Kind::unroll, computation_.name(dim), 0, {}});
    else if (size > 1)
      add({Kind::unroll, computation_.name(dim), size, {}});
  }
  void add(Specifier specifier) { schedule_.loops.push_back(std::move(specifier)); }

  const Computation& computation_;
  const KernelCombo& kernels_;
  int lanes_;
  Schedule schedule_;
  PerDim<bool> sized_by_lambda_{};  ///< for the next loop inwards
};

/// Returns the next smaller tile inside the tile of `level` along `dim`.
std::int64_t smaller_inside(const BandSchedule& band, std::size_t level, Dim dim,
                            std::int64_t base) {
  for (std::size_t l = level; l-- > 0;)
    if (band.tiles[l][dim] != band.tiles[level][dim]) return band.tiles[l][dim];
  return base;
}

}  // namespace

Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const BandSchedule& band, int lanes) {
  Writer writer(computation, kernels, lanes);
  Tile within = covered_extents(computation, kernels.vectorised, lanes);
  for (std::size_t l = band.tiles.size(); l-- > 0;) {
    if (!classes.classes.empty())
      for (const Dim dim : classes.classes[band.classes[l]].order)
        writer.loop(dim, within[dim], band.tiles[l][dim],
                    smaller_inside(band, l, dim, kernels.base[dim]));
    within = band.tiles[l];
  }
  const auto is_reduction = [&](Dim dim) { return computation.role(dim) == Role::reduction; };
  for (int d = 0; d < computation.dims(); ++d)
    if (!is_reduction(Dim{d})) {
      writer.loop(Dim{d}, within[Dim{d}], kernels.base[Dim{d}], 1);
      if (const Lambda* const lambda = lambda_of(kernels, Dim{d})) writer.lambda(*lambda);
    }
  // Reductions go backwards so that the input channels, contiguous in nhwc, are innermost.
  for (int d = computation.dims() - 1; d >= 0; --d)
    if (is_reduction(Dim{d})) writer.loop(Dim{d}, within[Dim{d}], kernels.base[Dim{d}], 1);
  writer.register_tile();
  return writer.take();
}

}  // namespace tileplan
