// SPDX-License-Identifier: Apache-2.0
// This file checks the options of a plan.
#include "option_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "option_names.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& rule) {
  throw Error(std::string("options: ") + name + " is " + value + "; must be " + rule);
}

/// Throws Error for a value that a caller cast from another number.
template <class Value, std::size_t count>
void require_one_of(const char* name, Value value, const Names<Value, count>& known) {
  if (name_in(known, value).empty())
    refuse(name, std::to_string(static_cast<int>(value)), list_of(known));
}

}  // namespace

void check_options(const Options& options, const Machine& machine, ElementType type) {
  if (options.top < 1) refuse("top", std::to_string(options.top), "at least 1");
  if (options.verify < 0) refuse("verify", std::to_string(options.verify), "at least 0");
  if (options.threads < 1 || options.threads > std::max(machine.cores, 1))
    refuse("threads", std::to_string(options.threads),
           "between 1 and the " + std::to_string(machine.cores) + " cores of " + machine.name);
  if (!(options.budget_seconds > 0) || std::isinf(options.budget_seconds))
    refuse("budget_seconds", std::to_string(options.budget_seconds), "positive and finite");
  require_one_of("layout", options.layout, kLayoutChoices);
  require_one_of("capacity", options.capacity, kCapacities);
  check_regime(options.regime);
  check_epilogue(options.epilogue, type);
}

void check_epilogue(const Epilogue& epilogue, ElementType type) {
  if (!(epilogue.low <= epilogue.high))
    refuse("epilogue",
           "clamp=" + std::to_string(epilogue.low) + ":" + std::to_string(epilogue.high),
           "two numbers, the first not above the second");
  const double largest = type == ElementType::f32 ? std::numeric_limits<float>::max()
                                                  : std::numeric_limits<double>::max();
  for (const double limit : {epilogue.low, epilogue.high})
    if (std::isfinite(limit) && std::abs(limit) > largest)
      refuse("epilogue", to_string(epilogue), "of numbers that " + to_string(type) + " has");
}

void check_regime(Regime regime) { require_one_of("regime", regime, kRegimes); }

}  // namespace tileplan
