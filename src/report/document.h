// SPDX-License-Identifier: Apache-2.0
// A report consists of sections of text, tables and figures until a writer lays it out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tileplan/text.h"

namespace tileplan {

enum class Tone { plain, warning };

struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
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

/// A page shows these numbers in large type.
struct KeyFigure {
  std::string label, value;
  std::string note;  ///< It says how the number came about, such as "predicted, hot caches".
};
struct KeyFigures {
  std::vector<KeyFigure> figures;
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

/// The bars share one axis, and their rows open. Markdown leaves them out.
struct FoldedRow;
struct FoldedRows {
  std::vector<std::pair<std::string, int>> legend;  ///< Each name has the number of a colour.
  std::vector<FoldedRow> rows;
};

using Block = std::variant<Paragraph, Code, Table, KeyFigures, BarChart, Roofline, FoldedRows>;

struct Section {
  std::string title;  ///< It is empty in the first section of a document.
  std::vector<Block> blocks;
  bool wide = false;  ///< It is as wide as the page, where others share two columns.
};

struct FoldedRow {
  std::string name;
  std::string value;              ///< It stands at the end of the bar.
  std::string kind;               ///< It is the name of the colour.
  int colour = 0;                 ///< It is from 0 to 4.
  double share = 0;               ///< The longest bar has 1.
  std::string hint;               ///< It is shown while the pointer rests on the row.
  std::vector<Section> sections;  ///< They are shown when the row is open.
};

struct Document {
  std::string title;
  std::vector<Section> sections;
};

/// Returns a share of 0.123 as "12.3 %".
std::string percent(double share);

/// Returns a self-contained page that reads well without colour, on paper, on narrow and on dark
/// screens. Cells carry their number in full as `data-v`.
std::string to_html(const Document& document);

/// Returns `document` as Markdown. Tables with the same numbers stand for its figures.
std::string to_markdown(const Document& document);

/// Return cells that show a number as with_prefix, fixed and percent do, and are sorted by it.
Cell quantity(double value, const std::string& unit);
Cell decimals(double value, int digits);
Cell percent_cell(double share);

/// Returns a cell as quantity() does, or "-" without a value.
Cell quantity_or_dash(const std::optional<double>& value, const std::string& unit);

}  // namespace tileplan
