// SPDX-License-Identifier: Apache-2.0
// CLI11 names all unknown words at once. These functions name the first one and a similar word.
#include "suggestion.h"

#include <algorithm>

#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Returns the "optimal string alignment" distance, in which exchanged neighbours are one edit.
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

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

void check_options(const CLI::App& verb, const std::vector<std::string>& arguments,
                   std::size_t first) {
  const std::vector<std::string> known = option_names(verb);
  for (std::size_t i = first; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string word = arguments[i].substr(0, arguments[i].find('='));
    if (word.size() > 2 && word.starts_with("--"))
      require_known("option of " + verb.get_name(), word, known);
  }
}

/// Returns the member of `known` that is the fewest edits from `word`: letters that are added, left
/// out or replaced, or neighbours that are exchanged. Returns "" when all are more than two away.
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

}  // namespace

void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known) {
  if (std::ranges::count(known, word) > 0) return;
  const std::string meant = nearest_word(word, known);
  throw Error("unknown " + what + " '" + word + "'" +
              (meant.empty() ? "; see --help" : "; did you mean " + meant + "?"));
}

void check_words(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* verb = &app;
  std::size_t at = 0;
  for (; at < arguments.size() && !arguments[at].starts_with("-"); ++at) {
    const std::vector<std::string> verbs = verb_names(*verb);
    if (verbs.empty()) break;
    require_known("verb", arguments[at], verbs);
    verb = verb->get_subcommand(arguments[at]);
  }
  if (!verb->get_prefix_command() && !verb->get_allow_extras()) check_options(*verb, arguments, at);
}

}  // namespace tileplan
