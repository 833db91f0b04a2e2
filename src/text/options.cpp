// SPDX-License-Identifier: Apache-2.0
// This file names the choices of a plan.
#include "tileplan/options.h"

#include "option_names.h"

namespace tileplan {

std::string to_string(Regime regime) { return name_in(kRegimes, regime); }

Regime parse_regime(const std::string& text) { return parse_name(kRegimes, "regime", text); }

std::string in_words(Regime regime) {
  if (regime == Regime::hot) return "hot caches";
  return regime == Regime::cold_weights ? "cold weights" : "all caches cold";
}

LayoutChoice parse_layout_choice(const std::string& text) {
  return parse_name(kLayoutChoices, "layout", text);
}

Capacity parse_capacity(const std::string& text) {
  return parse_name(kCapacities, "capacity", text);
}

}  // namespace tileplan
