// SPDX-License-Identifier: Apache-2.0
// This file reads and writes convolutions and matrix products ("b16m128n256k512lda520").
#include "axis_text.h"
#include "descriptor.h"
#include "integers.h"
#include "problem_text.h"
#include "shape_rules.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::int64_t kDefaultBatch = 2;  // benchdnn has this default for `mb`.

struct Axes {
  Axis depth, height, width;
};

/// A depth of one input and one tap without padding gives a 2-D convolution, whatever its stride
/// and dilation.
Axis depth_of(AxisText text) {
  if (text.is_empty()) return {};
  if (!text.filter && text.in == 1) text.filter = 1;
  const Axis depth = resolve_axis(text);
  const Axis flat{.stride = depth.stride, .dilation = depth.dilation};
  return depth == flat ? Axis{} : depth;
}

/// Returns the axes that benchdnn deduces from the axis letters (d, h, w) of the keys.
Axes axes_of(const Descriptor& descriptor) {
  const AxisText depth = axis_text(descriptor, "d");
  AxisText height = axis_text(descriptor, "h"), width = axis_text(descriptor, "w");
  const bool flat = height.is_empty() && width.is_empty();
  if (depth.in && flat) {
    const Axis side = resolve_axis(depth);
    return {.depth = depth_of(depth), .height = side, .width = side};
  }
  if (height.is_empty() && !flat && !depth.in)
    return {.depth = depth_of(depth), .height = {}, .width = resolve_axis(width)};
  share_entries(height, width);
  return {.depth = depth_of(depth), .height = resolve_axis(height), .width = resolve_axis(width)};
}

std::string entry(const std::string& key, std::int64_t value) {
  return key + std::to_string(value);
}

bool is_1d(const ConvShape& shape) {
  return shape.depth == Axis{} && shape.height == Axis{} && shape.width != Axis{};
}

/// Returns true when the text can leave out the output width: height and width are equal, or only
/// their outputs are and the output width follows from the other keys. With `pad_after`, these keys
/// include the padding after the input, which is otherwise taken to equal the padding before it.
bool is_width_implied(const ConvShape& shape, bool pad_after) {
  const Axis& w = shape.width;
  if (w == shape.height) return true;
  return w.out == shape.height.out &&
         outputs_between(w, pad_after ? w.pad_after : w.pad_before) == w.out;
}

/// Writes `key` with its size, reduced by `less`, for each axis of the shape. In 2-D and 3-D, the
/// width is left out if its size equals that of the height.
std::string entries(const ConvShape& shape, const std::string& key, std::int64_t Axis::*size,
                    std::int64_t less = 0) {
  const auto one = [&](const char* letter, const Axis& axis) {
    return entry(key + letter, axis.*size - less);
  };
  if (is_1d(shape)) return one("w", shape.width);
  return (shape.depth == Axis{} ? "" : one("d", shape.depth)) + one("h", shape.height) +
         (shape.width.*size == shape.height.*size ? "" : one("w", shape.width));
}

std::string output_entries(const ConvShape& shape, bool pad_after) {
  if (is_1d(shape)) return entry("ow", shape.width.out);
  std::string text = shape.depth == Axis{} ? "" : entry("od", shape.depth.out);
  text += entry("oh", shape.height.out);
  return text + (is_width_implied(shape, pad_after) ? "" : entry("ow", shape.width.out));
}

bool is_set(const Descriptor& descriptor, const std::string& key) {
  const std::int64_t value = descriptor.find(key).value_or(0);
  if (value > 1) throw Error(key + " is " + std::to_string(value) + "; must be 0 or 1");
  return value == 1;
}

/// Returns the distance between matrices that `key` gives, or nothing if it is not given. Also
/// returns nothing for a batch without gaps between its matrices.
std::optional<std::int64_t> distance(const Descriptor& descriptor, std::string_view key,
                                     const StoredMatrix& matrix) {
  const auto given = descriptor.find(key);
  std::int64_t standard = 0;
  const bool exists = !multiply_overflows(matrix.rows, matrix.pitch, standard);
  const bool has_batch = descriptor.find("b").value_or(1) > 1;
  return has_batch && exists && given == standard ? std::nullopt : given;
}

}  // namespace

ConvShape read_conv(std::string_view text) {
  const Descriptor descriptor = read_descriptor(text, kConvKeys);
  const Axes axes = axes_of(descriptor);
  ConvShape shape{.name = descriptor.name,
                  .n = descriptor.find("mb").value_or(kDefaultBatch),
                  .g = descriptor.find("g").value_or(1),
                  .c = required(descriptor.find("ic"), "ic"),
                  .k = required(descriptor.find("oc"), "oc"),
                  .depth = axes.depth,
                  .height = axes.height,
                  .width = axes.width};
  return shape;
}

std::string to_string(const ConvShape& shape) {
  const bool pad_after = needs_pad_after(shape);
  const auto differs = [&](std::int64_t Axis::*size) {
    return shape.depth.*size != 1 || shape.height.*size != 1 || shape.width.*size != 1;
  };
  std::string text = type_prefix(shape.types) + (shape.g > 1 ? entry("g", shape.g) : "");
  text += entry("mb", shape.n) + entry("ic", shape.c) + entries(shape, "i", &Axis::in);
  text += entry("oc", shape.k) + output_entries(shape, pad_after);
  text += entries(shape, "k", &Axis::filter);
  if (differs(&Axis::stride)) text += entries(shape, "s", &Axis::stride);
  text += entries(shape, "p", &Axis::pad_before);
  if (pad_after) text += entries(shape, "a", &Axis::pad_after);
  return text + (differs(&Axis::dilation) ? entries(shape, "d", &Axis::dilation, 1) : "");
}

GemmShape read_gemm(std::string_view text) {
  const Descriptor descriptor = read_descriptor(text, kGemmKeys);
  GemmShape shape{.name = descriptor.name,
                  .b = descriptor.find("b").value_or(1),
                  .m = required(descriptor.find("m"), "m"),
                  .n = required(descriptor.find("n"), "n"),
                  .k = required(descriptor.find("k"), "k")};
  shape.ta = is_set(descriptor, "ta");
  shape.tb = is_set(descriptor, "tb");
  shape.lda = descriptor.find("lda").value_or(stored_a(shape).columns);
  shape.ldb = descriptor.find("ldb").value_or(stored_b(shape).columns);
  shape.ldc = descriptor.find("ldc").value_or(shape.n);
  shape.sa = distance(descriptor, "sa", stored_a(shape));
  shape.sb = distance(descriptor, "sb", stored_b(shape));
  shape.sc = distance(descriptor, "sc", stored_c(shape));
  return shape;
}

std::string to_string(const GemmShape& shape) {
  const auto entry = [](const char* key, std::int64_t value, std::int64_t standard) {
    return value == standard ? std::string() : key + std::to_string(value);
  };
  const auto distance = [](const char* key, const std::optional<std::int64_t>& value) {
    return value ? key + std::to_string(*value) : std::string();
  };
  return type_prefix(shape.types) + entry("b", shape.b, 1) + "m" + std::to_string(shape.m) + "n" +
         std::to_string(shape.n) + "k" + std::to_string(shape.k) +
         entry("lda", shape.lda, stored_a(shape).columns) +
         entry("ldb", shape.ldb, stored_b(shape).columns) + entry("ldc", shape.ldc, shape.n) +
         entry("ta", shape.ta ? 1 : 0, 0) + entry("tb", shape.tb ? 1 : 0, 0) +
         distance("sa", shape.sa) + distance("sb", shape.sb) + distance("sc", shape.sc);
}

}  // namespace tileplan
