// SPDX-License-Identifier: Apache-2.0
// Convolutions as benchdnn descriptors.
#include "axis_text.h"
#include "descriptor.h"
#include "problem_text.h"
#include "shape_rules.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::int64_t kDefaultBatch = 2;  // benchdnn's

void check_depth(const Descriptor& descriptor) {
  const auto check = [&](std::string_view key, std::int64_t flat) {
    const std::int64_t value = descriptor.get_or(key, flat);
    if (value == flat) return;
    throw Error(std::string(key) + " is " + std::to_string(value) +
                "; only 2-D convolutions are supported for now: id, od, kd must be 1 and pd 0");
  };
  for (const std::string_view key : {"id", "od", "kd"}) check(key, 1);
  check("pd", 0);
}

std::string entry(const std::string& key, std::int64_t value) {
  return key + std::to_string(value);
}

/// Both axes' values of one key, the width's only when it differs.
std::string entries(const std::string& key, std::int64_t height, std::int64_t width) {
  return entry(key + "h", height) + (width == height ? "" : entry(key + "w", width));
}

std::string entries_unless(std::int64_t standard, const std::string& key, std::int64_t height,
                           std::int64_t width) {
  return height == standard && width == standard ? "" : entries(key, height, width);
}

bool needs_pad_after(const Axis& axis) {
  const Exact skew = padding_needed(axis) - axis.pad_before;
  return !skew.fits() || skew.value() <= -axis.stride || skew.value() >= axis.stride;
}

/// True when a reader finds the output width without `ow`.
bool is_width_implied(const ConvShape& shape, bool pad_after) {
  const Axis& w = shape.width;
  if (w == shape.height) return true;
  return w.out == shape.height.out &&
         outputs_between(w, pad_after ? w.pad_after : w.pad_before) == w.out;
}

}  // namespace

std::span<const Key> conv_keys() {
  static constexpr Key kKeys[] = {{"g"},     {"mb"},    {"ic"},    {"ih"},    {"iw"},    {"oc"},
                                  {"oh"},    {"ow"},    {"kh"},    {"kw"},    {"sh"},    {"sw"},
                                  {"ph", 0}, {"pw", 0}, {"ah", 0}, {"aw", 0}, {"dh", 0}, {"dw", 0},
                                  {"id"},    {"od"},    {"kd"},    {"sd"},    {"pd", 0}, {"dd", 0}};
  return kKeys;
}

ConvShape read_conv(std::string_view text) {
  const Descriptor descriptor = read_descriptor(text, conv_keys());
  check_depth(descriptor);
  AxisText height = axis_text(descriptor, "h");
  AxisText width = axis_text(descriptor, "w");
  share(height, width);
  ConvShape shape{.name = descriptor.name,
                  .n = descriptor.get_or("mb", kDefaultBatch),
                  .g = descriptor.get_or("g", 1),
                  .c = descriptor.required("ic"),
                  .k = descriptor.required("oc"),
                  .height = resolved(height),
                  .width = resolved(width)};
  check_shape(shape);
  return shape;
}

std::string to_string(const ConvShape& shape) {
  const Axis& h = shape.height;
  const Axis& w = shape.width;
  const bool pad_after = needs_pad_after(h) || needs_pad_after(w);
  std::string text = shape.g > 1 ? entry("g", shape.g) : "";
  text += entry("mb", shape.n) + entry("ic", shape.c) + entries("i", h.in, w.in);
  text += entry("oc", shape.k) + entry("oh", h.out);
  if (!is_width_implied(shape, pad_after)) text += entry("ow", w.out);
  text += entries("k", h.filter, w.filter);
  text += entries_unless(1, "s", h.stride, w.stride);
  text += entries("p", h.pad_before, w.pad_before);
  if (pad_after) text += entries("a", h.pad_after, w.pad_after);
  return text + entries_unless(0, "d", h.dilation - 1, w.dilation - 1);
}

}  // namespace tileplan
