// SPDX-License-Identifier: Apache-2.0
// Convolutions have channels last, and their padding counts as part of the input.
#include "linalg_operation.h"

#include <algorithm>

namespace tileplan {
namespace {

/// These are the dimensions of the operation linalg.conv_2d_nhwc_hwcf, in its order.
constexpr std::array kConvDims{"n", "h", "w", "k", "r", "s", "c"};

/// Returns the dimensions that have the role `part` and more than one iteration.
std::vector<Dim> dims_of(const Computation& computation, Role part) {
  std::vector<Dim> dims;
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == part && computation.extent(Dim{d}) > 1) dims.push_back(Dim{d});
  return dims;
}

std::int64_t window(const Axis& axis) {
  return (axis.out - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1;
}

std::string pair_text(const char* name, std::int64_t height, std::int64_t width) {
  return std::string(name) + " = dense<[" + std::to_string(height) + ", " + std::to_string(width) +
         "]> : tensor<2xi64>";
}

LinalgOperation conv_operation(const Computation& computation) {
  const ConvShape& shape = std::get<ConvShape>(computation.problem);
  const Axis &h = shape.height, &w = shape.width;
  LinalgOperation operation{.name = "linalg.conv_2d_nhwc_hwcf",
                            .shapes = {{{shape.n, window(h), window(w), shape.c},
                                        {h.filter, w.filter, shape.c, shape.k},
                                        {shape.n, h.out, w.out, shape.k}}},
                            .attributes = pair_text("dilations", h.dilation, w.dilation) + ", " +
                                          pair_text("strides", h.stride, w.stride)};
  for (const char* name : kConvDims) operation.dims.emplace_back(computation.dim(name));
  return operation;
}

/// Returns true when the index `data` is one dimension of the same size, or always 0. Dimensions of
/// one iteration do not count. Indices of filters that slide or have strides are not plain.
bool is_plain(const Computation& computation, const DataDim& data) {
  return data.offset == 0 && std::ranges::all_of(data.terms, [&](const Term& term) {
           const std::int64_t extent = computation.extent(term.dim);
           return extent == 1 || (term.coefficient == 1 && data.extent == extent);
         });
}

/// Returns true when the indices of `tensor` are exactly the dimensions of `parts`, in this order.
/// Dimensions of one iteration do not count.
bool has_indices(const Computation& computation, const TensorAccess& tensor,
                 std::initializer_list<Role> parts) {
  std::vector<Dim> expected, found;
  for (const Role part : parts)
    for (const Dim dim : dims_of(computation, part)) expected.push_back(dim);
  for (const DataDim& data : tensor.data) {
    if (!is_plain(computation, data)) return false;
    for (const Term& term : data.terms)
      if (computation.extent(term.dim) > 1) found.push_back(term.dim);
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

LinalgOperation product_operation(const Computation& computation) {
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

/// Returns the reason why neither linalg.conv_2d_nhwc_hwcf nor linalg.matmul computes
/// `computation`, or nothing if one of them does.
std::optional<std::string> why_no_operation(const Computation& computation) {
  if (is_linalg_conv(computation)) return std::nullopt;
  if (!dims_of(computation, Role::batch).empty()) return "groups and batches of products";
  for (const Role part : {Role::pixel, Role::channel, Role::reduction})
    if (dims_of(computation, part).size() > 1)
      return "a computation that is no conv_2d_nhwc_hwcf and no matmul of linalg";
  // A convolution without the loops of conv_2d_nhwc_hwcf, such as one with 1x1 filters and merged
  // pixels, is taken to be a product, which linalg can compute for any order of the indices.
  const bool is_product =
      std::holds_alternative<ConvShape>(computation.problem)
          ? std::ranges::all_of(computation.tensor(Operand::input).data,
                                [&](const DataDim& data) { return is_plain(computation, data); })
          : is_matmul(computation);
  if (!is_product) return "indices that are not those of a plain matrix product";
  return std::nullopt;
}

}  // namespace

bool is_linalg_conv(const Computation& computation) {
  const auto* shape = std::get_if<ConvShape>(&computation.problem);
  return shape != nullptr && shape->g == 1 && shape->depth == Axis{} &&
         std::ranges::all_of(kConvDims, [&](const char* name) {
           return std::ranges::find(computation.names, name) != computation.names.end();
         });
}

std::optional<std::string> why_no_linalg(const Schedule& schedule, const Computation& computation,
                                         int lanes) {
  if (auto why = why_no_operation(computation)) return why;
  if (schedule.pack_input) return "packing the input";
  if (schedule.pack_output) return "packing the output";
  const Dim vectorised = computation.dim(schedule.loops.back().dim);
  if (computation.extent(vectorised) % lanes != 0) return "a vector that is not full";
  if (computation.role(vectorised) != Role::channel) return "vectors over other than channels";
  return std::nullopt;
}

LinalgOperation linalg_operation(const Computation& computation) {
  return is_linalg_conv(computation) ? conv_operation(computation) : product_operation(computation);
}

std::string tensor_type(const std::vector<std::int64_t>& shape, ElementType type) {
  std::string text = "tensor<";
  for (const std::int64_t size : shape)
    text.append(size < 0 ? "?" : std::to_string(size)).append(1, 'x');
  return text + to_string(type) + ">";
}

}  // namespace tileplan
