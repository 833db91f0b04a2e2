// SPDX-License-Identifier: Apache-2.0
// This file writes documents as pages, with one overload per kind of block.
#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "charts.h"
#include "svg.h"

namespace tileplan {
namespace {

constexpr const char* kStyle =
    "body{font:15px/1.45 sans-serif;max-width:75em;margin:1em auto;padding:0 1em;color:#111}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin:1.6em 0 .4em}"
    "table{border-collapse:collapse}.wide{overflow-x:auto;margin:.6em 0}"
    "td,th{padding:.2em .7em .2em 0;border-bottom:1px solid #bbb;text-align:left;"
    "vertical-align:top}th{font-weight:600;border-bottom-color:#333}"
    "td{white-space:nowrap}td code{display:block;white-space:normal;min-width:28em}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "th button{font:inherit;text-align:inherit;border:0;padding:0;background:none;color:inherit;"
    "cursor:pointer;text-decoration:underline dotted}"
    "th[aria-sort] button{text-decoration:underline}"
    "code,pre{font:13px/1.5 monospace}pre{overflow-x:auto;background:#f3f3f3;padding:.7em}"
    "svg{display:block;width:100%;max-width:520px;height:auto;margin:.6em 0}"
    "svg text{paint-order:stroke;stroke:#fff;stroke-width:3px}"
    // Shadows show where a wide table continues; white ones that scroll hide them at its ends.
    "@media screen{.wide{background:"
    "linear-gradient(90deg,#fff 40%,#fff0) left -2px top 0/2.5em 100% no-repeat local,"
    "linear-gradient(270deg,#fff 40%,#fff0) right -2px top 0/2.5em 100% no-repeat local,"
    "linear-gradient(90deg,#0004,#0000) left -1px top 0/.8em 100% no-repeat,"
    "linear-gradient(270deg,#0004,#0000) right -1px top 0/.8em 100% no-repeat}}"
    "@media screen and (max-width:40em){td,th{font-size:13px}"
    "td:not(.n):not(:first-child){white-space:normal;min-width:9em}"
    "th{min-width:3.5em}td code{min-width:17em;font-size:11px}"
    "pre{white-space:pre-wrap;font-size:11px}}"
    "@media print{body{max-width:none;font-size:9pt;margin:0}"
    "pre{white-space:pre-wrap;background:none;border:1px solid #bbb}.wide{overflow:visible}"
    "td:not(.n):not(:first-child){white-space:normal}td code{min-width:0;overflow-wrap:anywhere}"
    "th button{text-decoration:none}svg{max-width:11cm}svg,tr,pre{break-inside:avoid}"
    "h2{break-after:avoid}}";

/// HTML does not read escapes in scripts, so this one avoids the characters that XML escapes.
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

void add_cell(pugi::xml_node row, const Cell& cell) {
  const bool code = cell.text.starts_with('[');
  pugi::xml_node node = add(row, "td", code ? "" : cell.text);
  if (code) add(node, "code", cell.text);
  if (!cell.value) return;
  node.append_attribute("class") = "n";
  node.append_attribute("data-v").set_value(*cell.value, 17);
}

pugi::xml_node add_with(pugi::xml_node parent, const char* name, const char* attribute,
                        const char* value) {
  pugi::xml_node node = add(parent, name);
  node.append_attribute(attribute) = value;
  return node;
}

struct HtmlWriter {
  pugi::xml_node body;

  void operator()(const Paragraph& paragraph) const { add(body, "p", paragraph.text); }
  void operator()(const Code& code) const { add(body, "pre", code.text); }
  void operator()(const BarChart& chart) const { add_bars(body, chart); }
  void operator()(const Roofline& roofline) const {
    add_roofline(body, roofline);
    if (!roofline.caption.empty()) (*this)(Paragraph{roofline.caption});
  }
  void operator()(const Table& table) const {
    pugi::xml_node node =
        add_with(add_with(body, "div", "class", "wide"), "table", "id", table.id.c_str());
    if (table.sortable) node.append_attribute("class") = "sortable";
    pugi::xml_node head = add(add(node, "thead"), "tr");
    for (std::size_t i = 0; i < table.headings.size(); ++i) add_heading(head, table, i);
    pugi::xml_node rows = add(node, "tbody");
    for (const std::vector<Cell>& row : table.rows) {
      pugi::xml_node line = add(rows, "tr");
      for (const Cell& cell : row) add_cell(line, cell);
    }
    if (table.sortable) add(body, "script", kSort);
  }
};

void add_head(pugi::xml_node html, const std::string& title) {
  pugi::xml_node head = add(html, "head");
  add_with(head, "meta", "charset", "utf-8");
  add_with(head, "meta", "name", "viewport").append_attribute("content") =
      "width=device-width, initial-scale=1";
  add(head, "title", title);
  // An empty icon keeps browsers from asking a server for one.
  add_with(head, "link", "rel", "icon").append_attribute("href") = "data:,";
  add(head, "style", kStyle);
}

}  // namespace

std::string to_html(const Document& document) {
  pugi::xml_document tree;
  tree.append_child(pugi::node_doctype).set_value("html");
  pugi::xml_node html = add_with(tree, "html", "lang", "en");
  add_head(html, document.title);
  pugi::xml_node body = add(html, "body");
  add(body, "h1", document.title);
  for (const Section& section : document.sections) {
    if (!section.title.empty()) add(body, "h2", section.title);
    for (const Block& block : section.blocks) std::visit(HtmlWriter{body}, block);
  }
  std::ostringstream stream;
  tree.save(stream, "", pugi::format_raw | pugi::format_no_declaration);
  return stream.str() + "\n";
}

}  // namespace tileplan
