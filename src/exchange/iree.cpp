// SPDX-License-Identifier: Apache-2.0
// This file maps the loops of a schedule to the tiling levels of IREE's CPU pipelines.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "linalg_operation.h"
#include "nest.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

/// Describes a level of IREE's lowering_config. The loops of a level run over indices of the output
/// or over summed indices (`sums`), never over both. Their order is that of the operation's
/// dimensions.
struct TilingLevel {
  const char* name;
  bool sums;
};

/// The levels are listed outermost first.
constexpr TilingLevel kProductLevels[] = {{"distribution", false},
                                          {"cache_parallel", false},
                                          {"cache_reduction", true},
                                          {"vector_common_parallel", false},
                                          {"vector_reduction", true}};
constexpr TilingLevel kConvLevels[] = {
    {"distribution", false}, {"vector_common_parallel", false}, {"vector_reduction", true}};

/// Assigns the loops of a nest to levels, from the innermost loop outwards.
class LevelAssignment {
 public:
  LevelAssignment(const Computation& computation, const LinalgOperation& operation,
                  const Nest& nest)
      : computation_(computation),
        operation_(operation),
        nest_(nest),
        levels_(is_linalg_conv(computation) ? std::span<const TilingLevel>(kConvLevels)
                                            : std::span<const TilingLevel>(kProductLevels)),
        tiles_(levels_.size()),
        level_(levels_.size() - 1),
        is_parallel_(std::ranges::any_of(nest.loops, &NestLoop::parallel)) {
    tiles_[level_] = box_inside(nest, nest.loops.size());
    fits_ = true;
    for (std::size_t i = nest.loops.size(); i-- > 0 && fits_;)
      if (nest.loops[i].trips > 1) fits_ = assign(i);
    while (level_ > 0) tiles_[--level_] = box_inside(nest, 0);
  }

  /// Returns true when the levels run all loops of the nest in its order.
  bool fits() const { return fits_; }

  /// Returns a list of all levels with their sizes, which begins for example with "distribution =
  /// [64, 64, 0], cache_parallel = ".
  std::string text() const {
    std::vector<std::string> levels;
    levels.reserve(levels_.size());
    for (std::size_t i = 0; i < levels_.size(); ++i)
      levels.push_back(fill("$ = [$]", {levels_[i].name, comma_separated(sizes_of(i))}));
    return comma_separated(levels);
  }

  /// Returns the sizes of the register tile along the indices of the output, such as "8, 32".
  std::string register_tile() const {
    std::vector<std::string> sizes;
    for (const std::optional<Dim>& dim : operation_.dims)
      if (computation_.role(*dim) != Role::reduction)
        sizes.push_back(std::to_string(nest_.base[*dim]));
    return comma_separated(sizes);
  }

 private:
  bool assign(std::size_t place) {
    while (!accepts(nest_.loops[place])) {
      if (level_ == 0) return false;
      tiles_[--level_] = box_inside(nest_, place + 1);
      inner_ = operation_.dims.size();
    }
    inner_ = operation_.position_of(nest_.loops[place].dim);
    return true;
  }

  /// Returns true if the current level can run `loop` around the loops that it already has.
  bool accepts(const NestLoop& loop) const {
    const bool is_sum = computation_.role(loop.dim) == Role::reduction;
    if (is_sum != levels_[level_].sums || operation_.position_of(loop.dim) >= inner_) return false;
    return level_ == 0 ? loop.parallel == is_parallel_ : !loop.parallel;
  }

  std::vector<std::string> sizes_of(std::size_t level) const {
    std::vector<std::string> sizes;
    sizes.reserve(operation_.dims.size());
    for (const std::optional<Dim>& dim : operation_.dims) {
      const bool is_sum = computation_.role(*dim) == Role::reduction;
      sizes.push_back(is_sum == levels_[level].sums ? std::to_string(tiles_[level][*dim]) : "0");
    }
    return sizes;
  }

  const Computation& computation_;
  const LinalgOperation& operation_;
  const Nest& nest_;
  std::span<const TilingLevel> levels_;
  std::vector<Tile> tiles_;  ///< The loops of each level step by the tile with the level's number.
  std::size_t level_;  ///< Loops that are not yet assigned belong to this level or an outer one.
  /// The outermost loop of the current level runs over the dimension with this number. A number
  /// beyond the dimensions means that the level has no loop yet.
  std::size_t inner_ = static_cast<std::size_t>(-1);
  bool is_parallel_;  ///< If true, the level `distribution` has the parallel loops and no others.
  bool fits_ = false;
};

