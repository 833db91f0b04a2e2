// SPDX-License-Identifier: Apache-2.0
// CLI11 reports all unknown words, whereas this file reports the first one with a suggestion.
#include "suggestion.h"

#include <algorithm>

#include "tileplan/error.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

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

/// Throws Error when the first argument is an option of a verb, which must stand before it. The
/// message names the verb that follows, or else one that has the option.
void check_place(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::string name = arguments.front().substr(0, arguments.front().find('='));
  if (!name.starts_with("-") || app.get_option_no_throw(name) != nullptr) return;
  if (!name.starts_with("--")) name.insert(0, "-");
  const CLI::App* owner = nullptr;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    if (verb->get_option_no_throw(name) != nullptr &&
        (owner == nullptr || std::ranges::count(arguments, verb->get_name()) > 0))
      owner = verb;
  if (owner != nullptr)
    throw Error("'" + name + "' before the verb; must follow it, as in tileplan " +
                owner->get_name() + " " + name);
}

}  // namespace

void check_words(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* verb = &app;
  std::size_t at = 0;
  if (!arguments.empty()) check_place(app, arguments);
  for (; at < arguments.size() && !arguments[at].starts_with("-"); ++at) {
    const std::vector<std::string> verbs = verb_names(*verb);
    if (verbs.empty()) break;
    require_known("verb", arguments[at], verbs);
    verb = verb->get_subcommand(arguments[at]);
  }
  if (!verb->get_prefix_command() && !verb->get_allow_extras())
    require_known_options(verb->get_name(),
                          {arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end()},
                          option_names(*verb));
}

}  // namespace tileplan
