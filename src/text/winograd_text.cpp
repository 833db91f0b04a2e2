// SPDX-License-Identifier: Apache-2.0
// Interpolation points are written as fractions, because decimal numbers would not be exact.
#include "winograd_text.h"

#include <limits>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

/// Parts of fractions and sizes of tiles must fit in 32 bits. Useful ones are far smaller.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

std::int64_t part_of(std::int64_t least, std::string_view what, std::string_view text) {
  const std::int64_t number = number_from(least, what, text);
  if (number > kLargest)
    throw Error(std::string(what) + " is " + std::to_string(number) + "; must be at most " +
                std::to_string(kLargest));
  return number;
}

Fraction fraction_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  Fraction fraction{.numerator = part_of(-kLargest, "a point", text.substr(0, slash))};
  if (slash != std::string_view::npos)
    fraction.denominator = part_of(1, "the denominator of a point", text.substr(slash + 1));
  return fraction;
}

std::vector<Fraction> fractions_from(std::string_view text) {
  std::vector<Fraction> fractions;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    fractions.push_back(fraction_from(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) throw Error("a point is missing after the last comma");
  }
  return fractions;
}

std::string text_of(const std::vector<Fraction>& fractions) {
  std::string text;
  for (const Fraction& one : fractions) {
    if (!text.empty()) text += ',';
    text += std::to_string(one.numerator);
    if (one.denominator != 1) text.append("/").append(std::to_string(one.denominator));
  }
  return text;
}

}  // namespace

void read_outputs(std::string_view text, WinogradTiles& tiles) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos)
    throw Error("must be winograd=MxM, the rows and columns of outputs in a tile");
  tiles.outputs = {part_of(1, "the rows of a tile", text.substr(0, cross)),
                   part_of(1, "the columns of a tile", text.substr(cross + 1))};
}

void read_points(std::string_view text, WinogradTiles& tiles) {
  const std::size_t border = text.find(';');
  tiles.points[0] = fractions_from(text.substr(0, border));
  tiles.points[1] =
      border == std::string_view::npos ? tiles.points[0] : fractions_from(text.substr(border + 1));
  if (tiles.points[0].empty() && tiles.points[1].empty())
    throw Error("must be points=LIST, fractions separated by commas");
}

std::string outputs_mark(const WinogradTiles& tiles) {
  const auto& [rows, columns] = tiles.outputs;
  return "winograd=" + std::to_string(rows) + "x" + std::to_string(columns);
}

std::string text_of(const WinogradTiles& tiles) {
  std::string text = " " + outputs_mark(tiles);
  const auto& [height, width] = tiles.points;
  if (height.empty() && width.empty()) return text;
  text.append(" points=").append(text_of(height));
  if (width != height) text.append(";").append(text_of(width));
  return text;
}

}  // namespace tileplan
