// SPDX-License-Identifier: Apache-2.0
// This file flushes memory by cache lines.
#include "regime.h"

#include <emmintrin.h>

#include <utility>

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

}  // namespace tileplan
