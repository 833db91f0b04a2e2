// SPDX-License-Identifier: Apache-2.0
// tileplan bound: what any schedule must load into a fast memory.
#include <iomanip>
#include <iostream>
#include <sstream>

#include "bounds.h"
#include "computation.h"
#include "documents.h"
#include "flags.h"
#include "verbs.h"
#include "words.h"

namespace tileplan {

namespace {

struct Flags {
  std::string problem;
  std::string capacity;
  bool json = false;
};

std::string rounded(double elements) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << elements;
  return text.str();
}

void print_text(const LowerBound& bound) {
  std::cout << aligned({{"lower bound", "elements", ""},
                        {"lb1", rounded(bound.lb1), "2 V / sqrt(tau S) - 2 S"},
                        {"lb2", rounded(bound.lb2), "segments of equal loads"},
                        {"compulsory", rounded(bound.compulsory), "every element once"},
                        {"bound", rounded(bound.bound), "the largest"}});
}

}  // namespace

void add_bound(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("bound", "Loads into a fast memory that no schedule can avoid.");
  add_problem(*verb, flags->problem)->required();
  verb->add_option("--capacity", flags->capacity, "elements that the fast memory holds")
      ->required();
  verb->add_flag("--json", flags->json, "one JSON document on stdout");
  verb->callback([flags, &status] {
    const auto capacity = static_cast<double>(number_from(1, "--capacity", flags->capacity));
    const LowerBound bound = lower_bound(computation_of(parse_problem(flags->problem)), capacity);
    if (flags->json)
      std::cout << Json{{"lb1", bound.lb1},
                        {"lb2", bound.lb2},
                        {"compulsory", bound.compulsory},
                        {"bound", bound.bound}}
                       .dump(2)
                << '\n';
    else
      print_text(bound);
    status = Status::good;
  });
}

}  // namespace tileplan
