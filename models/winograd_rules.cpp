// SPDX-License-Identifier: Apache-2.0
// A broken rule is reported as text: what is wrong, mostly with its value, and then what it must
// be.
#include "winograd_rules.h"

#include <algorithm>

#include "branches.h"
#include "tileplan/error.h"
#include "winograd_points.h"

namespace tileplan {
namespace {

/// Limits the taps of a filter: with two outputs, a filter of this length needs a tile of
/// kMostWinogradInputs inputs.
constexpr std::int64_t kMostTaps = kMostWinogradInputs - 1;

std::string why_not_along(const Axis& axis, const std::string& direction) {
  const auto broken = [&](const char* what, std::int64_t value, const std::string& rule) {
    return "the " + direction + " " + what + " is " + std::to_string(value) + "; must be " + rule;
  };
  if (axis.stride != 1) return broken("stride", axis.stride, "1");
  if (axis.dilation != 1 && axis.filter > 1) return broken("dilation", axis.dilation, "1");
  if (axis.filter > kMostTaps)
    return broken("filter size", axis.filter, "at most " + std::to_string(kMostTaps));
  return {};
}

/// Returns F(m, r) of one direction at `points`, or at winograd_points() if the list is empty.
WinogradMatrices matrices_of(std::int64_t outputs, std::int64_t taps,
                             const std::vector<Fraction>& points) {
  // The check keeps both numbers in the range of int, which the called functions take.
  if (outputs + taps - 1 > kMostWinogradInputs)
    throw Error("winograd: a tile has " + std::to_string(outputs) + " outputs of " +
                std::to_string(taps) + " taps along one direction; must have at most " +
                std::to_string(kMostWinogradInputs) + " inputs, outputs + taps - 1");
  if (taps == 1 && outputs != 1)
    throw Error("winograd: a tile has " + std::to_string(outputs) +
                " outputs along a direction with one tap; must have 1");
  const WinogradSize size{static_cast<int>(outputs), static_cast<int>(taps)};
  if (points.empty()) return winograd_of(size);
  std::vector<WinogradPoint> values;
  values.reserve(points.size());
  for (const Fraction& point : points)
    values.push_back({.value = Rational(point.numerator) / point.denominator});
  return winograd_matrices(size.outputs, size.taps, values);
}

[[noreturn]] void refuse_winograd(const std::string& why) {
  throw Error(std::string("schedule: winograd, but ").append(why));
}

/// Throws Error when the nest has no loop `position`, or when a loop over `dim` with more than one
/// trip is at `position` or outside it.
void check_outside(const Computation& products, const Nest& nest, const std::string& mark,
                   int position, const std::string& dim) {
  if (static_cast<std::size_t>(position) >= nest.loops.size())
    refuse_winograd(std::string(mark).append(" is not a loop outside U and V; must be"));
  for (std::size_t i = 0; i <= static_cast<std::size_t>(position); ++i)
    if (products.name(nest.loops[i].dim) == dim && nest.loops[i].is_active())
      refuse_winograd(
          std::string("a loop over ").append(dim).append(" is not inside ").append(mark) +
          "; must be");
}

/// Throws Error when a box of the input lacks some channels and ends inside a vector of channels,
/// because this vector would overlap the next box.
void check_whole_vectors(const Computation& products, const Nest& nest, int position, int lanes) {
  const Dim c = products.dim("c");
  const Tile box = largest_box_inside(nest, static_cast<std::size_t>(position) + 1);
  if (box[c] != products.extent(c) && box[c] % lanes != 0)
    refuse_winograd("the box of the input holds " + std::to_string(box[c]) + " of " +
                    std::to_string(products.extent(c)) +
                    " channels; must hold all, or whole vectors of " + std::to_string(lanes));
}

}  // namespace

std::string why_no_winograd(const Problem& problem) {
  const auto* conv = std::get_if<ConvShape>(&problem);
  if (conv == nullptr) return "the problem is no convolution";
  if (conv->depth != Axis{}) return "the convolution has a depth; must have one or two directions";
  if (conv->types != ElementType::f32) return "the element type must be f32";
  if (conv->height.filter == 1 && conv->width.filter == 1)
    return "the filter has one tap; must have more in at least one direction";
  const std::string height = why_not_along(conv->height, "height's");
  return height.empty() ? why_not_along(conv->width, "width's") : height;
}

void check_winograd(const Problem& problem, const WinogradTile& tile) {
  const std::string reason = why_no_winograd(problem);
  if (!reason.empty()) throw Error("winograd: " + reason);
  const auto& conv = std::get<ConvShape>(problem);
  if (conv.height.filter != tile.height.taps || conv.width.filter != tile.width.taps)
    throw Error("winograd: the tile is for " + std::to_string(tile.height.taps) + " x " +
                std::to_string(tile.width.taps) + " taps; must be for " +
                std::to_string(conv.height.filter) + " x " + std::to_string(conv.width.filter));
}

WinogradTile winograd_tile(const Problem& problem, const WinogradTiles& tiles) {
  if (const std::string reason = why_no_winograd(problem); !reason.empty())
    throw Error("winograd: " + reason);
  const auto& conv = std::get<ConvShape>(problem);
  return {.height = matrices_of(tiles.outputs[0], conv.height.filter, tiles.points[0]),
          .width = matrices_of(tiles.outputs[1], conv.width.filter, tiles.points[1])};
}

void check_winograd_nest(const Computation& products, const Nest& nest, const Marks& marks,
                         int lanes) {
  if (!marks.winograd) return;
  if (nest.vectorised != products.dim("k"))
    refuse_winograd("vectors lie along " + products.name(nest.vectorised) + "; must be V(k)");
  if (!marks.pack_input || !marks.pack_output)
    refuse_winograd("a mark is missing; must have pack=in@POS and pack=out@POS");
  if (marks.takes_plain_weights())
    refuse_winograd("weights are plain; must be packed, because they are transformed beforehand");
  if (marks.nontemporal) refuse_winograd("nt is set; the stores of tiles cannot bypass the caches");
  const std::string in = "pack=in@" + std::to_string(*marks.pack_input);
  const std::string out = "pack=out@" + std::to_string(*marks.pack_output);
  check_outside(products, nest, in, *marks.pack_input, "x");
  check_outside(products, nest, out, *marks.pack_output, "x");
  check_outside(products, nest, out, *marks.pack_output, "c");
  check_whole_vectors(products, nest, *marks.pack_input, lanes);
  for (auto i = static_cast<std::size_t>(*marks.pack_output) + 1; i < nest.loops.size(); ++i)
    if (nest.loops[i].parallel)
      refuse_winograd("a parallel loop over " + products.name(nest.loops[i].dim) + " is inside " +
                      out + "; must be outside");
}

}  // namespace tileplan
