// SPDX-License-Identifier: Apache-2.0
// Tiles from the outermost loop inwards. Each part of a list of blocks is tiled separately.
#include <algorithm>
#include <array>

#include "nest.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

/// The operation linalg.conv_2d_nhwc_hwcf has these dims, in this order.
constexpr std::array kConvDims{"n", "h", "w", "k", "r", "s", "c"};

struct Operation {
  std::string name;
  std::vector<std::optional<Dim>> dims = {};        ///< A dim of extent 1 may be missing.
  std::array<std::vector<std::int64_t>, 3> shapes;  ///< The output comes last.
  std::string attributes = {};
};

std::string tensor_type(const std::vector<std::int64_t>& shape, ElementType type) {
  std::string text = "tensor<";
  for (const std::int64_t size : shape) text += std::to_string(size) + "x";
  return text + to_string(type) + ">";
}

/// Returns the dims that have the role `part` and more than one iteration.
std::vector<Dim> dims_of(const Computation& computation, Role part) {
  std::vector<Dim> dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == part && computation.extent(Dim{d}) > 1) dims.push_back(Dim{d});
  return dims;
}

bool is_conv(const Computation& computation) {
  const auto* shape = std::get_if<ConvShape>(&computation.problem);
  return shape != nullptr && shape->g == 1 && shape->depth == Axis{} &&
         std::ranges::all_of(kConvDims, [&](const char* name) {
           return std::ranges::find(computation.names, name) != computation.names.end();
         });
}

