// SPDX-License-Identifier: Apache-2.0
// This file finds layers in the embedded tables by name and reads the user's tables.
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "embedded.h"
#include "files.h"
#include "problem_text.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

struct Row {
  std::string_view name;
  std::string_view problem;
};

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return trimmed(line.substr(0, line.find('#')));
}

/// Splits at the first comma, because a problem may contain commas but a name may not.
Row row_of(std::string_view line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos)
    throw Error(in_quotes(line) + " has no comma; must be name,problem");
  const Row row{trimmed(line.substr(0, comma)), trimmed(line.substr(comma + 1))};
  if (row.name.empty()) throw Error(in_quotes(line) + " has no name; must be name,problem");
  return row;
}

Problem problem_of(const Row& row) {
  Problem problem = parse_problem(std::string(row.problem));
  std::visit([&](auto& shape) { shape.name = row.name; }, problem);
  return problem;
}

void check_header(std::string_view line) {
  const Row row = row_of(line);
  if (row.name == "name" && row.problem == "problem") return;
  throw Error(in_quotes(line) + " stands before the header; the first line must be name,problem");
}

std::vector<Problem> read_layers(std::string_view rest, const std::string& origin) {
  std::vector<Problem> layers;
  bool has_header = false;
  // Spreadsheet programs write a byte order mark at the start of a file.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    try {
      if (has_header) layers.push_back(problem_of(row_of(line)));
      if (!has_header) check_header(line);
    } catch (const Error& error) {
      throw Error(origin + ":" + std::to_string(number) + ": " + error.what());
    }
    has_header = true;
  }
  if (layers.empty())
    throw Error(origin + ": holds no layer; must have a name,problem line for each");
  return layers;
}

/// Returns "A to B" when the numbers of the layers A to B of `table` have no gap, and else their
/// names. Layers whose names do not begin with `stem` are left out.
std::string range_of(const LayerTable& table, const std::string& stem) {
  std::vector<std::string> names;
  for (const Problem& layer : table.layers)
    if (name_of(layer).starts_with(stem)) names.push_back(name_of(layer));
  const std::string first = names.front().substr(stem.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != stem + std::to_string(std::atoi(first.c_str()) + static_cast<int>(i)))
      return comma_separated(names);
  return names.front() + " to " + names.back();
}

/// Returns the text with which the names of numbered layers begin, such as "resnet18-", or an empty
/// text if the first name has no hyphen.
std::string stem_of(const LayerTable& table) {
  const std::string first = name_of(table.layers.front());
  return first.substr(0, first.rfind('-') + 1);
}

/// Returns the name of the layer that was probably meant by `word`, "FIRST or SECOND" if two layers
/// may have been meant, or "" if no name is similar.
std::string nearest_layer(const std::string& word) {
  std::vector<std::string> names;
  for (const LayerTable& table : layer_tables())
    for (const Problem& layer : table.layers) names.push_back(name_of(layer));
  return nearest_word(word, names);
}

}  // namespace

std::optional<Problem> find_layer(std::string_view name) {
  for (const EmbeddedFile& table : embedded_layers())
    for (std::string_view rest = table.content; !rest.empty();) {
      const std::string_view line = take_line(rest);
      if (line.empty()) continue;
      const Row row = row_of(line);
      const bool is_heading = row.name == "name" && row.problem == "problem";
      if (row.name == name && !is_heading) return problem_of(row);
    }
  return std::nullopt;
}

std::string layer_table_names() {
  std::string names;
  for (const EmbeddedFile& table : embedded_layers())
    names += (names.empty() ? "" : ", ") + table.name.substr(0, table.name.find('.'));
  return names;
}

std::string hint_about_layers(std::string_view text) {
  if (text.ends_with(".onnx") || text.ends_with(".csv") || text.ends_with(".log"))
    return "a file; must be one layer (plan, run, emit, report and bench take models, report and "
           "bench take lists of layers)";
  for (const LayerTable& table : layer_tables()) {
    if (text == table.name)
      return "a table of layers; must be one of them, " + range_of(table, stem_of(table)) +
             " (`tileplan layers " + table.name +
             " > FILE.csv` writes a list, which report and bench take)";
    if (const std::string stem = stem_of(table); !stem.empty() && text.starts_with(stem))
      return "not a layer of " + table.name + "; must be one of " + range_of(table, stem);
  }
  const std::string meant = nearest_layer(std::string(text));
  if (!meant.empty()) return "not a layer of the tables; did you mean " + meant + "?";
  if (std::error_code error; std::filesystem::exists(text, error))
    return "a file or folder; names of models must end in .onnx, of tables of layers in .csv, and "
           "of logs of oneDNN in .log";
  return "";
}

std::vector<Problem> load_layers(const std::string& path) {
  return read_layers(read_file(path, "a layer table"), path);
}

std::vector<LayerTable> layer_tables() {
  std::vector<LayerTable> tables;
  for (const EmbeddedFile& table : embedded_layers())
    tables.push_back({.name = table.name.substr(0, table.name.find('.')),
                      .layers = read_layers(table.content, table.name)});
  return tables;
}

}  // namespace tileplan
