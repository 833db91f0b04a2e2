// SPDX-License-Identifier: Apache-2.0
// This file makes reports, and parses their pages as trees.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <pugixml.hpp>
#include <string>

#include "layer_page.h"
#include "merge_dims.h"

namespace tileplan::test {

inline const Reproduction kOrigin{.version = "v", .command = "c < d"};

inline LayerReport report_of(const std::string& problem, int threads = 1) {
  return layer_report(
      plan(parse_problem(problem), load_machine("xeon-gold-6130"), {.threads = threads}));
}

/// Returns a report without plans for changed machines, because these plans take long.
inline LayerReport explained(const std::string& problem, int threads = 1) {
  const Plan found =
      plan(parse_problem(problem), load_machine("xeon-gold-6130"), {.threads = threads});
  const Schedule& schedule = found.candidates.front().schedule;
  return {.plan = found,
          .explanation = explain(found.problem, found.machine, schedule, found.options),
          .computation = computation_of(found.problem, schedule)};
}

inline pugi::xml_document tree_of(const std::string& page) {
  pugi::xml_document document;
  REQUIRE(document.load_string(page.c_str(), pugi::parse_default | pugi::parse_doctype));
  return document;
}

/// Returns a cell by its row and column. Both count from 1.
inline pugi::xml_node cell(const pugi::xml_document& document, const std::string& table,
                           std::size_t row, std::size_t column) {
  const std::string path = "//table[@id='" + table + "']/tbody/tr[" + std::to_string(row) +
                           "]/td[" + std::to_string(column) + "]";
  return document.select_node(path.c_str()).node();
}

inline double number(const pugi::xml_document& document, const std::string& table, std::size_t row,
                     std::size_t column) {
  return cell(document, table, row, column).attribute("data-v").as_double(NAN);
}

inline void check_self_contained(const std::string& page) {
  for (const char* outside : {"http", "src=", "@import", "url(", "href=\"/", "href=\"."})
    CHECK_MESSAGE(page.find(outside) == std::string::npos, outside);
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace tileplan::test
