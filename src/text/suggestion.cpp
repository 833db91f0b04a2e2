// SPDX-License-Identifier: Apache-2.0
// This file finds the known words that are most similar to unknown ones.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "tileplan/error.h"
#include "tileplan/text.h"
#include "words.h"

namespace tileplan {
namespace {

/// Returns the "optimal string alignment" distance, in which exchanging two neighbouring letters is
/// one edit.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      edits[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      const std::size_t replaced = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

/// Returns true when `word` is `name` without some consecutive parts after the first part, such as
/// resnet50-9 for resnet50-gemm-9. Hyphens and underscores separate the parts.
bool is_shorter(const std::string& word, const std::string& name) {
  constexpr std::string_view kSeparators = "-_";
  if (word.empty() || word.size() >= name.size()) return false;
  const std::size_t left_out = name.size() - word.size();
  for (std::size_t at = name.find_first_of(kSeparators);
       at != std::string::npos && at <= word.size(); at = name.find_first_of(kSeparators, at + 1)) {
    const std::size_t end = at + left_out;
    const bool is_part =
        end == name.size() || kSeparators.find(name[end]) != std::string_view::npos;
    if (is_part && name.substr(0, at) + name.substr(end) == word) return true;
  }
  return false;
}

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> longer;
  std::ranges::copy_if(known, std::back_inserter(longer),
                       [&](const std::string& each) { return is_shorter(word, each); });
  if (longer.size() == 2) return longer.front() + " or " + longer.back();
  if (!longer.empty()) return longer.front();
  std::string nearest;
  std::size_t least = 3;
  for (const std::string& each : known) {
    const std::size_t edits = edits_between(word, each);
    if (edits >= least || edits >= each.size()) continue;
    least = edits;
    nearest = each;
  }
  return nearest;
}

std::string meant_text(const std::string& word, const std::vector<std::string>& known) {
  const std::string meant = nearest_word(word, known);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known) {
  if (std::ranges::count(known, word) > 0) return;
  const std::string meant = meant_text(word, known);
  throw Error("unknown " + what + " '" + word + "'" + (meant.empty() ? "; see --help" : meant));
}

void require_known_options(const std::string& command, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& known) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    const std::string name = argument.substr(0, argument.find('='));
    const bool lacks_hyphen = std::ranges::count(known, "-" + name) > 0;
    if (name.starts_with("--") || lacks_hyphen) require_known("option of " + command, name, known);
  }
}

}  // namespace tileplan