std::int64_t window(const Axis& axis) {
  return (axis.out - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1;
}

std::string pair_text(const char* name, std::int64_t height, std::int64_t width) {
  return std::string(name) + " = dense<[" + std::to_string(height) + ", " + std::to_string(width) +
         "]> : tensor<2xi64>";
}

Operation conv_operation(const Computation& computation) {
  const ConvShape& shape = std::get<ConvShape>(computation.problem);
  const Axis &h = shape.height, &w = shape.width;
  Operation operation{.name = "linalg.conv_2d_nhwc_hwcf",
                      .shapes = {{{shape.n, window(h), window(w), shape.c},
                                  {h.filter, w.filter, shape.c, shape.k},
                                  {shape.n, h.out, w.out, shape.k}}},
                      .attributes = " {" + pair_text("dilations", h.dilation, w.dilation) + ", " +
                                    pair_text("strides", h.stride, w.stride) + "}"};
  for (const char* name : kConvDims) operation.dims.emplace_back(computation.dim(name));
  return operation;
}

/// Returns true when the indices of `tensor` are exactly the dims of `parts`, in this order.
bool has_indices(const Computation& computation, const TensorAccess& tensor,
                 std::initializer_list<Role> parts) {
  std::vector<Dim> expected, found;
  for (const Role part : parts)
    for (const Dim dim : dims_of(computation, part)) expected.push_back(dim);
  for (const DataDim& data : tensor.data) {
    if (data.offset != 0) return false;
    for (const Term& term : data.terms) {
      if (computation.extent(term.dim) == 1) continue;
      if (term.coefficient != 1 || data.extent != computation.extent(term.dim)) return false;
      found.push_back(term.dim);
    }
  }
  return found == expected;
}

/// Returns true for C[m,n] += A[m,k] * B[k,n], which linalg.matmul computes.
bool is_matmul(const Computation& computation) {
  return has_indices(computation, computation.tensor(Operand::input),
                     {Role::pixel, Role::reduction}) &&
         has_indices(computation, computation.tensor(Operand::weights),
                     {Role::reduction, Role::channel}) &&
         has_indices(computation, computation.tensor(Operand::output),
                     {Role::pixel, Role::channel});
}

Operation product_operation(const Computation& computation) {
  const auto only = [&](Role part) {
    const std::vector<Dim> dims = dims_of(computation, part);
    return dims.empty() ? std::nullopt : std::optional(dims.front());
  };
  const std::array dims{only(Role::pixel), only(Role::channel), only(Role::reduction)};
  const auto size = [&](std::optional<Dim> dim) { return dim ? computation.extent(*dim) : 1; };
  const std::int64_t m = size(dims[0]), n = size(dims[1]), k = size(dims[2]);
  return {.name = "linalg.matmul",
          .dims = {dims.begin(), dims.end()},
          .shapes = {{{m, k}, {k, n}, {m, n}}}};
}

class TransformSequence {
 public:
  TransformSequence(const Computation& computation, const Operation& operation)
      : computation_(computation), operation_(operation) {}

  /// Tiles the operation of `handle` by the loops of `nest` from `position` on.
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

  std::size_t position_of(Dim dim) const {
    const auto found = std::find(operation_.dims.begin(), operation_.dims.end(), dim);
    return static_cast<std::size_t>(found - operation_.dims.begin());
  }

  std::string tile_dim(const std::string& handle, Dim dim, std::int64_t step, bool parallel) {
    loop_ = new_handle();
    std::string inner = new_handle();
    std::vector<std::string> sizes(operation_.dims.size(), "0");
    sizes[position_of(dim)] = std::to_string(step);
    line(
        "$, $ = transform.structured.tile_using_$ $ tile_sizes [$] : (!transform.any_op) -> "
        "(!transform.any_op, !transform.any_op)",
        {inner, loop_, parallel ? "forall" : "for", handle, comma_separated(sizes)});
    return inner;
  }

  /// Splits the operation into the parts of the lambda at `position`, and tiles each part.
  void split(const Nest& nest, std::size_t position, std::string handle) {
    const NestLoop& loop = nest.loops[position];
    for (std::size_t p = 0; p < loop.parts.size(); ++p) {
      std::string first = handle;
      if (p + 1 < loop.parts.size()) {
        first = new_handle();
        const std::string second = new_handle();
        line("$, $ = transform.structured.split $ after $ {dimension = $} : !transform.any_op",
             {first, second, handle, std::to_string(loop.parts[p].times * loop.parts[p].size),
              std::to_string(position_of(loop.dim))});
        handle = second;
      }
      tile(with_part(nest, position, loop.parts[p]), position, first);
    }
  }

  /// Unrolls the register tile of a convolution to a row, because mlir-opt vectorises only rows.
  void unroll_to_row(const Nest& nest, std::string handle) {
    if (!is_conv(computation_)) return;
    std::vector<std::vector<std::string>> unrolls;
    for (const char* name : {"n", "h", "r", "s", "c"}) {
      const Dim dim = computation_.dim(name);
      if (nest.base[dim] == 1) continue;
      handle = tile_dim(handle, dim, 1, false);
      unrolls.push_back({loop_, std::to_string(nest.base[dim])});
    }
    // Unrolling an outer loop would copy the loops inside it, so the innermost loop comes first.
    for (auto each = unrolls.rbegin(); each != unrolls.rend(); ++each)
      line("transform.loop.unroll $ {factor = $} : !transform.any_op", *each);
  }

  const Computation& computation_;
  const Operation& operation_;
  std::string text_;
  std::string loop_;  ///< The last tiling made the loop with this handle.
  int handles_ = 0;
};

/// This module computes the operation, tiles it, and turns tiles into vector multiply-adds.
constexpr const char* kModule = R"(// $: $
module attributes {transform.with_named_sequence} {
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

/// Returns the reason why linalg has no operation for `computation`, or nothing if it has one.
std::optional<std::string> why_no_operation(const Computation& computation) {
  if (is_conv(computation)) return std::nullopt;
  if (!dims_of(computation, Role::batch).empty()) return "groups and batches of products";
  for (const Role part : {Role::pixel, Role::channel, Role::reduction})
    if (dims_of(computation, part).size() > 1)
      return "a computation that linalg has no named operation for";
  // A convolution with 1x1 filters is a plain product in any order of its indices.
  if (!std::holds_alternative<ConvShape>(computation.problem) && !is_matmul(computation))
    return "indices that are not those of a plain matrix product";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes) {
  if (auto why = why_no_operation(computation)) return why;
  if (schedule.pack_input) return "packing the input";
  const Dim vectorised = computation.dim(schedule.loops.back().dim);
  if (computation.extent(vectorised) % lanes != 0) return "a vector that is not full";
  if (computation.role(vectorised) != Role::channel) return "vectors over other than channels";
  return std::nullopt;
}

std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes) {
  const Operation operation =
      is_conv(computation) ? conv_operation(computation) : product_operation(computation);
  TransformSequence sequence(computation, operation);
  sequence.tile(resolve(schedule, computation, lanes), 0, "%op");
  const auto type = [&](std::size_t t) {
    return tensor_type(operation.shapes[t], computation.tensors[t].type);
  };
  const std::string left = type(0), right = type(1), out = type(2), &name = operation.name;
  return fill(kModule,
              {to_string(computation.problem), to_string(schedule), left, right, out, out, name,
               operation.attributes, left, right, out, out, out, name, sequence.text(), name,
               is_conv(computation) ? kVectoriseConv : kVectoriseProduct});
}

}  // namespace tileplan
