// SPDX-License-Identifier: Apache-2.0
// A report as sections of text, tables and figures, before anything is laid out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tileplan {

struct Paragraph {
  std::string text;
};

/// Lines that keep their spaces.
struct Code {
  std::string text;
};

/// What a cell shows; with a number, what it is sorted by.
struct Cell {
  std::string text;
  std::optional<double> value = {};
};

/// Requires: as many cells in each row as headings.
struct Table {
  std::string id;
  std::vector<std::string> headings;  ///< with the unit of the column
  std::vector<std::vector<Cell>> rows;
  bool sortable = false;  ///< on a page, by clicking a heading
};

/// A bar of stacked parts, one per name of the legend.
struct Bar {
  std::string name;
  std::vector<double> parts;  ///< finite, not negative
};

/// Horizontal stacked bars over a linear axis from 0. At most four names in the legend.
struct BarChart {
  std::string axis;  ///< title of the axis
  std::string unit;  ///< of the numbers: "B", "s"
  std::vector<std::string> legend;
  std::vector<Bar> bars;
};

struct RooflinePoint {
  std::string name;
  double flops_per_byte = 0, flops_per_second = 0;
};

/// Attainable flop/s over flops per byte, both axes logarithmic. Numbers are finite and above 0;
/// at least one point.
struct Roofline {
  double peak = 0;                                         ///< flop/s
  std::vector<std::pair<std::string, double>> bandwidths;  ///< bytes per second
  std::vector<RooflinePoint> points;
  double compulsory = 0;     ///< flops per byte when each byte crosses once; 0: not drawn
  std::string caption = {};  ///< says what the marks are; empty: nothing
};

using Block = std::variant<Paragraph, Code, Table, BarChart, Roofline>;

struct Section {
  std::string title;  ///< empty: goes on from the title of the document
  std::vector<Block> blocks;
};

struct Document {
  std::string title;
  std::vector<Section> sections;
};

/// "123 us", "12.3 MB": three significant digits and the prefix of `unit` that suits; "0 B".
std::string with_prefix(double value, const std::string& unit);

/// `value` with `digits` decimals.
std::string fixed(double value, int digits);

/// A cell that shows `value` as `with_prefix`.
Cell quantity(double value, const std::string& unit);

}  // namespace tileplan
