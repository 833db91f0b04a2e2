// SPDX-License-Identifier: Apache-2.0
// A report consists of sections of text, tables and figures. Writers make HTML or Markdown of it.
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

/// Holds text that is printed with its spaces and line breaks.
struct Code {
  std::string text;
};

struct Cell {
  std::string text;
  std::optional<double> value = {};  ///< Sortable tables sort the cell by this number.
};

/// Holds a table. Each row must have one cell per heading.
struct Table {
  std::string id;
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows = {};
  bool sortable = false;  ///< If true, a click on a heading of an HTML page sorts the rows.
};

/// Holds a number or a word that a page shows in large type.
struct KeyFigure {
  std::string label, value;
  std::string note;  ///< The note explains the value, such as "predicted, hot caches".
};
struct KeyFigures {
  std::vector<KeyFigure> figures;
};

/// Holds a bar of stacked parts, which belong to the names of the legend in their order. Each part
/// must be finite and not negative.
struct Bar {
  std::string name;
  std::vector<double> parts;
};

double total(const Bar& bar);

/// Holds horizontal bars over a linear axis that starts at 0. The legend has at most four names.
/// Markdown reports omit the chart.
struct BarChart {
  std::string axis;
  std::string unit;  ///< The values have this unit, such as "B".
  std::vector<std::string> legend = {};
  std::vector<Bar> bars = {};
};

struct RooflinePoint {
  std::string name;
  double flops_per_byte = 0, flops_per_second = 0;
};

/// Holds a plot of attainable flop/s against flops per byte on logarithmic axes. Requires at least
/// one point and finite numbers, which are above 0 except for `compulsory`.
struct Roofline {
  double peak = 0;  ///< The peak is in flop/s.
  /// The bandwidths are in bytes per second.
  std::vector<std::pair<std::string, double>> bandwidths = {};
  std::vector<RooflinePoint> points = {};
  /// Moving each byte once gives this many flops per byte. The mark is not drawn if the number is
  /// 0.
  double compulsory = 0;
  std::string caption = {};  ///< The caption explains the marks of the plot.
};

/// Holds one span of time. Spans follow each other on an axis of time. Markdown reports omit
/// timelines.
struct TimelineSpan {
  std::string hint;  ///< Browsers show this text while the pointer is on the span.
  int colour = 0;    ///< This is the number of the colour, from 0 to 4.
  double seconds = 0;
};
struct Timeline {
  std::vector<std::pair<std::string, int>> legend = {};
  /// Each lane has a name. All lanes begin at 0.
  std::vector<std::pair<std::string, std::vector<TimelineSpan>>> lanes = {};
};

/// Holds a quantity in each of several steps, and limits that are drawn as lines. Markdown reports
/// omit the curve.
struct StepCurve {
  std::string name;  ///< The quantity has this name.
  std::string unit;
  std::vector<double> values = {};
  std::vector<std::pair<std::string, double>> limits = {};
};

struct FoldedRow;
/// Holds rows that expand on a click. Their bars share one axis. Markdown reports omit these rows.
struct FoldedRows {
  /// Maps the names of the legend to the numbers of their colours.
  std::vector<std::pair<std::string, int>> legend;
  std::vector<FoldedRow> rows;
};

using Block = std::variant<Paragraph, Code, Table, KeyFigures, BarChart, Roofline, FoldedRows,
                           Timeline, StepCurve>;

struct Section {
  /// Only the first section of a document or of an expanded row has an empty title.
  std::string title;
  std::vector<Block> blocks;
  bool wide = false;  ///< If true, the section spans both columns of an HTML page.
};

struct FoldedRow {
  std::string name;
  std::string value;  ///< This text stands at the end of the row.
  std::string kind;   ///< The legend lists this name next to the colour.
  int colour = 0;     ///< This is the number of the colour, from 0 to 4.
  double share = 0;   ///< This is the length of the bar, divided by the length of the longest bar.
  std::string hint;   ///< Browsers show this text while the pointer is on the row.
  std::vector<Section> sections;  ///< An expanded row shows these sections.
};

struct Document {
  std::string title;
  std::vector<Section> sections;
};

/// Returns a share of 0.123 as "12.3 %".
std::string percent(double share);

/// Returns a self-contained page that is readable without colour, on paper, on narrow screens and
/// on dark screens. The attribute `data-v` of a cell holds its number with all digits.
std::string to_html(const Document& document);

/// Returns `document` as Markdown. A roofline becomes a paragraph and a table. All other charts,
/// sections with nothing else, and sections with rows that expand are left out.
std::string to_markdown(const Document& document);

/// These functions return cells that print a number as with_prefix(), fixed() and percent() do, and
/// that sort by this number.
Cell quantity(double value, const std::string& unit);
Cell decimals(double value, int digits);
Cell percent_cell(double share);

/// Returns quantity() of `value`, or a cell with "-" if there is none.
Cell quantity_or_dash(const std::optional<double>& value, const std::string& unit);

}  // namespace tileplan
