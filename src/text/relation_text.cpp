// SPDX-License-Identifier: Apache-2.0
// This file reads and writes relations: `{ domain } reads { accesses } writes { access }`.
#include <boost/algorithm/string/trim_all.hpp>

#include "problem_text.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

/// Removes the text in braces from the start of `rest` and returns it. Braces are never nested.
std::string take_braces(std::string_view& rest, const std::string& what) {
  rest = trimmed(rest);
  if (!rest.starts_with('{'))
    throw Error(in_quotes(rest) + " stands where { " + what + " } was expected");
  const std::size_t end = rest.find_first_of("{}", 1);
  if (end == std::string_view::npos || rest[end] == '{')
    throw Error("the { of the " + what + " has no matching }");
  // White space becomes single blanks, so that every relation is one line.
  std::string braces =
      boost::trim_fill_copy_if(std::string(rest.substr(0, end + 1)), " ", is_space);
  if (trimmed(rest.substr(1, end - 1)).empty()) throw Error("the " + what + " in { } is empty");
  rest = trimmed(rest.substr(end + 1));
  return braces;
}

void take_word(std::string_view& rest, std::string_view word) {
  if (leading_key(rest) != word)
    throw Error(in_quotes(rest) + " stands where the word " + std::string(word) + " was expected");
  rest.remove_prefix(word.size());
}

}  // namespace

Relation read_relation(std::string_view text) {
  std::string_view rest = text;
  Relation relation;
  relation.domain = take_braces(rest, "domain");
  take_word(rest, "reads");
  relation.reads = take_braces(rest, "accesses");
  take_word(rest, "writes");
  relation.writes = take_braces(rest, "access");
  if (!rest.empty()) throw Error(in_quotes(rest) + " stands after the end of the relation");
  return relation;
}

std::string text_of(const Relation& relation) {
  return relation.domain + " reads " + relation.reads + " writes " + relation.writes;
}

std::string to_string(const Relation& relation) {
  return type_prefix(relation.types) + text_of(relation);
}

}  // namespace tileplan
