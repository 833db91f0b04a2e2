// SPDX-License-Identifier: Apache-2.0
// This file writes documents as HTML, with one overload per kind of block.
#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "charts.h"
#include "page_style.h"
#include "shortened.h"
#include "svg.h"

namespace tileplan {
namespace {

/// The script avoids the characters that XML escapes, because HTML does not decode entities in
/// scripts.
constexpr const char* kSort =
    "document.querySelectorAll('table.sortable').forEach(function(table){"
    "table.querySelectorAll('th button').forEach(function(button,i){"
    "button.onclick=function(){"
    "var head=button.parentNode,body=table.tBodies[0];"
    "var key=function(row){var v=row.cells[i].dataset.v;"
    "return v===undefined?row.cells[i].textContent:Number(v)};"
    "var before=head.getAttribute('aria-sort');"
    "var rows=Array.from(body.rows).sort(function(p,q){var x=key(p),y=key(q);"
    "return typeof x==='number'?y-x:x.localeCompare(y,'en',{numeric:true})});"
    "var number=typeof key(rows[0])==='number';"
    "var order=number?'descending':'ascending';"
    "if(before===order){rows.reverse();order=number?'ascending':'descending'}"
    "table.querySelectorAll('th').forEach(function(h){h.removeAttribute('aria-sort')});"
    "head.setAttribute('aria-sort',order);"
    "rows.forEach(function(r){body.append(r)})}})})";

bool is_numeric(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const std::vector<Cell>& row) { return row[column].value.has_value(); });
}

void add_heading(pugi::xml_node row, const Table& table, std::size_t column) {
  pugi::xml_node head = add(row, "th");
  if (is_numeric(table, column)) head.append_attribute("class") = "n";
  if (table.sortable)
    add(head, "button", table.headings[column]).append_attribute("type") = "button";
  else
    head.text().set(table.headings[column].c_str());
}

/// Marks a long text other than a schedule, so that the style sheet wraps it.
void mark_text(pugi::xml_node node, const Cell& cell) {
  constexpr std::size_t kLong = 40;
  if (!cell.value && cell.text.size() > kLong && !cell.text.starts_with('['))
    node.append_attribute("class") = "t";
}

void add_cell(pugi::xml_node row, const Cell& cell, bool is_in_numbers) {
  const bool code = cell.text.starts_with('[');
  pugi::xml_node node = add(row, "td", code ? "" : cell.text);
  if (code) add(node, "code", cell.text);
  if (is_in_numbers)
    node.append_attribute("class") = "n";
  else
    mark_text(node, cell);
  if (cell.value) node.append_attribute("data-v").set_value(*cell.value, 17);
}

pugi::xml_node add_with(pugi::xml_node parent, const char* name, const char* attribute,
                        const char* value) {
  pugi::xml_node node = add(parent, name);
  node.append_attribute(attribute) = value;
  return node;
}

std::string colour_class(int colour) { return std::string("k").append(std::to_string(colour)); }

/// Adds a legend: a list of names, each with its colour.
void add_legend(pugi::xml_node parent, const std::vector<std::pair<std::string, int>>& names) {
  pugi::xml_node legend = add_with(parent, "div", "class", "legend");
  for (const auto& [name, colour] : names) {
    pugi::xml_node entry = add(legend, "span");
    add_with(entry, "i", "class", colour_class(colour).c_str()).text().set("");
    entry.append_child(pugi::node_pcdata).set_value(name.c_str());
  }
}

void add_sections(pugi::xml_node parent, const std::vector<Section>& sections,
                  const std::string& prefix);

