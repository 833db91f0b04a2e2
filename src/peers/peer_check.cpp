// SPDX-License-Identifier: Apache-2.0
// Other programs influence the result little: the best of several runs counts, and the larger of
// the peaks that are measured before and after them.
#include "peer_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "buffers.h"
#include "tileplan/compare.h"
#include "timer.h"

namespace tileplan {
namespace {

/// A library below this share of the peak uses kernels for other CPUs. In large products, OpenBLAS,
/// BLIS and oneDNN reach more than three quarters of the peak with kernels for this CPU, and at
/// most half of it with vectors of half the width.
constexpr double kLeastShare = 0.5;
constexpr int kRuns = 10;
/// No run except the first timed one begins after this time. Libraries without vector code take
/// 0.1 s per run, and their first runs suffice.
constexpr double kEnoughSeconds = 0.3;

double fewest_seconds(const std::function<void()>& run) {
  const Clock clock = steady_clock();
  const double start = clock();
  run();
  double fewest = std::numeric_limits<double>::infinity();
  for (int i = 0; i == 0 || (i < kRuns && clock() - start < kEnoughSeconds); ++i) {
    const double before = clock();
    run();
    fewest = std::min(fewest, clock() - before);
  }
  return fewest;
}

}  // namespace

double share_of_peak(const GemmPeer& peer, Isa isa) {
  const GemmShape shape = parse_gemm("m512n512k512");
  Buffer a(static_cast<std::size_t>(shape.m * shape.k)),
      b(static_cast<std::size_t>(shape.k * shape.n)),
      c(static_cast<std::size_t>(shape.m * shape.n));
  fill_random(a.span(), 1);
  fill_random(b.span(), 2);
  const double before = measure_peak_flops(isa);
  const double seconds =
      fewest_seconds(peer.bind(shape, {.a = a.span(), .b = b.span(), .c = c.span()}));
  const double peak = std::max(before, measure_peak_flops(isa));
  return flops(Problem(shape)) / seconds / peak;
}

std::string wrong_kernels(const GemmPeer& peer, double share_of_peak) {
  if (share_of_peak >= kLeastShare) return {};
  constexpr double kPercent = 100;
  const std::string percent = std::to_string(std::lround(kPercent * share_of_peak));
  std::string text = peer.name + ' ' + peer.version + " reaches " + percent +
                     " % of peak in m512n512k512, so its kernels are not for this CPU";
  if (peer.name == "OpenBLAS") text += "; OPENBLAS_CORETYPE in the environment chooses others";
  if (peer.name == "BLIS") text += "; BLIS_ARCH_TYPE in the environment chooses others";
  return text;
}

}  // namespace tileplan
