// SPDX-License-Identifier: Apache-2.0
// This file flushes or reads memory, one cache line after another.
#include "regime.h"

#include <emmintrin.h>

#include <utility>

namespace tileplan {
namespace {

/// x86 CPUs with AVX2 have cache lines of this size.
constexpr std::size_t kLineBytes = 64;

void read_lines(Bytes bytes) {
  std::byte all{};
  for (std::size_t offset = 0; offset < bytes.size(); offset += kLineBytes) all |= bytes[offset];
  // This statement makes the compiler keep the reads, whose values nothing else uses.
  asm volatile("" : : "r"(static_cast<int>(all)));
}

}  // namespace

std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> activations) {
  if (regime == Regime::cold_weights) return {weights};
  if (regime != Regime::all_cold) return {};
  activations.push_back(weights);
  return activations;
}

std::function<void()> preparation(Regime regime, std::vector<Bytes> cold, Bytes others) {
  if (regime == Regime::hot) return nullptr;
  if (regime.kind == Regime::Kind::network) return [others] { read_lines(others); };
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
