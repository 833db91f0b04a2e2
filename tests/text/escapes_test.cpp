// SPDX-License-Identifier: Apache-2.0
// This test checks that names stay text in CSV and Markdown.
#include "escapes.h"

#include <doctest/doctest.h>

using namespace tileplan;

TEST_CASE("CSV: formulas become text, numbers stay") {
  CHECK(csv_field("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0");
  for (const char* formula : {"+1+1", "-x", "@SUM(A1)", "\tx"})
    CHECK(csv_field(formula) == "'" + std::string(formula));
  for (const char* number : {"-1.5", "-1e-9", "0", "12", ""}) CHECK(csv_field(number) == number);
}

TEST_CASE("CSV: commas, quotes and line breaks stand in quotes") {
  CHECK(csv_field("[T(2,i)]") == "\"[T(2,i)]\"");
  CHECK(csv_field("a \"b\"") == "\"a \"\"b\"\"\"");
  CHECK(csv_field("a\nb") == "\"a\nb\"");
  CHECK(csv_field("=1,2") == "\"'=1,2\"");
}

TEST_CASE("Markdown: tags become text on one line") {
  CHECK(markdown_line("<script>alert(1)</script>\n# x") == "&lt;script>alert(1)&lt;/script> # x");
  CHECK(markdown_code("[T(2,i)]") == "`[T(2,i)]`");
  CHECK(markdown_code("[`<script>") == "[`&lt;script>");
}

TEST_CASE("Markdown: no text ends its block of code") {
  CHECK(markdown_block("a") == "```\na\n```\n");
  CHECK(markdown_block("```\n<script>") == "````\n```\n<script>\n````\n");
}
