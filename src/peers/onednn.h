// SPDX-License-Identifier: Apache-2.0
// Runs oneDNN as a peer, which computes the same problem in buffers of the caller.
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

/// Returns a text like "2.6.3", or "" when tileplan was built without oneDNN.
std::string onednn_version();

struct PeerOptions {
  /// Matrix products ignore the layout, because they are row-major.
  PeerLayout layout = PeerLayout::any;
  /// The first execution starts the other threads, on the cores that its own thread may use.
  int threads = 1;
};

/// Holds one problem as an oneDNN primitive with packed weights. One thread at a time may use it.
class OnednnPeer {
 public:
  /// Makes a direct forward convolution with `weights` in the layout `oihw`, groups outermost, or a
  /// product C = A B where `weights` is the row-major B with row distance `ldb`. Throws Error when
  /// oneDNN is missing or refuses the problem, or when `weights` has the wrong size. Requires that
  /// the problem is no Relation.
  OnednnPeer(const Problem& problem, std::span<const float> weights,
             const PeerOptions& options = {});

  /// Returns the name that oneDNN gives its implementation, such as "jit:avx512_core".
  std::string implementation() const;
  /// Return the sizes in elements of the buffers that the peer reads and writes, padding included.
  std::size_t input_size() const;
  std::size_t output_size() const;

  /// Returns the weights as the primitive reads them. The span is valid as long as the peer exists.
  std::span<const float> packed_weights() const;

  /// Copies a plain tensor (nchw, or A with `lda`) to `input` in the layout of the peer. Throws
  /// Error when one has the wrong size, as `plain_output` and `bind` do.
  void load_input(std::span<const float> plain, std::span<float> input) const;

  /// Returns `output` as a plain tensor (nchw, or C with `ldc` and zeros between its rows).
  std::vector<float> plain_output(std::span<const float> output) const;

  /// Returns a callable that computes `output` from `input`. The buffers must outlive the callable.
  std::function<void()> bind(std::span<const float> input, std::span<float> output) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tileplan
