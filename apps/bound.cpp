// SPDX-License-Identifier: Apache-2.0
// `tileplan bound` prints how many elements any schedule must load into a fast memory.
#include <charconv>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/movement.h"
#include "tileplan/text.h"
#include "verbs.h"

namespace tileplan {
namespace {

struct BoundFlags : PlanFlags {
  std::string elements;
};

constexpr const char* kSymbols =
    "V is the number of multiply-adds, S the capacity, and tau the number of filter taps that may "
    "touch the same element.\n";

void print_text(const LowerBound& bound) {
  const auto row = [](const char* name, double elements, const char* meaning) {
    return std::vector<std::string>{name, fixed(elements, 0), meaning};
  };
  const TextStyle style = terminal_style();
  std::cout << table_text({{"lower bound", "elements", ""},
                           row("lb1", bound.lb1, "2 V / sqrt(tau S) - 2 S"),
                           row("lb2", bound.lb2, "segments of equal loads"),
                           row("compulsory", bound.compulsory, "every element once"),
                           row("bound", bound.bound, "the largest of these")},
                          style)
            << fitted(kSymbols, style);
}

}  // namespace

void add_bound(CLI::App& app) {
  auto flags = std::make_shared<BoundFlags>();
  CLI::App* verb = app.add_subcommand(
      "bound", "Print how many elements any schedule must load into a fast memory.");
  add_problem(*verb, flags->problem)->required();
  verb->add_option("--capacity", flags->elements, "Let the fast memory hold this many elements.")
      ->required();
  add_flags(*verb, *flags, {"--json"});
  verb->callback([flags] {
    const LowerBound bound = lower_bound(
        parse_problem(flags->problem), whole_number("--capacity", flags->elements, " of elements"));
    if (flags->json)
      print_json({{"lb1", bound.lb1},
                  {"lb2", bound.lb2},
                  {"compulsory", bound.compulsory},
                  {"bound", bound.bound}});
    else
      print_text(bound);
  });
}

}  // namespace tileplan
