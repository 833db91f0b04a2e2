// SPDX-License-Identifier: Apache-2.0
// A strip is one element of the loops, so all later code counts strips instead of elements.
#include "strips.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Replaces elements by strips along `dim` in the stored extent of its index. No other dimension
/// occurs in this index.
void divide(TensorAccess& tensor, Dim dim, int strip) {
  const auto term = find_term(tensor, dim);
  DataDim& data = tensor.data[term->index];
  data.extent = ceil_div(data.extent, strip);
  tensor.strip = strip;
}

/// If rows of pixels have padding at their ends, lets the loops read a copy with zeros there. A
/// tile of AMX loads pixels at a constant distance in memory, so it cannot skip padding.
void pad_rows(TensorAccess& input, const Computation& computation) {
  DataDim& columns = input.data.back();
  if (!columns.clipped) return;
  std::int64_t last = 0;
  for (const Term& term : columns.terms)
    last += std::max<std::int64_t>(0, term.coefficient * (computation.extent(term.dim) - 1));
  const std::int64_t before = std::max<std::int64_t>(0, -columns.offset);
  columns.offset += before;
  columns.extent = std::max(columns.extent + before, columns.offset + last + 1);
  columns.clipped = false;
  input.copied = true;
}

/// Returns true when kernels read single elements of the input of a depthwise convolution, and
/// combine them into strips or widen them in registers (src/jit/microkernel_taps.cpp). Groups of
/// one channel have no strips in memory.
bool expands_input(const Computation& elements, const LoopTypes& types) {
  const auto* const conv = std::get_if<ConvShape>(&elements.problem);
  const bool has_instructions = types.arithmetic == Arithmetic::dot_bytes ||
                                types.arithmetic == Arithmetic::dot_bf16 ||
                                types.arithmetic == Arithmetic::widened_fma;
  return conv != nullptr && types.fused_conversions && has_instructions && conv->g > 1 &&
         conv->c == conv->g && conv->k == conv->g;
}

/// Returns the dimension of the filter columns if strips hold filter columns in addition to the
/// channels of a group, or nothing. A copy of the input then holds, for each output column anew,
/// all elements that the filter columns read, so at least a quarter of the steps must be saved.
std::optional<Dim> taps_to_join(const Computation& elements, const LoopTypes& types) {
  const DataDim& columns = elements.tensor(Operand::input).data.back();
  for (const Term& term : columns.terms) {
    const std::int64_t taps = elements.extent(term.dim);
    if (elements.role(term.dim) != Role::reduction || taps == 1 || types.strip == 1) continue;
    if (!std::holds_alternative<ConvShape>(elements.problem)) continue;
    const std::int64_t channels = elements.extent(strip_dim(elements));
    const auto steps = [&](std::int64_t count) {
      return ceil_div(count, fitted_strip(types, count));
    };
    const std::int64_t joined = steps(channels * taps);
    // Strips of neighbouring groups are adjacent in memory only if each group has one strip.
    if (elements.extent(elements.dim("g")) > 1 && joined > steps(channels)) continue;
    if (4 * joined <= 3 * taps * steps(channels)) return term.dim;
  }
  return std::nullopt;
}

/// Gives the input one column per output column, and the filter a single column, because strips
/// hold the filter columns.
void join_taps(Computation& result, Dim taps, Dim channels) {
  DataDim& columns = result.tensors[0].data.back();
  const std::int64_t count = result.extent(taps);
  std::erase_if(columns.terms, [&](const Term& term) { return term.dim == taps; });
  columns.extent = 1;
  for (Term& term : columns.terms) {
    term.coefficient = 1;
    columns.extent = result.extent(term.dim);
  }
  columns.offset = 0;
  columns.clipped = false;
  for (TensorAccess* const tensor : {&result.tensors[0], &result.tensors[1]})
    tensor->data[find_term(*tensor, channels)->index].extent *= count;
  TensorAccess& weights = result.tensors[1];
  weights.data[find_term(weights, taps)->index].extent = 1;
  result.extents[static_cast<std::size_t>(index(taps))] = 1;
  result.extents[static_cast<std::size_t>(index(channels))] *= count;
}

