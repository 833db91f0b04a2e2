// SPDX-License-Identifier: Apache-2.0
// This test checks the peers of `bench`: what they compute, what they refuse, and which are left
// out.
#include "peer_run.h"

#include <doctest/doctest.h>

#include "compare.h"
#include "error_of.h"
#include "gemm_ladder.h"
#include "peer_check.h"
#include "reference.h"

using namespace tileplan;

namespace {

const Options kPlain{.weights = WeightsChoice::plain};

std::vector<std::string> blas_names() {
  std::vector<std::string> names;
  for (const char* name : {"openblas", "blis"})
    if (gemm_peer(name).missing.empty()) names.emplace_back(name);
  return names;
}

std::vector<std::string> names_of(const std::vector<Peer>& peers) {
  std::vector<std::string> names;
  names.reserve(peers.size());
  for (const Peer& peer : peers) names.push_back(peer.name);
  return names;
}

std::string refusal(const std::string& problem, const Options& options) {
  Tensors tensors(parse_problem(problem), 1);
  return error_of([&] { peer_runs("blis", parse_problem(problem), tensors, options); });
}

/// Returns a peer that computes products in plain loops, without vectors and blocks.
GemmPeer plain_loops() {
  return {
      .name = "Loops", .version = "1.0 generic", .bind = [](const auto& shape, const auto& all) {
        return [=] { scalar_products().front().run(shape, all); };
      }};
}

}  // namespace

TEST_CASE("peer runs: BLAS libraries multiply our tensors, with gaps and transposed matrices") {
  for (const char* text : {"m7n48k33", "m5n16k9lda12ldb20ldc18", "m6n32k8ta1tb1"})
    for (const std::string& name : blas_names()) {
      CAPTURE(text);
      CAPTURE(name);
      const Problem problem = parse_problem(text);
      Tensors tensors(problem, 1);
      const std::vector<PeerRun> runs = peer_runs(name, problem, tensors, kPlain);
      REQUIRE(runs.size() == 1);
      CHECK(runs.front().kernel.library == name);
      CHECK(runs.front().kernel.weights == "plain");
      runs.front().run();
      const TensorLayout plain = layout_of(tensors.computation(), Operand::output, Layout::plain);
      const std::vector<double> expected =
          reference(tensors.computation(), tensors.operands(), plain);
      CHECK(compare(tensors.computation(), plain, runs.front().plain_output().values(), expected)
                .passed());
    }
}

TEST_CASE("peer runs: BLAS libraries are refused where they would do other work than we") {
  CHECK(
      refusal("m8n16k8", {}) ==
      "bench: blis packs inside its time on one thread; must have --weights plain and one thread");
  CHECK(refusal("mb1ic16ih4oc16oh4kh1ph0", kPlain).ends_with("must be a matrix product in f32"));
  CHECK(refusal("--dt=f64 m8n16k8", kPlain).ends_with("must be a matrix product in f32"));
  CHECK(refusal("m8n16k8",
                {.weights = WeightsChoice::plain, .epilogue = parse_epilogue("bias,relu")}) ==
        "bench: blis is not compared with the epilogue bias,relu; must have none");
}

TEST_CASE("peer check: a library without vectors is marked with its share of the peak") {
  const GemmPeer peer = plain_loops();
  const double share = share_of_peak(peer, detect_machine().vector.isa);
  CHECK(share > 0);
  CHECK(share < 0.3);
  CHECK(wrong_kernels(peer, 0.124) ==
        "Loops 1.0 generic reaches 12 % of peak in m512n512k512, so its kernels are not for this "
        "CPU");
  CHECK(wrong_kernels(peer, 0.5).empty());
}

TEST_CASE("peer check: a marked library says which environment variable chooses its kernels") {
  CHECK(wrong_kernels({.name = "OpenBLAS", .version = "0.3.21 Prescott"}, 0.1)
            .ends_with("; OPENBLAS_CORETYPE in the environment chooses others"));
}

TEST_CASE("find peers: best is three libraries, each named once") {
  const Machine machine = detect_machine();
  CHECK(names_of(find_peers({"onednn"}, machine)) == std::vector<std::string>{"onednn"});
  const std::vector<Peer> best = find_peers({"best", "blis"}, machine);
  CHECK(names_of(best) == std::vector<std::string>{"onednn", "openblas", "blis"});
  for (const Peer& peer : best)
    if (peer.left_out.empty() && peer.name != "onednn") CHECK(peer.share_of_peak >= 0.5);
}

TEST_CASE("find peers: other names are refused, and a missing file leaves the peer out") {
  const Machine machine = detect_machine();
  CHECK(error_of([&] { find_peers({"mkl"}, machine); }) ==
        "--peer: 'mkl'; must be onednn, openblas, blis, mkl:FILE or best");
  const std::vector<Peer> peers = find_peers({"mkl:/no/such/libmkl_rt.so"}, machine);
  REQUIRE(peers.size() == 1);
  CHECK(peers.front().left_out.starts_with("MKL: cannot be used: "));
}
