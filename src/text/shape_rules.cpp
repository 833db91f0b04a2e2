// SPDX-License-Identifier: Apache-2.0
// This file checks the sizes of a problem, and computes the sizes of one convolution axis, the
// number of operations, and how matrices are stored.
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

/// Throws Error when the product of `factors` exceeds `most`. `what` must be a plural, because the
/// message says "WHAT are ...".
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

/// Throws Error for a 1-D or 2-D convolution whose depth has a stride or a dilation other than 1,
/// which the text form cannot express.
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

StoredMatrix stored_a(const GemmShape& shape) {
  if (shape.ta) return {shape.k, shape.m, shape.lda};
  return {shape.m, shape.k, shape.lda};
}

StoredMatrix stored_b(const GemmShape& shape) {
  if (shape.tb) return {shape.n, shape.k, shape.ldb};
  return {shape.k, shape.n, shape.ldb};
}

StoredMatrix stored_c(const GemmShape& shape) { return {shape.m, shape.n, shape.ldc}; }

namespace {

/// Describes one operand of a gemm for its checks and their messages.
struct GemmOperand {
  std::string name;
  /// This letter names the extent of a row.
  std::string row;
  StoredMatrix matrix;
  std::optional<std::int64_t> distance;
  std::int64_t element_bytes = 4;
};

void check_operand(const GemmOperand& operand, std::int64_t batch) {
  const auto& [name, row, matrix, distance, bytes] = operand;
  if (matrix.pitch < matrix.columns)
    throw Error("ld" + name + " is " + std::to_string(matrix.pitch) + "; must be at least " + row +
                " (" + std::to_string(matrix.columns) + ")");
  const std::string letter(1, static_cast<char>(name.front() - 'a' + 'A'));
  check_product("bytes of " + letter, {bytes, distance ? 1 : batch, matrix.rows, matrix.pitch});
  if (!distance) return;
  if (batch == 1)
    throw Error("s" + name + " is " + std::to_string(*distance) +
                " without a batch; must be given with b");
  if (*distance < 0)
    throw Error("s" + name + " is " + std::to_string(*distance) + "; must be at least 0");
  check_product("bytes between the matrices of " + letter, {bytes, batch, *distance});
}

/// Throws Error unless the matrices of C follow one another or lie side by side, so that no two of
/// them share an element.
void check_apart(const GemmShape& shape) {
  if (!shape.sc) return;
  const std::int64_t last_row = (shape.m - 1) * shape.ldc + shape.n;
  const std::int64_t all_columns = (shape.b - 1) * *shape.sc + shape.n;
  if (*shape.sc >= last_row || (*shape.sc >= shape.n && shape.ldc >= all_columns)) return;
  throw Error("sc is " + std::to_string(*shape.sc) + "; matrices of C must be apart: at least " +
              std::to_string(last_row) + " elements, or at least n (" + std::to_string(shape.n) +
              ") where ldc holds a row of each");
}

}  // namespace

void check_shape(const GemmShape& shape) {
  check_at_least(1, {{"b", shape.b}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
  const TensorTypes& types = shape.types;
  check_operand({"a", shape.ta ? "m" : "k", stored_a(shape), shape.sa, bytes_of(types.input)},
                shape.b);
  check_operand({"b", shape.tb ? "k" : "n", stored_b(shape), shape.sb, bytes_of(types.weights)},
                shape.b);
  check_operand({"c", "n", stored_c(shape), shape.sc, bytes_of(types.output)}, shape.b);
  check_apart(shape);
  if (shape.sa == 0 && shape.sb == 0)
    throw Error("sa and sb are 0, so all products of the batch are equal; one must be at least 1");
  check_product("operations", {2, shape.b, shape.m, shape.n, shape.k}, kOperations);
}

}  // namespace tileplan
