// SPDX-License-Identifier: Apache-2.0
// This file writes MLIR modules whose transforms tile an operation from the outermost loop inwards.
// Each part of a list of blocks is tiled separately.

#include "linalg_operation.h"
#include "nest.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

class TransformSequence {
 public:
  TransformSequence(const Computation& computation, const LinalgOperation& operation)
      : computation_(computation), operation_(operation) {}

  /// Writes transforms that tile the operation of `handle` by the loops of `nest` from `position`
  /// on.
  void tile(const Nest& nest, std::size_t position, std::string handle) {
    for (std::size_t i = position; i < nest.loops.size(); ++i) {
      const NestLoop& loop = nest.loops[i];
      if (loop.is_lambda()) return split(nest, i, handle);
      if (loop.trips > 1)
        handle = tile_dim(handle, loop.dim, box_inside(nest, i + 1)[loop.dim], loop.parallel);
    }
    unroll_to_row(nest, handle);
  }

  std::string text() const { return text_; }

 private:
  void line(const char* form, const std::vector<std::string>& values) {
    text_ += "    " + fill(form, values) + "\n";
  }
  std::string new_handle() { return std::string(1, '%').append(std::to_string(handles_++)); }

  std::string tile_dim(const std::string& handle, Dim dim, std::int64_t step, bool parallel) {
    loop_ = new_handle();
    std::string inner = new_handle();
    std::vector<std::string> sizes(operation_.dims.size(), "0");
    sizes[operation_.position_of(dim)] = std::to_string(step);
    line(
        "$, $ = transform.structured.tile_using_$ $ tile_sizes [$] : (!transform.any_op) -> "
        "(!transform.any_op, !transform.any_op)",
        {inner, loop_, parallel ? "forall" : "for", handle, comma_separated(sizes)});
    return inner;
  }

  /// Writes transforms that split the operation into the parts of the list of blocks (lambda) at
  /// `position`, and tile each part.
  void split(const Nest& nest, std::size_t position, std::string handle) {
    const NestLoop& loop = nest.loops[position];
    for (std::size_t p = 0; p < loop.parts.size(); ++p) {
      std::string first = handle;
      if (p + 1 < loop.parts.size()) {
        first = new_handle();
        const std::string second = new_handle();
        line("$, $ = transform.structured.split $ after $ {dimension = $} : !transform.any_op",
             {first, second, handle, std::to_string(loop.parts[p].times * loop.parts[p].size),
              std::to_string(operation_.position_of(loop.dim))});
        handle = second;
      }
      tile(with_part(nest, position, loop.parts[p]), position, first);
    }
  }

  /// Writes transforms that unroll the register tile of a convolution until rows of pixels remain,
  /// because mlir-opt vectorises only such rows.
  void unroll_to_row(const Nest& nest, std::string handle) {
    if (!is_linalg_conv(computation_)) return;
    std::vector<std::vector<std::string>> unrolls;
    for (const char* name : {"n", "h", "r", "s", "c"}) {
      const Dim dim = computation_.dim(name);
      if (nest.base[dim] == 1) continue;
      handle = tile_dim(handle, dim, 1, false);
      unrolls.push_back({loop_, std::to_string(nest.base[dim])});
    }
    // The innermost loop is unrolled first, because unrolling an outer loop would copy the loops
    // inside it.
    for (auto each = unrolls.rbegin(); each != unrolls.rend(); ++each)
      line("transform.loop.unroll $ {factor = $} : !transform.any_op", *each);
  }

  const Computation& computation_;
  const LinalgOperation& operation_;
  std::string text_;
  std::string loop_;  ///< The last transform that tiled made the loop with this handle.
  int handles_ = 0;
};

/// Holds an MLIR module that computes the operation, tiles it, and turns the tiles into vector
/// multiply-adds.
constexpr const char* kMlirModule = R"(// $: $
module attributes {transform.with_named_sequence, dlti.target_system_spec = $} {
  func.func @product(%in: $, %weights: $, %out: $) -> $ {
    %0 = $$ ins(%in, %weights : $, $) outs(%out : $) -> $
    return %0 : $
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["$"]} in %root : (!transform.any_op) -> !transform.any_op
$    %tiles = transform.structured.match ops{["$"]} in %root : (!transform.any_op) -> !transform.any_op
$    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %g = transform.structured.hoist_redundant_vector_transfers %f : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %g {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } : !transform.any_op
    transform.apply_patterns to %g {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_outerproduct
    } : !transform.any_op
    transform.yield
  }
}
)";
constexpr const char* kVectoriseProduct =
    "    transform.structured.vectorize %tiles : !transform.any_op\n";
constexpr const char* kVectoriseConv =
    R"(    %rows = transform.structured.decompose %tiles : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %rows : !transform.any_op
)";

}  // namespace

std::string mlir_module(const Schedule& schedule, const Computation& computation,
                        const Machine& machine) {
  const LinalgOperation operation = linalg_operation(computation);
  TransformSequence sequence(computation, operation);
  sequence.tile(resolve(schedule, computation, machine.vector.lanes), 0, "%op");
  const auto type = [&](std::size_t t) {
    return tensor_type(operation.shapes[t], computation.tensors[t].type);
  };
  const std::string left = type(0), right = type(1), out = type(2), &name = operation.name;
  return fill(kMlirModule, {to_string(computation.problem), to_string(schedule),
                            dlti_system(machine), left, right, out, out, name,
                            operation.attributes.empty() ? "" : " {" + operation.attributes + "}",
                            left, right, out, out, out, name, sequence.text(), name,
                            is_linalg_conv(computation) ? kVectoriseConv : kVectoriseProduct});
}

}  // namespace tileplan
