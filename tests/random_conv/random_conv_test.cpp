// SPDX-License-Identifier: Apache-2.0
// This test runs random convolutions, products and relations of f32 and f64 with all features of
// features.cpp. It compares the outputs with the definition and, for some, with oneDNN. The usage
// is random_conv_test [--first SEED] [--seeds COUNT] [--seconds S] [--peer-every N], where oneDNN
// runs the f32 convolutions whose seeds are multiples of N. The test prints how often each feature
// was run. It fails on a mismatch, an exception, a crash, a seed without a kernel, and when a
// feature was too rare in a long run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "workers.h"

using namespace tileplan::test;

namespace {

// A feature that occurs in less than this share of the runs counts as untested.
constexpr double kRare = 0.005;

// Coverage is judged only from this many cases on. A feature with a probability of 1 % is missing
// from 150 cases with a probability of 22 %, so that shorter tests would fail by chance.
constexpr long kEnough = 1000;

int usage() {
  std::fputs(
      "usage: random_conv_test [--first SEED] [--seeds COUNT] [--seconds S] [--peer-every N]\n",
      stderr);
  return 2;
}

void print(const Tally& tally) {
  std::printf("%ld cases run, %ld of them compared with oneDNN too, %ld failed\n", tally.run,
              tally.by_peer, tally.failed);
  std::printf("%ld draws refused by compile and drawn again, %ld seeds without a kernel\n",
              tally.refused, tally.unfit);
  for (const auto& [name, times] : tally.features) std::printf("%8ld  %s\n", times, name);
}

bool is_covered(const Tally& tally) {
  if (tally.run < kEnough) return true;
  bool covered = true;
  for (const auto& [name, times] : tally.features) {
    if (std::string(name).starts_with("avx512") && __builtin_cpu_supports("avx512f") == 0) continue;
    if (static_cast<double>(times) >= kRare * static_cast<double>(tally.run)) continue;
    std::printf("too rare: %s\n", name);
    covered = false;
  }
  return covered;
}

}  // namespace

int main(int count, char** arguments) {
  Seeds seeds;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return usage();
    const std::string flag = arguments[i];
    if (flag == "--first") {
      seeds.first = std::strtoull(arguments[i + 1], nullptr, 10);
    } else if (flag == "--seeds") {
      seeds.count = std::strtoull(arguments[i + 1], nullptr, 10);
    } else if (flag == "--seconds") {
      seeds.seconds = std::strtod(arguments[i + 1], nullptr);
      seeds.count = ~std::uint64_t{0};
    } else if (flag == "--peer-every") {
      seeds.peer_every = std::max(1ULL, std::strtoull(arguments[i + 1], nullptr, 10));
    } else {
      return usage();
    }
  }
  const Tally tally = run_seeds(seeds);
  print(tally);
  return tally.failed == 0 && tally.unfit == 0 && is_covered(tally) ? 0 : 1;
}
