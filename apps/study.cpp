// SPDX-License-Identifier: Apache-2.0
// tileplan study: the papers' experiments, into a folder.
#include <iostream>
#include <sstream>

#include "embedded.h"
#include "flags.h"
#include "ranking.h"
#include "tileplan/error.h"
#include "verbs.h"
#include "version.h"

namespace tileplan {

const std::vector<EmbeddedFile>& embedded_study_layers();  ///< the lists of data/layers

namespace {

struct Flags {
  std::string name;
  std::vector<std::string> layers;
  RankingOptions ranking;
};

/// The layers that the table of a study lists.
std::vector<std::string> default_layers(const std::string& table) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_study_layers()) {
    if (file.name != table) continue;
    std::istringstream lines(file.content);
    bool head = true;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.front() == '#') continue;
      if (!head) names.push_back(line.substr(0, line.find(',')));
      head = false;
    }
  }
  return names;
}

void study(Flags& flags) {
  if (flags.name != "ranking") throw Error("study: '" + flags.name + "'; must be ranking");
  const std::vector<std::string> layers =
      flags.layers.empty() ? default_layers("ranking_study.csv") : flags.layers;
  for (const std::string& layer : layers) flags.ranking.layers.push_back(parse_problem(layer));
  flags.ranking.version = std::string(kVersion) + " (" + kCommit + ")";
  const Machine machine = detect_machine();
  print_machine_notes(machine);
  study_ranking(machine, flags.ranking,
                [](const std::string& text) { std::cout << text << std::flush; });
}

}  // namespace

void add_study(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  RankingOptions& ranking = flags->ranking;
  CLI::App* verb = app.add_subcommand("study", "An experiment of the papers, into a folder.");
  verb->add_option("name", flags->name, "ranking: predicted against measured order")->required();
  verb->add_option("--out", ranking.folder, "folder of the results")->required();
  verb->add_flag("--resume", ranking.resume, "go on with what the folder holds");
  verb->add_option("--seed", ranking.seed, "of the random schedules (1)");
  verb->add_option("--layers", flags->layers, "names, with commas between (the study's own list)")
      ->delimiter(',');
  verb->add_option("--schedules", ranking.schedules, "random schedules per layer (60)");
  verb->add_option("--budget", ranking.budget_seconds, "seconds of measuring per layer (60)");
  verb->callback([flags, &status] {
    study(*flags);
    status = Status::good;
  });
}

}  // namespace tileplan
