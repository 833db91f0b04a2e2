// SPDX-License-Identifier: Apache-2.0
// `tileplan help` prints help, and `tileplan layers` lists the layers that are built in.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "documents.h"
#include "suggestion.h"
#include "tileplan/problem.h"
#include "tileplan/text.h"
#include "verbs.h"

namespace tileplan {
namespace {

/// Wraps the descriptions of options and verbs to the width of the terminal.
class FittedHelp : public CLI::Formatter {
 public:
  FittedHelp() : width_(terminal_style().width) {}

  std::string make_option_desc(const CLI::Option* option) const override {
    return beside_names(Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, verb->get_name(), beside_names(verb->get_description()),
                             column_width_);
    return text.str();
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), width_, 0, 0);
  }

 private:
  std::string beside_names(const std::string& description) const {
    constexpr int kNarrowest = 20;
    const int column = std::max(kNarrowest, width_ - static_cast<int>(column_width_));
    std::string text = wrapped(description, column, 0, 0);
    text.pop_back();  // CLI11 adds a line break itself.
    return text;
  }

  int width_;
};

void print_help(const CLI::App& app, const std::vector<std::string>& words) {
  check_words(app, words);
  const CLI::App* verb = &app;
  std::string name = app.get_name();
  for (const std::string& word : words) {
    verb = verb->get_subcommand(word);
    name += " " + word;
  }
  // CLI11's help() would print the help of the verb on the command line, and this verb is `help`.
  std::cout << verb->get_formatter()->make_help(verb, name, CLI::AppFormatMode::Normal);
}

void print_layers(const std::string& wanted) {
  const std::vector<LayerTable> tables = layer_tables();
  std::vector<std::string> names(tables.size());
  std::ranges::transform(tables, names.begin(), &LayerTable::name);
  if (!wanted.empty()) require_known("table", wanted, names);
  // The output starts with the header of a layer table, so other verbs can read it as a file.
  std::cout << "name,problem\n";
  for (const LayerTable& each : tables) {
    if (!wanted.empty() && each.name != wanted) continue;
    std::cout << "# " << each.name << '\n';
    for (const Problem& layer : each.layers)
      std::cout << name_of(layer) << ',' << to_string(layer) << '\n';
  }
}

}  // namespace

void fit_help(CLI::App& app) { app.formatter(std::make_shared<FittedHelp>()); }

void add_help(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("help", "Print the help of a verb.");
  verb->add_option("verb", *words, "The verb, and the verb below it if there is one.");
  verb->callback([&app, words] { print_help(app, *words); });
}

void add_layers(CLI::App& app) {
  auto table = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("layers", "List the layers that have names, as name,problem.");
  verb->add_option("table", *table, "One of the tables. Without it, all are listed.");
  verb->callback([table] { print_layers(*table); });
}

}  // namespace tileplan
