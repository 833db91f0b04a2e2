// SPDX-License-Identifier: Apache-2.0
// This file finds the libraries that a caller names, and tells which are left out because they are
// missing or have no kernels for this CPU.
#include <algorithm>

#include "onednn.h"
#include "peer_check.h"
#include "tileplan/bench.h"
#include "tileplan/error.h"
#include "timer.h"

namespace tileplan {
namespace {

Peer onednn() {
  Peer peer{
      .name = "onednn", .version = peer_version(), .saturates_bytes = !onednn_adds_bytes_exactly()};
  if (peer.version.empty())
    peer.left_out = "built without oneDNN; needs libdnnl-dev when it is configured";
  return peer;
}

Peer blas(const std::string& name, const Machine& machine) {
  const GemmPeer library = gemm_peer(name);
  if (!library.missing.empty())
    return {.name = name, .left_out = library.name + ": " + library.missing};
  const PinnedThread pinned;
  const double share = share_of_peak(library, machine.vector.isa);
  return {.name = name,
          .version = library.version,
          .share_of_peak = share,
          .left_out = wrong_kernels(library, share)};
}

/// Returns the libraries that `name` stands for. Throws Error when `name` is unknown.
std::vector<std::string> names_in(const std::string& name) {
  if (name == "best") return {"onednn", "openblas", "blis"};
  const bool has_file = name.starts_with("mkl:") && name != "mkl:";
  if (name == "onednn" || name == "openblas" || name == "blis" || has_file) return {name};
  throw Error("--peer: '" + name + "'; must be onednn, openblas, blis, mkl:FILE or best");
}

}  // namespace

std::string peer_version() { return onednn_version(); }

std::vector<Peer> find_peers(const std::vector<std::string>& names, const Machine& machine) {
  std::vector<std::string> all;
  for (const std::string& given : names)
    for (const std::string& name : names_in(given))
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  std::vector<Peer> peers;
  peers.reserve(all.size());
  for (const std::string& name : all)
    peers.push_back(name == "onednn" ? onednn() : blas(name, machine));
  return peers;
}

}  // namespace tileplan
