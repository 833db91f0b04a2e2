// SPDX-License-Identifier: Apache-2.0
// A strip is one element of the loops, so all that follows counts strips like elements.
#include "strips.h"

#include <variant>

#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Divides the stored extent of the strip dim. No other dim occurs in its index.
void divide(TensorAccess& tensor, Dim dim, int strip) {
  const auto term = find_term(tensor, dim);
  DataDim& data = tensor.data[term->index];
  data.extent = ceil_div(data.extent, strip);
  tensor.strip = strip;
}

/// Gives the rows of A the length that they have in strips. Other leading dimensions stay.
void set_pitch(Problem& problem, int strip, bool copied) {
  auto* const gemm = std::get_if<GemmShape>(&problem);
  if (gemm == nullptr) return;
  gemm->lda = ceil_div(copied ? gemm->k : gemm->lda, strip);
  gemm->k = ceil_div(gemm->k, strip);
}

/// Returns true when the strips of the input are neighbours in the caller's memory, in every layout
/// but nchw.
bool has_strips(const Computation& elements, Dim dim, int strip) {
  const auto* const gemm = std::get_if<GemmShape>(&elements.problem);
  return elements.extent(dim) % strip == 0 && (gemm == nullptr || gemm->lda % strip == 0);
}

}  // namespace

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
  input.copied = input.type != types.input || !has_strips(elements, dim, types.strip);
  output.copied = output.type != types.sums;
  input.type = types.input;
  weights.type = types.weights;
  output.type = types.sums;
  set_pitch(result.problem, types.strip, input.copied);
  divide(input, dim, types.strip);
  divide(weights, dim, types.strip);
  std::int64_t& extent = result.extents[static_cast<std::size_t>(index(dim))];
  extent = ceil_div(extent, types.strip);
  result.products = types.strip;
  derive_fields(result);
  return result;
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