/// Sets k, and the leading dimension and the distance of matrices of A, in strips. A copy of A has
/// no gaps, and its rows consist of strips of k.
void set_pitch(Computation& computation, int strip) {
  auto* const gemm = std::get_if<GemmShape>(&computation.problem);
  if (gemm == nullptr) return;
  TensorAccess& input = computation.tensors[0];
  if (input.copied && gemm->sa != 0) gemm->sa.reset();
  if (gemm->sa) *gemm->sa /= strip;
  if (input.copied && gemm->ta) {
    std::swap(input.data.back(), *(input.data.end() - 2));
    gemm->ta = false;
  }
  gemm->lda = ceil_div(input.copied ? gemm->k : gemm->lda, strip);
  gemm->k = ceil_div(gemm->k, strip);
}

/// Returns true when all strips of the input are whole and, in matrices, the elements of each strip
/// are adjacent in the caller's memory, and rows and matrices are whole strips apart. The layout of
/// a convolution's input is not known here (see needs_copy in src/emit_c/stage_plan.cpp).
bool has_strips(const Computation& elements, Dim dim, int strip) {
  if (elements.extent(dim) % strip != 0) return false;
  const auto* const gemm = std::get_if<GemmShape>(&elements.problem);
  return gemm == nullptr || strip == 1 ||
         (!gemm->ta && gemm->lda % strip == 0 && gemm->sa.value_or(0) % strip == 0);
}

}  // namespace

int fitted_strip(const LoopTypes& types, std::int64_t channels) {
  if (!uses_tiles(types.arithmetic)) return types.strip;
  // Gives the bytes that AMX multiplies and adds to one sum: four elements of one byte or two of
  // bf16.
  constexpr std::int64_t kGroupBytes = 4;
  const std::int64_t group = kGroupBytes / bytes_of(types.input);
  const std::int64_t groups = ceil_div(channels, group), most = types.strip / group;
  return static_cast<int>(group * ceil_div(groups, ceil_div(groups, most)));
}

Dim strip_dim(const Computation& computation) {
  return computation.dim(std::holds_alternative<ConvShape>(computation.problem) ? "c" : "k");
}

Computation in_strips(const Computation& elements, const LoopTypes& types) {
  if (types.arithmetic == Arithmetic::fma && types.input == elements.tensor(Operand::input).type)
    return elements;
  if (std::holds_alternative<Relation>(elements.problem))
    throw Error("relations of " + to_string(types_of(elements.problem)) +
                " have no kernels; must be f32 or f64");
  Computation result = elements;
  TensorAccess& input = result.tensors[0];
  TensorAccess& weights = result.tensors[1];
  TensorAccess& output = result.tensors[2];
  const Dim dim = strip_dim(elements);
  const bool expands = expands_input(elements, types);
  const std::optional<Dim> taps = expands ? std::nullopt : taps_to_join(elements, types);
  if (taps) join_taps(result, *taps, dim);
  const int strip = fitted_strip(types, result.extent(dim));
  input.copied =
      !expands && (taps || input.type != types.input || !has_strips(elements, dim, strip));
  if (uses_tiles(types.arithmetic) && !taps) pad_rows(input, elements);
  output.copied = output.type != types.sums;
  if (!expands) input.type = types.input;
  weights.type = types.weights;
  output.type = types.sums;
  set_pitch(result, strip);
  if (!expands) divide(input, dim, strip);
  divide(weights, dim, strip);
  std::int64_t& extent = result.extents[static_cast<std::size_t>(index(dim))];
  extent = ceil_div(extent, strip);
  result.products = strip;
  derive_fields(result);
  return result;
}

bool reads_single_elements(const Computation& strips) {
  return strips.tensor(Operand::input).element_bytes() <
         strips.tensor(Operand::weights).element_bytes();
}

std::optional<Dim> joined_taps(const Computation& elements, const Computation& strips) {
  for (const Term& term : elements.tensor(Operand::input).data.back().terms)
    if (strips.extent(term.dim) < elements.extent(term.dim) && term.dim != strip_dim(elements))
      return term.dim;
  return std::nullopt;
}

Computation loop_computation(const Problem& problem, const Schedule& schedule,
                             const VectorUnit& unit) {
  return in_strips(computation_of(problem, schedule), loop_types(types_of(problem), unit));
}

void check_plain_weights(const Computation& computation) {
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const TensorTypes types = types_of(computation.problem);
  if (weights.type != types.weights || weights.strip > 1)
    throw Error("schedule: plain weights of " + to_string(types) +
                ", but kernels read them as strips or of another type; must be f32, f64 or s32, or "
                "packed beforehand");
  if (std::ranges::any_of(weights.data, &DataDim::clipped))
    throw Error("schedule: plain weights, but iterations read elements outside " + weights.name +
                "; must be packed beforehand");
}

}  // namespace tileplan
