// SPDX-License-Identifier: Apache-2.0
// Holds a report as sections of text, tables and figures, before a writer lays it out.
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

/// The text that a table shows, and the number that it is sorted by.
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

/// Horizontal stacked bars over a linear axis from 0. The legend has at most four names.
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

/// Attainable flop/s over flops per byte on logarithmic axes. Its numbers are finite and above 0,
/// and it has at least one point.
struct Roofline {
  double peak = 0;                                         ///< flop/s
  std::vector<std::pair<std::string, double>> bandwidths;  ///< bytes per second
  std::vector<RooflinePoint> points;
  double compulsory = 0;     ///< flops per byte when each byte crosses once; 0 is not drawn
  std::string caption = {};  ///< explains the marks
};

using Block = std::variant<Paragraph, Code, Table, BarChart, Roofline>;

struct Section {
  std::string title;  ///< empty for the section behind the title of the document
  std::vector<Block> blocks;
};

struct Document {
  std::string title;
  std::vector<Section> sections;
};

/// Returns `value` with three significant digits and a prefix: "123 us", "12.3 MB", "0 B".
std::string with_prefix(double value, const std::string& unit);

std::string fixed(double value, int digits);

/// Returns a share of 0.123 as "12.3 %".
std::string percent(double share);

/// Returns a self-contained page that reads well without colour, on paper and on narrow screens.
/// Cells carry their number in full as `data-v`, and a click on the heading of a sortable table
/// sorts its rows.
std::string to_html(const Document& document);

/// Returns `document` as Markdown. Tables with the same numbers stand for its figures.
std::string to_markdown(const Document& document);

/// Return cells that show a number as the function above them does and are sorted by it.
Cell quantity(double value, const std::string& unit);
Cell decimals(double value, int digits);
Cell percent_cell(double share);

}  // namespace tileplan