/// Appends `text`, in which pairs of backticks enclose code as in Markdown.
void add_marked(pugi::xml_node node, std::string_view text) {
  const auto add_plain = [&](std::string_view part) {
    node.append_child(pugi::node_pcdata).set_value(std::string(part).c_str());
  };
  for (;;) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) break;
    add_plain(text.substr(0, open));
    add(node, "code", std::string(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
  add_plain(text);
}

/// Writes the blocks of one section. The ids of its tables start with `prefix`, which is empty for
/// sections of the page and differs from one expandable row to another.
class HtmlWriter {
 public:
  HtmlWriter(pugi::xml_node body, std::string prefix) : body_(body), prefix_(std::move(prefix)) {}

  void operator()(const Paragraph& paragraph) {
    pugi::xml_node node = add(body_, "p");
    add_marked(node, paragraph.text);
    if (paragraph.tone == Tone::warning) node.append_attribute("class") = "alarm";
  }
  void operator()(const Code& code) { add(body_, "pre", code.text); }
  void operator()(const BarChart& chart) { add_bars(chart_place(), chart); }
  void operator()(const Timeline& timeline) {
    pugi::xml_node place = chart_place();
    add_legend(place, timeline.legend);
    add_timeline(place, timeline);
  }
  void operator()(const StepCurve& curve) { add_curve(chart_place(), curve); }
  void operator()(const Roofline& roofline) {
    add_roofline(body_, roofline);
    if (!roofline.caption.empty()) (*this)(Paragraph{roofline.caption});
  }
  void operator()(const KeyFigures& figures) {
    pugi::xml_node list = add_with(body_, "dl", "class", "figures");
    for (const auto& [label, value, note] : figures.figures) {
      pugi::xml_node panel = add(list, "div");
      add(panel, "dt", label);
      add(panel, "dd", value).append_attribute("class") = "value";
      add(panel, "dd", note).append_attribute("class") = "note";
    }
  }
  void operator()(const Table& table);
  void operator()(const FoldedRows& rows);

 private:
  /// Returns the element for the next bar chart, timeline or curve. Such charts without other
  /// blocks between them share rows. Rooflines stand alone.
  pugi::xml_node chart_place() {
    const std::string last = body_.last_child().attribute("class").value();
    if (last != "charts") add_with(body_, "div", "class", "charts");
    return add(body_.last_child(), "div");
  }

  pugi::xml_node body_;
  std::string prefix_;
};

void HtmlWriter::operator()(const Table& table) {
  pugi::xml_node node = add_with(add_with(body_, "div", "class", "wide"), "table", "id",
                                 (prefix_ + table.id).c_str());
  if (table.sortable) node.append_attribute("class") = "sortable";
  pugi::xml_node head = add(add(node, "thead"), "tr");
  for (std::size_t i = 0; i < table.headings.size(); ++i) add_heading(head, table, i);
  pugi::xml_node rows = add(node, "tbody");
  for (const std::vector<Cell>& row : table.rows) {
    pugi::xml_node line = add(rows, "tr");
    for (std::size_t i = 0; i < row.size(); ++i) add_cell(line, row[i], is_numeric(table, i));
  }
  if (table.sortable) add(body_, "script", kSort);
}

void add_summary(pugi::xml_node parent, const FoldedRow& row) {
  constexpr double kPercent = 100;
  constexpr std::size_t kNameLength = 30;
  pugi::xml_node summary = add_with(parent, "summary", "title", row.hint.c_str());
  add(summary, "span", end_of(row.name, kNameLength)).append_attribute("class") = "name";
  pugi::xml_node bar = add_with(add_with(summary, "span", "class", "track"), "span", "class",
                                std::string("bar ").append(colour_class(row.colour)).c_str());
  const std::string width =
      std::string("width:").append(fixed(kPercent * row.share, 1)).append("%");
  bar.append_attribute("style") = width.c_str();
  add(summary, "span", row.kind).append_attribute("class") = "kind";
  add(summary, "span", row.value).append_attribute("class") = "value";
}

void HtmlWriter::operator()(const FoldedRows& rows) {
  add_legend(body_, rows.legend);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    pugi::xml_node details = add(body_, "details");
    add_summary(details, rows.rows[i]);
    add_sections(details, rows.rows[i].sections, prefix_ + "layer-" + std::to_string(i + 1) + "-");
  }
}

/// Adds sections to the page or, with a `prefix` for the ids of tables, to an expandable row, whose
/// headings are smaller.
void add_sections(pugi::xml_node parent, const std::vector<Section>& sections,
                  const std::string& prefix) {
  pugi::xml_node grid = add_with(parent, "div", "class", "sections");
  for (const Section& section : sections) {
    pugi::xml_node node = add(grid, "section");
    if (section.wide) node.append_attribute("class") = "wide-section";
    if (!section.title.empty()) add(node, prefix.empty() ? "h2" : "h3", section.title);
    HtmlWriter writer(node, prefix);
    for (const Block& block : section.blocks) std::visit(writer, block);
  }
}

void add_head(pugi::xml_node html, const std::string& title) {
  pugi::xml_node head = add(html, "head");
  add_with(head, "meta", "charset", "utf-8");
  add_with(head, "meta", "name", "viewport").append_attribute("content") =
      "width=device-width, initial-scale=1";
  add(head, "title", title);
  // An empty icon prevents browsers from requesting one from a server.
  add_with(head, "link", "rel", "icon").append_attribute("href") = "data:,";
  add(head, "style", kPageStyle);
}

}  // namespace

std::string to_html(const Document& document) {
  pugi::xml_document tree;
  tree.append_child(pugi::node_doctype).set_value("html");
  pugi::xml_node html = add_with(tree, "html", "lang", "en");
  add_head(html, document.title);
  pugi::xml_node body = add(html, "body");
  add(body, "h1", document.title);
  add_sections(body, document.sections, "");
  std::ostringstream stream;
  tree.save(stream, "",
            pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags);
  return stream.str() + "\n";
}

}  // namespace tileplan
