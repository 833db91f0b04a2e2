// SPDX-License-Identifier: Apache-2.0
// Replaces onednn.cpp where oneDNN was not found. Errors tell how to install it.
#include "onednn.h"
#include "tileplan/error.h"

namespace tileplan {

struct OnednnPeer::State {};

namespace {

[[noreturn]] void refuse() {
  throw Error(
      "onednn: tileplan was built without it; install libdnnl-dev (Debian, Ubuntu) and build "
      "again");
}

}  // namespace

std::string onednn_version() { return ""; }

OnednnPeer::OnednnPeer(const Problem&, std::span<const float>, const PeerOptions&) { refuse(); }

// The constructor always throws, so no object exists whose functions could be called.
std::string OnednnPeer::implementation() const { refuse(); }
std::span<const float> OnednnPeer::packed_weights() const { refuse(); }
std::size_t OnednnPeer::input_size() const { refuse(); }
std::size_t OnednnPeer::output_size() const { refuse(); }
void OnednnPeer::load_input(std::span<const float>, std::span<float>) const { refuse(); }
std::vector<float> OnednnPeer::plain_output(std::span<const float>) const { refuse(); }
std::function<void()> OnednnPeer::bind(std::span<const float>, std::span<float>) const { refuse(); }

}  // namespace tileplan
