// SPDX-License-Identifier: Apache-2.0
// This file converts the options of a plan to text and back.
#include "tileplan/options.h"

#include <charconv>

#include "option_names.h"
#include "option_rules.h"
#include "tileplan/error.h"
#include "tileplan/text.h"
#include "words.h"

namespace tileplan {

std::string to_string(Regime regime) {
  std::string text = name_in(kRegimes, regime.kind);
  if (regime.kind == Regime::Kind::network) text += ':' + std::to_string(regime.bytes);
  return text;
}

Regime parse_regime(const std::string& text) {
  const std::size_t colon = text.find(':');
  const Regime::Kind kind = parse_name(kRegimes, "regime", text.substr(0, colon));
  const bool counts = kind == Regime::Kind::network;
  Regime regime{.kind = kind};
  if (colon != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, regime.bytes);
    if (error != std::errc{} || rest != end) regime.bytes = 0;
  }
  if (counts == (colon != std::string::npos) && (!counts || regime.bytes > 0)) {
    check_regime(regime);
    return regime;
  }
  throw Error("regime: '" + text + "'; must be " +
              (counts ? "network:BYTES, e.g. network:30000000" : name_in(kRegimes, kind)));
}

std::string in_words(Regime regime) {
  switch (regime.kind) {
    case Regime::Kind::hot:
      return "hot caches";
    case Regime::Kind::cold_weights:
      return "cold weights";
    case Regime::Kind::all_cold:
      return "all caches cold";
    case Regime::Kind::network:
      break;
  }
  return with_prefix(static_cast<double>(regime.bytes), "B") + " of other data between runs";
}

LayoutChoice parse_layout_choice(const std::string& text) {
  return parse_name(kLayoutChoices, "layout", text);
}

std::string to_string(WeightsChoice weights) { return name_in(kWeightsChoices, weights); }

WeightsChoice parse_weights_choice(const std::string& text) {
  return parse_name(kWeightsChoices, "weights", text);
}

std::string to_string(Algorithm algorithm) { return name_in(kAlgorithms, algorithm); }

Algorithm parse_algorithm(const std::string& text) {
  return parse_name(kAlgorithms, "algorithm", text);
}

std::string to_string(GemmVariant variant) { return name_in(kGemmVariants, variant); }

GemmVariant parse_gemm_variant(const std::string& text) {
  std::string capitals = text;
  for (char& letter : capitals)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (const auto variant = find_in(kGemmVariants, capitals)) return *variant;
  throw Error("variant: " + in_quotes(text) + "; must be " + list_of(kGemmVariants));
}

Capacity parse_capacity(const std::string& text) {
  return parse_name(kCapacities, "capacity", text);
}

}  // namespace tileplan
