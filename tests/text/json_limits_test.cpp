// SPDX-License-Identifier: Apache-2.0
// This test checks that nesting is counted only outside strings, and that long texts are refused.
#include "json_limits.h"

#include <doctest/doctest.h>

#include <string>

#include "error_of.h"

using namespace tileplan;

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string complaint(const std::string& text) {
  return error_of([&] { check_json_limits(text); });
}

}  // namespace

TEST_CASE("JSON limits: 64 levels are read and 65 are not") {
  CHECK(complaint(nested(64)).empty());
  CHECK(complaint(nested(65)) == "JSON nested deeper than 64 levels; must be nested less");
  CHECK(complaint(nested(100'000)) == complaint(nested(65)));
  CHECK(complaint("[" + std::string(1000, ' ') + nested(64)) == complaint(nested(65)));
}

TEST_CASE("JSON limits: lists side by side do not nest") {
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i) flat += "[{}],";
  CHECK(complaint(flat + "0]").empty());
}

TEST_CASE("JSON limits: brackets inside texts do not count, also after escaped quotes") {
  CHECK(complaint("\"" + std::string(100, '[') + "\"").empty());
  CHECK(complaint(R"(["\")" + std::string(100, '{') + R"(\\"])").empty());
  CHECK_FALSE(complaint(R"("\\")" + nested(65)).empty());
}

TEST_CASE("JSON limits: 16 MiB are read and one byte more is not") {
  const std::size_t most = std::size_t{1} << 24;
  CHECK(complaint(std::string(most, ' ')).empty());
  CHECK(complaint(std::string(most + 1, ' ')) ==
        "JSON of 16777217 bytes; must have at most 16777216");
}
