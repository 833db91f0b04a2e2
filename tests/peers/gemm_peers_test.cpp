// SPDX-License-Identifier: Apache-2.0
// This test checks that BLAS libraries compute what a loop nest computes, or report why they cannot
// run.
#include "gemm_peers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "buffers.h"

using namespace tileplan;

TEST_CASE("gemm peers: three, in this order; one that is not there says what to install") {
  const std::vector<GemmPeer> peers = gemm_peers();
  REQUIRE(peers.size() == 3);
  const char* names[] = {"OpenBLAS", "BLIS", "LIBXSMM"};
  const char* packages[] = {"libopenblas-dev", "libblis-dev", "libxsmm-dev"};
  for (std::size_t i = 0; i < peers.size(); ++i) {
    CHECK(peers[i].name == names[i]);
    CHECK(peers[i].missing.empty() == static_cast<bool>(peers[i].bind));
    if (peers[i].missing.empty())
      CHECK(peers[i].version.find('.') != std::string::npos);
    else
      CHECK(peers[i].missing == std::string("tileplan was built without it; install ") +
                                    packages[i] + " (Debian, Ubuntu) and build again");
  }
}

TEST_CASE("gemm peers: each computes C = A B, whatever C held before") {
  const GemmShape shape = parse_gemm("m5n32k7");
  std::vector<float> a(5 * 7), b(7 * 32);
  fill_random(a, 1);
  fill_random(b, 2);
  for (const GemmPeer& peer : gemm_peers()) {
    if (!peer.missing.empty()) continue;
    CAPTURE(peer.name);
    std::vector<float> c(5 * 32, std::numeric_limits<float>::quiet_NaN());
    peer.bind(shape, {.a = a, .b = b, .c = c})();
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 32; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 7; ++k) sum += double{a[i * 7 + k]} * b[k * 32 + j];
        CHECK(std::abs(sum - c[i * 32 + j]) < 1e-5);
      }
  }
}