/// Returns the reason why IREE does not turn the register tile of a convolution into vectors, or
/// nothing if the tile has one filter tap and one row or column of pixels.
std::optional<std::string> why_no_row(const Computation& computation, const Nest& nest) {
  const auto size = [&](const char* name) { return nest.base[computation.dim(name)]; };
  if (size("n") > 1 || (size("h") > 1 && size("w") > 1))
    return "a register tile of several rows of pixels";
  if (size("r") > 1 || size("s") > 1) return "several filter taps in a register tile";
  return std::nullopt;
}

/// Returns true if the width of the register tile is a power of two. IREE 3.13 turns other tiles
/// into scalar code, which is about 30 times as slow.
bool has_vector_rows(const Computation& computation, const LinalgOperation& operation,
                     const Nest& nest) {
  std::int64_t row = 1;
  for (const std::optional<Dim>& dim : operation.dims)
    if (computation.role(*dim) != Role::reduction) row = nest.base[*dim];
  return std::has_single_bit(static_cast<std::uint64_t>(row));
}

/// Returns the reason why IREE changes the dimensions of `operation`, or nothing if it does not. A
/// changed operation loses its configuration.
std::optional<std::string> why_no_config(const Computation& computation,
                                         const LinalgOperation& operation) {
  const bool is_conv = is_linalg_conv(computation);
  // The number of images is left unknown in the module, so IREE does not remove this dimension.
  for (std::size_t i = is_conv ? 1 : 0; i < operation.dims.size(); ++i)
    if (!operation.dims[i] || computation.extent(*operation.dims[i]) == 1)
      return "a loop of one iteration, which IREE removes from the operation";
  return std::nullopt;
}

/// Holds an MLIR module that computes the operation. For a convolution, it does not state the
/// number of images, because IREE would remove the dimension of a single image. The operation that
/// writes zeros has the register tile too, which is needed if a loop over sums is outside the
/// tiles.
constexpr const char* kIreeModule = R"(// $: $
#config = #iree_cpu.lowering_config<$>
#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<$>>
#vectors = #iree_cpu.lowering_config<vector_reduction = [$]>
#info = #iree_codegen.compilation_info<lowering_config = #config, translation_info = #translation>
func.func @product(%in: $, %weights: $) -> $ {
  %zero = arith.constant 0.0 : f32
$  %filled = linalg.fill {lowering_config = #vectors} ins(%zero : f32) outs(%empty : $) -> $
  %out = $ {$compilation_info = #info} ins(%in, %weights : $, $) outs(%filled : $) -> $
  return %out : $
}
)";
constexpr const char* kEmptyProduct = "  %empty = tensor.empty() : $\n";
constexpr const char* kEmptyConv = R"(  %first = arith.constant 0 : index
  %images = tensor.dim %in, %first : $
  %empty = tensor.empty(%images) : $
)";

}  // namespace

std::optional<std::string> why_no_iree(const Schedule& schedule, const Computation& computation,
                                       int lanes) {
  if (auto why = why_no_linalg(schedule, computation, lanes)) return why;
  if (std::ranges::any_of(schedule.loops, &Specifier::is_lambda)) return "an uneven split";
  const LinalgOperation operation = linalg_operation(computation);
  if (auto why = why_no_config(computation, operation)) return why;
  const Nest nest = resolve(schedule, computation, lanes);
  if (is_linalg_conv(computation))
    if (auto why = why_no_row(computation, nest)) return why;
  if (!has_vector_rows(computation, operation, nest))
    return "a register tile whose width is no power of two";
  if (!LevelAssignment(computation, operation, nest).fits())
    return "an order of loops that the tiling levels lack";
  return std::nullopt;
}

std::string iree_module(const Schedule& schedule, const Computation& computation, int lanes) {
  LinalgOperation operation = linalg_operation(computation);
  const Nest nest = resolve(schedule, computation, lanes);
  const LevelAssignment levels(computation, operation, nest);
  const bool is_conv = is_linalg_conv(computation);
  if (is_conv) operation.shapes[0][0] = operation.shapes[2][0] = -1;
  const std::string in = tensor_type(operation.shapes[0], ElementType::f32),
                    weights = tensor_type(operation.shapes[1], ElementType::f32),
                    out = tensor_type(operation.shapes[2], ElementType::f32);
  const std::string empty = is_conv ? fill(kEmptyConv, {in, out}) : fill(kEmptyProduct, {out});
  return fill(kIreeModule,
              {to_string(computation.problem), to_string(schedule), levels.text(),
               is_conv ? "ConvTileAndDecomposeExpert" : "DoubleTilingExpert",
               levels.register_tile(), in, weights, out, empty, out, out, operation.name,
               operation.attributes.empty() ? "" : operation.attributes + ", ", in, weights, out,
               out, out});
}

}  // namespace tileplan
