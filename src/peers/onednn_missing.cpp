// SPDX-License-Identifier: Apache-2.0
// This file replaces onednn.cpp when oneDNN was not found. Error messages tell how to install it.
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

bool onednn_adds_bytes_exactly() { return false; }

void require_peer_epilogue(const Epilogue&) { refuse(); }

OnednnPeer::OnednnPeer(const Problem&, const ConstElements&, const PeerOptions&) { refuse(); }

// The constructor always throws, so no object exists whose functions could be called.
std::string OnednnPeer::implementation() const { refuse(); }
std::span<const std::byte> OnednnPeer::read_weights() const { refuse(); }
std::size_t OnednnPeer::input_size() const { refuse(); }
std::size_t OnednnPeer::output_size() const { refuse(); }
void OnednnPeer::load_input(const ConstElements&, const Elements&) const { refuse(); }
Buffer OnednnPeer::plain_output(const ConstElements&) const { refuse(); }
std::function<void()> OnednnPeer::bind(const ConstElements&, const Elements&) const { refuse(); }

}  // namespace tileplan
