// SPDX-License-Identifier: Apache-2.0
// What must hold for the options of a plan.
#include "option_rules.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tileplan/error.h"

namespace tileplan {

void check_options(const Options& options, const Machine& machine) {
  const auto refuse = [](const char* name, const std::string& value, const std::string& rule) {
    throw Error(std::string("options: ") + name + " is " + value + "; must be " + rule);
  };
  if (options.top < 1) refuse("top", std::to_string(options.top), "at least 1");
  if (options.verify < 0) refuse("verify", std::to_string(options.verify), "at least 0");
  if (options.threads < 1 || options.threads > std::max(machine.cores, 1))
    refuse("threads", std::to_string(options.threads),
           "between 1 and the " + std::to_string(machine.cores) + " cores of " + machine.name);
  if (!(options.budget_seconds > 0) || std::isinf(options.budget_seconds))
    refuse("budget_seconds", std::to_string(options.budget_seconds), "positive and finite");
}

}  // namespace tileplan
