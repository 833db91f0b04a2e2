// SPDX-License-Identifier: Apache-2.0
// Walks the nest from the outermost loop, once per branch of its lambdas.
#include "mlir.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "nest.h"

namespace tileplan {

namespace {

constexpr const char* kHandle = "!transform.any_op";
/// In the order of linalg.conv_2d_nhwc_hwcf.
constexpr std::array kConvDims{"n", "h", "w", "k", "r", "s", "c"};

/// A named operation and the loop of the computation that each of its own is, in its order; none
/// where the computation has no such loop.
struct Operation {
  std::string name;
  std::vector<std::optional<Dim>> dims;
  std::array<std::vector<std::int64_t>, 3> shapes;  ///< inputs, then the output
  std::string attributes;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

std::string tensor_type(const std::vector<std::int64_t>& shape, ElementType type) {
  std::string text = "tensor<";
  for (const std::int64_t size : shape) text += std::to_string(size) + "x";
  return text + to_string(type) + ">";
}

/// The dims of more than one iteration with a part in the product.
std::vector<Dim> dims_of(const Computation& computation, Role part) {
  std::vector<Dim> dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == part && computation.extent(Dim{d}) > 1) dims.push_back(Dim{d});
  return dims;
}

bool has_dim(const Computation& computation, const std::string& name) {
  return std::find(computation.names.begin(), computation.names.end(), name) !=
         computation.names.end();
}

bool is_conv(const Computation& computation) {
  if (!std::holds_alternative<ConvShape>(computation.problem)) return false;
  for (const char* name : kConvDims)
    if (!has_dim(computation, name)) return false;
  return std::get<ConvShape>(computation.problem).g == 1 &&
         std::get<ConvShape>(computation.problem).depth == Axis{};
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
                      .dims = {},
                      .shapes = {{{shape.n, window(h), window(w), shape.c},
                                  {h.filter, w.filter, shape.c, shape.k},
                                  {shape.n, h.out, w.out, shape.k}}},
                      .attributes = " {" + pair_text("dilations", h.dilation, w.dilation) + ", " +
                                    pair_text("strides", h.stride, w.stride) + "}"};
  for (const char* name : kConvDims) operation.dims.emplace_back(computation.dim(name));
  return operation;
}

/// True when the indices of `tensor` are the dims of `parts`, in this order, alone; dims of one
/// iteration do not count.
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

/// True when linalg.matmul computes it: C[m,n] += A[m,k] * B[k,n].
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
          .shapes = {{{m, k}, {k, n}, {m, n}}},
          .attributes = ""};
}

Operation operation_of(const Computation& computation) {
  return is_conv(computation) ? conv_operation(computation) : product_operation(computation);
}

/// Writes the transforms of one nest.
class Sequence {
 public:
  Sequence(const Computation& computation, const Operation& operation)
      : computation_(computation), operation_(operation) {}

  /// Tiles the operation behind `handle` by the loops of `nest` from `position` on.
  void tile(const Nest& nest, std::size_t position, std::string handle) {
    for (std::size_t i = position; i < nest.loops.size(); ++i) {
      const NestLoop& loop = nest.loops[i];
      if (loop.is_lambda()) return split(nest, i, handle);
      if (loop.trips > 1)
        handle = tiled(handle, loop.dim, box_inside(nest, i + 1)[loop.dim], loop.parallel);
    }
    one_row(nest, handle);
  }

  std::string text() const { return text_; }

 private:
  void line(const std::string& content) { text_ += "    " + content + "\n"; }
  std::string fresh() { return std::string(1, '%').append(std::to_string(handles_++)); }

  /// Position of the operation's own loop that `dim` is.
  std::size_t place_of(Dim dim) const {
    std::size_t place = 0;
    while (operation_.dims[place] != dim) ++place;
    return place;
  }

  std::string tiled(const std::string& handle, Dim dim, std::int64_t step, bool parallel) {
    loop_ = fresh();
    std::string inner = fresh();
    std::vector<std::string> sizes(operation_.dims.size(), "0");
    sizes[place_of(dim)] = std::to_string(step);
    line(inner + ", " + loop_ + " = transform.structured.tile_using_for" +
         (parallel ? "all " : " ") + handle + " tile_sizes [" + joined(sizes) + "] : (" + kHandle +
         ") -> (" + kHandle + ", " + kHandle + ")");
    return inner;
  }

  struct Halves {
    std::string first, second;
  };

  void add_split(const Halves& halves, const std::string& handle, std::int64_t size, Dim dim) {
    line(halves.first + ", " + halves.second + " = transform.structured.split " + handle +
         " after " + std::to_string(size) + " {dimension = " + std::to_string(place_of(dim)) +
         "} : " + kHandle);
  }

  /// The blocks of each part of the lambda at `position` become an operation of their own.
  void split(const Nest& nest, std::size_t position, std::string handle) {
    const NestLoop& loop = nest.loops[position];
    for (std::size_t p = 0; p < loop.parts.size(); ++p) {
      std::string first = handle;
      if (p + 1 < loop.parts.size()) {
        first = fresh();
        const std::string second = fresh();
        add_split({first, second}, handle, loop.parts[p].times * loop.parts[p].size, loop.dim);
        handle = second;
      }
      tile(with_part(nest, position, loop.parts[p]), position, first);
    }
  }

