// SPDX-License-Identifier: Apache-2.0
// This file checks the sizes of a problem and computes the sizes of one convolution axis.
#include "shape_rules.h"

#include <initializer_list>
#include <limits>

#include "tensor_limit.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Named {
  std::string name;
  std::int64_t value = 0;
};

void check_at_least(std::int64_t least, std::initializer_list<Named> sizes) {
  for (const Named& size : sizes) {
    if (size.value >= least) continue;
    throw Error(size.name + " is " + std::to_string(size.value) + "; must be at least " +
                std::to_string(least));
  }
}

struct Limit {
  std::int64_t value;
  const char* text;
};
constexpr Limit kBytes{kMostTensorBytes, "2^57"};
constexpr Limit kOperations{std::numeric_limits<std::int64_t>::max(), "2^63 - 1"};

/// Throws Error when the product exceeds `most`. Requires a plural in `what`, for "WHAT are ...".
void check_product(const std::string& what, const std::vector<Exact>& factors,
                   const Limit& most = kBytes) {
  Exact product = 1;
  std::string text;
  for (const Exact& factor : factors) {
    product = product * factor;
    text += text.empty() ? "" : " * ";
    text += factor.fits() ? std::to_string(factor.value()) : "(more than 2^63 - 1)";
  }
  if (!product.fits() || product.value() > most.value)
    throw Error(what + " are " + text + "; must be at most " + most.text);
}

Exact padded_extent(const Axis& axis) { return Exact(axis.in) + axis.pad_before + axis.pad_after; }

void check_axis(const Axis& axis, const std::string& letter, std::int64_t element_bytes) {
  check_at_least(1, {{"i" + letter, axis.in},
                     {"o" + letter, axis.out},
                     {"k" + letter, axis.filter},
                     {"s" + letter, axis.stride},
                     {"the dilation of k" + letter, axis.dilation}});
  check_at_least(0, {{"p" + letter, axis.pad_before}, {"a" + letter, axis.pad_after}});
  check_product("bytes of the padded i" + letter, {element_bytes, padded_extent(axis)});
  check_product("bytes of the input behind s" + letter + " * o" + letter,
                {element_bytes, axis.stride, axis.out});
  check_product("bytes of the input behind the dilated k" + letter,
                {element_bytes, axis.dilation, axis.filter});
  if (outputs_between(axis, axis.pad_after) == axis.out) return;
  throw Error("o" + letter + " is " + std::to_string(axis.out) + "; its windows must end in i" +
              letter + " and its padding, and leave less than one stride of it over");
}

/// The text form cannot express the stride or the dilation of a depth that a 2-D convolution lacks.
void check_no_depth(const Axis& depth) {
  const Axis flat{.stride = depth.stride, .dilation = depth.dilation};
  if (depth != flat || depth == Axis{}) return;
  throw Error("sd is " + std::to_string(depth.stride) + " and the dilation of kd " +
              std::to_string(depth.dilation) +
              " for a depth of one input and one tap; both must be 1");
}

}  // namespace

Exact filter_extent(const Axis& axis) { return (Exact(axis.filter) - 1) * axis.dilation + 1; }

Exact padding_needed(const Axis& axis) {
  return (Exact(axis.out) - 1) * axis.stride + filter_extent(axis) - axis.in - axis.pad_before;
}

bool needs_pad_after(const ConvShape& shape) {
  const auto is_skewed = [](const Axis& axis) {
    const Exact skew = padding_needed(axis) - axis.pad_before;
    return !skew.fits() || skew.value() <= -axis.stride || skew.value() >= axis.stride;
  };
  return is_skewed(shape.depth) || is_skewed(shape.height) || is_skewed(shape.width);
}

std::optional<std::int64_t> outputs_between(const Axis& axis, std::int64_t pad_after) {
  const Exact room = Exact(axis.in) + axis.pad_before + pad_after - filter_extent(axis);
  if (!room.fits() || room.value() < 0 || axis.stride < 1) return std::nullopt;
  return room.value() / axis.stride + 1;
}

Exact operations(const ConvShape& shape) {
  const Axis &d = shape.depth, &h = shape.height, &w = shape.width;
  return Exact(2) * shape.n * shape.k * (shape.c / shape.g) * d.out * h.out * w.out * d.filter *
         h.filter * w.filter;
}

Exact operations(const GemmShape& shape) {
  return Exact(2) * shape.b * shape.m * shape.n * shape.k;
}

void check_shape(const ConvShape& shape) {
  check_at_least(1, {{"mb", shape.n}, {"g", shape.g}, {"ic", shape.c}, {"oc", shape.k}});
  if (shape.c % shape.g != 0 || shape.k % shape.g != 0)
    throw Error("g is " + std::to_string(shape.g) + "; must divide ic (" + std::to_string(shape.c) +
                ") and oc (" + std::to_string(shape.k) + ")");
  const std::int64_t bytes = bytes_of(shape.types.input);
  check_no_depth(shape.depth);
  check_axis(shape.depth, "d", bytes);
  check_axis(shape.height, "h", bytes);
  check_axis(shape.width, "w", bytes);
  const Axis &d = shape.depth, &h = shape.height, &w = shape.width;
  const bool deep = d != Axis{};
  const auto check = [&](const char* what, std::vector<Exact> factors, std::vector<Exact> depth,
                         const Limit& most = kBytes) {
    if (deep) factors.insert(factors.end(), depth.begin(), depth.end());
    check_product(what, factors, most);
  };
  check("bytes of the padded input", {bytes, shape.n, shape.c, padded_extent(h), padded_extent(w)},
        {padded_extent(d)});
  check("bytes of the weights",
        {bytes_of(shape.types.weights), shape.k, shape.c / shape.g, h.filter, w.filter},
        {d.filter});
  check("bytes of the output", {bytes_of(shape.types.output), shape.n, shape.k, h.out, w.out},
        {d.out});
  check("operations", {2, shape.n, shape.k, shape.c / shape.g, h.out, w.out, h.filter, w.filter},
        {d.out, d.filter}, kOperations);
}

void check_shape(const GemmShape& shape) {
  check_at_least(1, {{"b", shape.b}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
  const auto check_leading = [](const Named& leading, const Named& row) {
    if (leading.value >= row.value) return;
    throw Error(leading.name + " is " + std::to_string(leading.value) + "; must be at least " +
                row.name + " (" + std::to_string(row.value) + ")");
  };
  check_leading({"lda", shape.lda}, {"k", shape.k});
  check_leading({"ldb", shape.ldb}, {"n", shape.n});
  check_leading({"ldc", shape.ldc}, {"n", shape.n});
  const TensorTypes& types = shape.types;
  check_product("bytes of A", {bytes_of(types.input), shape.b, shape.m, shape.lda});
  check_product("bytes of B", {bytes_of(types.weights), shape.b, shape.k, shape.ldb});
  check_product("bytes of C", {bytes_of(types.output), shape.b, shape.m, shape.ldc});
  check_product("operations", {2, shape.b, shape.m, shape.n, shape.k}, kOperations);
}

}  // namespace tileplan
