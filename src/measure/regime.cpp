// SPDX-License-Identifier: Apache-2.0
// Names the regimes, and flushes memory by cache lines.
#include "regime.h"

#include <emmintrin.h>

#include <utility>

#include "option_names.h"

namespace tileplan {
namespace {

/// Every x86 CPU with AVX2 has cache lines of this size.
constexpr std::size_t kLineBytes = 64;

}  // namespace

std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> others) {
  if (regime == Regime::hot) return {};
  if (regime == Regime::cold_weights) return {weights};
  others.push_back(weights);
  return others;
}

std::function<void()> flusher(std::vector<Bytes> cold) {
  if (cold.empty()) return nullptr;
  return [cold = std::move(cold)] {
    for (const Bytes bytes : cold) {
      for (std::size_t offset = 0; offset < bytes.size(); offset += kLineBytes)
        _mm_clflush(&bytes[offset]);
      if (!bytes.empty()) _mm_clflush(&bytes.back());
    }
    _mm_mfence();
  };
}

const char* in_words(Regime regime) {
  if (regime == Regime::hot) return "hot caches";
  return regime == Regime::cold_weights ? "cold weights" : "all caches cold";
}

std::string to_string(Regime regime) { return name_in(kRegimes, regime); }

Regime parse_regime(const std::string& text) { return parse_name(kRegimes, "regime", text); }

}  // namespace tileplan