  /// Unrolls the register tile of a convolution until what is left is a row of one dimension,
  /// which is what mlir-opt vectorises.
  void one_row(const Nest& nest, std::string handle) {
    if (!is_conv(computation_)) return;
    std::vector<std::string> unrolls;
    for (const char* name : {"n", "h", "r", "s", "c"}) {
      const Dim dim = computation_.dim(name);
      if (nest.base[dim] == 1) continue;
      handle = tiled(handle, dim, 1, false);
      unrolls.push_back("transform.loop.unroll " + loop_ +
                        " {factor = " + std::to_string(nest.base[dim]) + "} : " + kHandle);
    }
    // The innermost first: unrolling an outer loop would leave its handle with one copy only.
    for (auto each = unrolls.rbegin(); each != unrolls.rend(); ++each) line(*each);
  }

  const Computation& computation_;
  const Operation& operation_;
  std::string text_;
  std::string loop_;  ///< of the last tiling
  int handles_ = 0;
};

/// What turns the tiles into multiply-adds of vectors.
std::string lowering_text(const Operation& operation) {
  const auto match = [](const std::string& handle, const std::string& name) {
    return "    " + handle + " = transform.structured.match ops{[\"" + name + "\"]} in %root : (" +
           kHandle + ") -> " + kHandle + "\n";
  };
  std::string text = match("%tiles", operation.name);
  if (operation.attributes.empty()) {
    text += std::string("    transform.structured.vectorize %tiles : ") + kHandle + "\n";
  } else {
    text += std::string("    %rows = transform.structured.decompose %tiles : (") + kHandle +
            ") -> " + kHandle + "\n    transform.structured.vectorize %rows : " + kHandle + "\n";
  }
  const std::string patterns = " {\n      transform.apply_patterns.vector.";
  text += match("%f", "func.func");
  text += std::string("    %g = transform.structured.hoist_redundant_vector_transfers %f : (") +
          kHandle + ") -> " + kHandle + "\n    transform.apply_patterns to %g" + patterns +
          "reduction_to_contract\n      transform.apply_patterns.vector."
          "transfer_permutation_patterns\n      transform.apply_patterns.vector."
          "cast_away_vector_leading_one_dim\n    } : " +
          kHandle + "\n    transform.apply_patterns to %g" + patterns +
          "lower_contraction lowering_strategy = \"outerproduct\"\n      "
          "transform.apply_patterns.vector.lower_outerproduct\n    } : " +
          kHandle + "\n";
  return text;
}

std::string payload_text(const Operation& operation, ElementType type) {
  const std::string in = tensor_type(operation.shapes[0], type),
                    weights = tensor_type(operation.shapes[1], type),
                    out = tensor_type(operation.shapes[2], type);
  return "  func.func @product(%in: " + in + ", %weights: " + weights + ", %out: " + out + ") -> " +
         out + " {\n    %0 = " + operation.name + operation.attributes +
         " ins(%in, %weights : " + in + ", " + weights + ") outs(%out : " + out + ") -> " + out +
         "\n    return %0 : " + out + "\n  }\n";
}

}  // namespace

std::optional<std::string> why_no_mlir(const Computation& computation) {
  if (is_conv(computation)) return std::nullopt;
  if (!dims_of(computation, Role::batch).empty()) return "groups and batches of products";
  for (const Role part : {Role::pixel, Role::channel, Role::reduction})
    if (dims_of(computation, part).size() > 1)
      return "a computation that linalg has no named operation for";
  // Convolutions of single pixels are products of their own arrays in some order.
  if (std::holds_alternative<Relation>(computation.problem) && !is_matmul(computation))
    return "indices that are not those of a plain matrix product";
  return std::nullopt;
}

std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes) {
  if (schedule.pack_input) return "packing the input";
  const Dim vectorised = computation.dim(schedule.loops.back().dim);
  if (computation.extent(vectorised) % lanes != 0) return "a vector that is not full";
  if (computation.role(vectorised) != Role::channel) return "vectors over other than channels";
  return std::nullopt;
}

std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes) {
  const Operation operation = operation_of(computation);
  Sequence sequence(computation, operation);
  sequence.tile(resolve(schedule, computation, lanes), 0, "%op");
  return "// " + to_string(computation.problem) + ": " + to_string(schedule) +
         "\nmodule attributes {transform.with_named_sequence} {\n" +
         payload_text(operation, type_of(computation.problem)) +
         "  transform.named_sequence @__transform_main(%root: !transform.any_op "
         "{transform.readonly}) {\n    %op = transform.structured.match ops{[\"" +
         operation.name + "\"]} in %root : (!transform.any_op) -> !transform.any_op\n" +
         sequence.text() + lowering_text(operation) + "    transform.yield\n  }\n}\n";
}

}  // namespace tileplan
