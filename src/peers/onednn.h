// SPDX-License-Identifier: Apache-2.0
// Runs oneDNN as a peer: it gets the same problem and the caller's buffers.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tileplan/problem.h"

namespace tileplan {

/// Names the order of the activations that oneDNN must use; `any` lets it choose.
enum class PeerLayout { any, nhwc, nchw };

inline std::string to_string(PeerLayout layout) {
  if (layout == PeerLayout::nhwc) return "nhwc";
  return layout == PeerLayout::nchw ? "nchw" : "any";
}

/// Returns a text like "2.6.3"; it is empty when tileplan was built without oneDNN.
std::string onednn_version();

struct PeerOptions {
  PeerLayout layout = PeerLayout::any;  ///< It is ignored for products, which are row-major.
  /// The first execution starts the others; they may use the cores that its thread may use then.
  int threads = 1;
};

/// Holds one problem as an oneDNN primitive with packed weights. One thread at a time may use it.
class OnednnPeer {
 public:
  /// Makes a direct forward convolution with `weights` as `oihw`, groups outermost, or C = A B with
  /// B row-major and `ldb` in `weights`. Throws Error when oneDNN is missing or refuses the
  /// problem, or when `weights` has another size. Requires that the problem is no Relation.
  OnednnPeer(const Problem& problem, std::span<const float> weights,
             const PeerOptions& options = {});

  /// Returns oneDNN's name, such as "jit:avx512_core".
  std::string implementation() const;
  /// Return the elements of the buffers that the peer reads and writes, padding of blocks included.
  std::size_t input_size() const;
  std::size_t output_size() const;

  /// Returns the weights as the primitive reads them; they are valid as long as the peer.
  std::span<const float> packed_weights() const;

  /// Reorders a plain tensor (nchw; A with `lda`) into `input`, outside of a measurement. Throws
  /// Error when either has another size, as `plain_output` and `bind` do.
  void load_input(std::span<const float> plain, std::span<float> input) const;

  /// Returns `output` as a plain tensor (nchw; C with `ldc`, 0 between its rows).
  std::vector<float> plain_output(std::span<const float> output) const;

  /// Returns a callable that computes `output` from `input`; the buffers must outlive it.
  std::function<void()> bind(std::span<const float> input, std::span<float> output) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tileplan
