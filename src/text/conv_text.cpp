// SPDX-License-Identifier: Apache-2.0
// This file reads and writes convolutions as benchdnn descriptors.
#include "axis_text.h"
#include "descriptor.h"
#include "problem_text.h"
#include "shape_rules.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::int64_t kDefaultBatch = 2;  // as in benchdnn

struct Axes {
  Axis depth, height, width;
};

/// A depth of one input and one tap is no depth, whatever its stride and dilation.
Axis depth_of(AxisText text) {
  if (text.is_empty()) return {};
  if (!text.filter && text.in == 1) text.filter = 1;
  const Axis depth = resolve_axis(text);
  const Axis flat{.stride = depth.stride, .dilation = depth.dilation};
  return depth == flat ? Axis{} : depth;
}

/// Returns three axes, two or one, as benchdnn reads them from the letters that occur.
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

/// The values that one key has along the axes.
struct Entries {
  std::string key;
  std::int64_t depth = 0, height = 0, width = 0;
};

bool is_1d(const ConvShape& shape) {
  return shape.depth == Axis{} && shape.height == Axis{} && shape.width != Axis{};
}

/// Returns true when the output width follows from the other keys.
bool is_width_implied(const ConvShape& shape, bool pad_after) {
  const Axis& w = shape.width;
  if (w == shape.height) return true;
  return w.out == shape.height.out &&
         outputs_between(w, pad_after ? w.pad_after : w.pad_before) == w.out;
}

}  // namespace

std::span<const Key> conv_keys() {
  static constexpr Key kKeys[] = {
      {"g"},  {"mb"}, {"ic"}, {"ih"},    {"iw"},    {"oc"},    {"oh"},    {"ow"},    {"kh"},
      {"kw"}, {"sh"}, {"sw"}, {"ph", 0}, {"pw", 0}, {"ah", 0}, {"aw", 0}, {"dh", 0}, {"dw", 0},
      {"id"}, {"od"}, {"kd"}, {"sd"},    {"pd", 0}, {"ad", 0}, {"dd", 0}};
  return kKeys;
}

ConvShape read_conv(std::string_view text) {
  const Descriptor descriptor = read_descriptor(text, conv_keys());
  const Axes axes = axes_of(descriptor);
  ConvShape shape{.name = descriptor.name,
                  .n = descriptor.get_or("mb", kDefaultBatch),
                  .g = descriptor.get_or("g", 1),
                  .c = descriptor.required("ic"),
                  .k = descriptor.required("oc"),
                  .depth = axes.depth,
                  .height = axes.height,
                  .width = axes.width};
  check_shape(shape);
  return shape;
}

namespace {

/// Writes the keys of the axes that a shape has, and the width where it differs from the height.
class AxesWriter {
 public:
  explicit AxesWriter(const ConvShape& shape)
      : has_depth_(shape.depth != Axis{}), has_height_(!is_1d(shape)) {}

  std::string write(const Entries& all) const {
    std::string text = has_depth_ ? entry(all.key + "d", all.depth) : "";
    if (!has_height_) return text + entry(all.key + "w", all.width);
    text += entry(all.key + "h", all.height);
    return text + (all.width == all.height ? "" : entry(all.key + "w", all.width));
  }

  std::string write_unless(std::int64_t standard, const Entries& all) const {
    const bool is_standard =
        all.depth == standard && all.height == standard && all.width == standard;
    return is_standard ? "" : write(all);
  }

 private:
  bool has_depth_, has_height_;
};

std::string output_entries(const ConvShape& shape, bool pad_after) {
  if (is_1d(shape)) return entry("ow", shape.width.out);
  std::string text = shape.depth == Axis{} ? "" : entry("od", shape.depth.out);
  text += entry("oh", shape.height.out);
  return text + (is_width_implied(shape, pad_after) ? "" : entry("ow", shape.width.out));
}

}  // namespace

std::string to_string(const ConvShape& shape) {
  const Axis &d = shape.depth, &h = shape.height, &w = shape.width;
  const bool pad_after = needs_pad_after(shape);
  const AxesWriter axes(shape);
  std::string text = type_prefix(shape.type) + (shape.g > 1 ? entry("g", shape.g) : "");
  text += entry("mb", shape.n) + entry("ic", shape.c) + axes.write({"i", d.in, h.in, w.in});
  text += entry("oc", shape.k) + output_entries(shape, pad_after);
  text += axes.write({"k", d.filter, h.filter, w.filter});
  text += axes.write_unless(1, {"s", d.stride, h.stride, w.stride});
  text += axes.write({"p", d.pad_before, h.pad_before, w.pad_before});
  if (pad_after) text += axes.write({"a", d.pad_after, h.pad_after, w.pad_after});
  return text + axes.write_unless(0, {"d", d.dilation - 1, h.dilation - 1, w.dilation - 1});
}

}  // namespace tileplan
