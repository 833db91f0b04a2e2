// SPDX-License-Identifier: Apache-2.0
// This file writes documents as Markdown, with one overload per kind of block.
#include "document.h"
#include "escapes.h"

namespace tileplan {
namespace {

/// Returns markdown_line() with escaped vertical bars, which would end the cell of a table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : markdown_line(text)) {
    if (each == '|') result += '\\';
    result += each;
  }
  return result;
}

std::string cell_text(const Cell& cell) {
  return cell.text.starts_with('[') ? markdown_code(cell.text) : escaped(cell.text);
}

struct MarkdownWriter {
  std::string& text;

  void operator()(const Paragraph& paragraph) const {
    const char* mark = paragraph.tone == Tone::warning ? "**" : "";
    text += mark + markdown_line(paragraph.text) + mark + "\n\n";
  }
  void operator()(const KeyFigures& figures) const {
    for (const auto& [label, value, note] : figures.figures)
      text += markdown_line("- " + label + ": " + value + " (" + note + ")") + "\n";
    text += '\n';
  }
  void operator()(const FoldedRows&) const {}
  void operator()(const Code& code) const { text += markdown_block(code.text) + "\n"; }
  void operator()(const BarChart&) const {}
  void operator()(const Timeline&) const {}
  void operator()(const StepCurve&) const {}
  void operator()(const Roofline& roofline) const {
    std::string roofs = "Peak " + with_prefix(roofline.peak, "flop/s");
    for (const auto& [name, bandwidth] : roofline.bandwidths)
      roofs += "; " + name + " " + with_prefix(bandwidth, "B/s");
    if (roofline.compulsory > 0)
      roofs += "; flops per byte when each byte crosses once: " + fixed(roofline.compulsory, 2);
    (*this)(Paragraph{roofs + "."});
    Table table{.id = "roofline", .headings = {"over the bytes into", "flops per byte", "speed"}};
    for (const RooflinePoint& point : roofline.points)
      table.rows.push_back({{point.name},
                            decimals(point.flops_per_byte, 2),
                            quantity(point.flops_per_second, "flop/s")});
    (*this)(table);
  }
  void operator()(const Table& table) const {
    std::string rule("|");
    text += '|';
    for (std::size_t i = 0; i < table.headings.size(); ++i) {
      const bool number = !table.rows.empty() && table.rows.front()[i].value;
      text += ' ' + escaped(table.headings[i]) + " |";
      rule += number ? " ---: |" : " --- |";
    }
    text += '\n' + rule + '\n';
    for (const std::vector<Cell>& row : table.rows) {
      text += '|';
      for (const Cell& cell : row) text += ' ' + cell_text(cell) + " |";
      text += '\n';
    }
    text += '\n';
  }
};

}  // namespace

std::string to_markdown(const Document& document) {
  std::string text = "# " + markdown_line(document.title) + "\n\n";
  for (const Section& section : document.sections) {
    std::string body;
    bool has_rows = false;
    for (const Block& block : section.blocks) {
      has_rows = has_rows || std::holds_alternative<FoldedRows>(block);
      std::visit(MarkdownWriter{body}, block);
    }
    // Sections with expandable rows are left out, because a table has their numbers.
    if (body.empty() || has_rows) continue;
    if (!section.title.empty()) text += "## " + markdown_line(section.title) + "\n\n";
    text += body;
  }
  text.pop_back();
  return text;
}

}  // namespace tileplan
