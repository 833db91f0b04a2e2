// SPDX-License-Identifier: Apache-2.0
// This file finds the known words that are most similar to unknown ones.
#include <algorithm>

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

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
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

void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known) {
  if (std::ranges::count(known, word) > 0) return;
  const std::string meant = nearest_word(word, known);
  throw Error("unknown " + what + " '" + word + "'" +
              (meant.empty() ? "; see --help" : "; did you mean " + meant + "?"));
}

}  // namespace tileplan
