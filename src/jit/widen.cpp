// SPDX-License-Identifier: Apache-2.0
// All CPUs that run assembled kernels have AVX2 and F16C, so these loops need no other version.
#include "widen.h"

#include <immintrin.h>

namespace tileplan {
namespace {

constexpr std::int64_t kLanes = 8;

}  // namespace

[[gnu::target("avx2")]] void widen(const Bf16* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

[[gnu::target("avx2,f16c")]] void widen(const F16* from, float* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

[[gnu::target("avx2,f16c")]] void narrow(const float* from, F16* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i < count; ++i) to[i] = static_cast<F16>(from[i]);
}

}  // namespace tileplan
