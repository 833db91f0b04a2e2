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

/// The lines of the text keep their spaces.
struct Code {
  std::string text;
};

struct Cell {
  std::string text;
  std::optional<double> value = {};  ///< Tables are sorted by it.
};

/// Each row must have as many cells as there are headings.
struct Table {
  std::string id;
  std::vector<std::string> headings;  ///< They name the units of their columns.
  std::vector<std::vector<Cell>> rows = {};
  bool sortable = false;  ///< On a page, clicks on headings sort the rows.
};

/// A bar stacks its parts, one per name of the legend. They must be finite and not negative.
struct Bar {
  std::string name;
  std::vector<double> parts;
};

double total(const Bar& bar);

/// A chart shows horizontal bars over a linear axis from 0. The legend has at most four names.
struct BarChart {
  std::string axis;
  std::string unit;  ///< Numbers are in this unit: "B" or "s".
  std::vector<std::string> legend = {};
  std::vector<Bar> bars = {};
};

struct RooflinePoint {
  std::string name;
  double flops_per_byte = 0, flops_per_second = 0;
};

/// A roofline shows attainable flop/s at each intensity on logarithmic axes. Its numbers must be
/// finite and above 0, and it must have a point.
struct Roofline {
  double peak = 0;                                              ///< flop/s
  std::vector<std::pair<std::string, double>> bandwidths = {};  ///< bytes per second
  std::vector<RooflinePoint> points = {};
  double compulsory = 0;     ///< This many flops per byte need each byte once; 0 is not drawn.
  std::string caption = {};  ///< It explains the marks.
};

using Block = std::variant<Paragraph, Code, Table, BarChart, Roofline>;

struct Section {
  std::string title;  ///< It is empty in the first section of a document.
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
/// Cells carry their number in full as `data-v`.
std::string to_html(const Document& document);

/// Returns `document` as Markdown. Tables with the same numbers stand for its figures.
std::string to_markdown(const Document& document);

/// Return cells that show a number as with_prefix, fixed and percent do, and are sorted by it.
Cell quantity(double value, const std::string& unit);
Cell decimals(double value, int digits);
Cell percent_cell(double share);

}  // namespace tileplan
