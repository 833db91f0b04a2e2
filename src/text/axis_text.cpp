// SPDX-License-Identifier: Apache-2.0
// This file completes the axes of a convolution with benchdnn's defaults and deductions.
#include "axis_text.h"

#include <algorithm>
#include <array>

#include "shape_rules.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::array kInputFields = {&AxisText::in,   &AxisText::filter, &AxisText::stride,
                                     &AxisText::gaps, &AxisText::pad,    &AxisText::pad_after};

void copy_missing(AxisText& to, const AxisText& from) {
  for (const auto field : kInputFields)
    if (!(to.*field)) to.*field = from.*field;
}

/// An output size is copied to the other axis only when all other sizes of both axes are equal.
void copy_missing_output(AxisText& to, const AxisText& from) {
  if (to.out || !from.out) return;
  const bool alike =
      std::ranges::all_of(kInputFields, [&](const auto field) { return to.*field == from.*field; });
  if (alike)
    to.out = from.out;
  else if (!to.pad && !to.pad_after)
    throw Error("o" + to.letter + " is missing; must be given, or p" + to.letter +
                ", when height and width differ");
}

std::string expected_output(const AxisText& text, const Axis& axis) {
  const std::string& x = text.letter;
  const std::string padding = text.pad_after ? "p" + x + " + a" + x : "2 * p" + x;
  const auto expected = outputs_between(axis, text.pad_after.value_or(axis.pad_before));
  return "(i" + x + " - ((k" + x + " - 1) * (d" + x + " + 1) + 1) + " + padding + ") / s" + x +
         " + 1" +
         (expected ? " = " + std::to_string(*expected) : ", which is below 1 or beyond 2^63 - 1");
}

bool is_transposed_output(const AxisText& text, const Axis& axis) {
  if (!text.pad || axis.out <= axis.in) return false;
  const Exact window = Exact(axis.filter - 1) * axis.dilation + 1;
  const Exact out = Exact(axis.in - 1) * axis.stride + window - axis.pad_before -
                    text.pad_after.value_or(axis.pad_before);
  return out.fits() && out.value() == axis.out;
}

std::int64_t checked_padding(const AxisText& text, const Axis& axis) {
  const Exact needed = padding_needed(axis);
  if (!needed.fits())
    throw Error("i" + text.letter + ", o" + text.letter + ", k" + text.letter +
                " or what goes with them reaches over more than 2^63 - 1 inputs, the largest size");
  return needed.value();
}

/// Throws Error when the sizes contradict one another, although benchdnn accepts such sizes. If
/// only the padding before the input is given, the padding that the last window needs after the
/// input must differ from it by less than one stride.
void check_output(const AxisText& text, const Axis& axis) {
  const std::int64_t needed = checked_padding(text, axis);
  bool good = needed > -axis.stride;
  if (text.pad_after) {
    good = outputs_between(axis, *text.pad_after) == axis.out;
  } else if (text.pad) {
    const Exact skew = Exact(needed) - axis.pad_before;
    good = skew.fits() && skew.value() > -axis.stride && skew.value() < axis.stride;
  }
  if (good) return;
  if (is_transposed_output(text, axis))
    throw Error("o" + text.letter + " is " + std::to_string(axis.out) +
                ", as of a transposed convolution, which is not supported; must be " +
                expected_output(text, axis));
  const bool tellable = text.pad && !text.pad_after && needed >= 0;
  throw Error("o" + text.letter + " is " + std::to_string(axis.out) + "; must be " +
              expected_output(text, axis) +
              (tellable ? ", or have a" + text.letter + std::to_string(needed) +
                              " (padding after the input)"
                        : ""));
}

}  // namespace

AxisText axis_text(const Descriptor& descriptor, const std::string& letter) {
  return {.letter = letter,
          .in = descriptor.find("i" + letter),
          .out = descriptor.find("o" + letter),
          .filter = descriptor.find("k" + letter),
          .stride = descriptor.find("s" + letter),
          .gaps = descriptor.find("d" + letter),
          .pad = descriptor.find("p" + letter),
          .pad_after = descriptor.find("a" + letter)};
}

void share_entries(AxisText& height, AxisText& width) {
  copy_missing(width, height);
  // If `ph` is given without `ah`, `aw` applies to the width alone.
  const bool symmetric = height.pad && !height.pad_after;
  copy_missing(height, width);
  if (symmetric) height.pad_after.reset();
  copy_missing_output(width, height);
  copy_missing_output(height, width);
}

Axis resolve_axis(const AxisText& text) {
  const Exact dilation = Exact(text.gaps.value_or(0)) + 1;
  if (!dilation.fits()) throw Error("d" + text.letter + " is 2^63 - 1; must be less");
  Axis axis{.in = required(text.in, "i" + text.letter),
            .out = text.out.value_or(1),
            .filter = required(text.filter, "k" + text.letter),
            .stride = text.stride.value_or(1),
            .dilation = dilation.value(),
            .pad_before = text.pad.value_or(0)};
  if (!text.out) {
    const auto out = outputs_between(axis, text.pad_after.value_or(axis.pad_before));
    if (!out)
      throw Error("o" + text.letter + " must be at least 1, but is " + expected_output(text, axis));
    axis.out = *out;
  } else if (!text.pad && !text.pad_after) {
    // benchdnn halves the total padding. If it is odd, the larger half comes after the input.
    axis.pad_before = std::max<std::int64_t>(checked_padding(text, axis) / 2, 0);
  }
  check_output(text, axis);
  axis.pad_after = std::max<std::int64_t>(checked_padding(text, axis), 0);
  return axis;
}

}  // namespace tileplan
