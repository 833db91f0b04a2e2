// SPDX-License-Identifier: Apache-2.0
// Runs oneDNN as a peer: it gets the same problem and the caller's buffers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan {

/// Order of the activations that oneDNN is told to use; `any` lets it choose.
enum class PeerLayout { any, nhwc, nchw };

inline std::string to_string(PeerLayout layout) {
  if (layout == PeerLayout::nhwc) return "nhwc";
  return layout == PeerLayout::nchw ? "nchw" : "any";
}

/// "2.6.3"; empty when tileplan was built without oneDNN.
std::string onednn_version();

struct PeerOptions {
  PeerLayout layout = PeerLayout::any;  ///< of a convolution; a matrix product is row-major
  /// The first execution starts the others; they may use the cores that its thread may use then.
  int threads = 1;
};

/// Holds one problem as an oneDNN primitive with packed weights. Not for two threads at once.
class OnednnPeer {
 public:
  /// Makes a direct forward convolution; `weights` as `oihw` with groups outermost. Throws Error
  /// when oneDNN is missing or refuses the problem or when `weights` has another size.
  OnednnPeer(const ConvShape& shape, std::span<const float> weights,
             const PeerOptions& options = {});

  /// C = A B, with B row-major and `ldb` in `weights`. Throws Error as above.
  OnednnPeer(const GemmShape& shape, std::span<const float> weights,
             const PeerOptions& options = {});

  std::string implementation() const;  ///< oneDNN's name, e.g. "jit:avx512_core"
  std::string layout()
      const;  ///< in use: "nChw16c", or "nchw/nChw16c" when input and output differ
  std::size_t input_size() const;   ///< elements of the input buffer, padding of blocks included
  std::size_t output_size() const;  ///< the same of the output

  /// The weights as it reads them; valid as long as the peer.
  std::span<const float> packed_weights() const;

  /// Reorders a plain tensor (nchw; A with `lda`) into `input`, outside of a measurement.
  void load_input(std::span<const float> plain, std::span<float> input) const;

  /// `output` as a plain tensor (nchw; C with `ldc`, 0 between its rows).
  std::vector<float> plain_output(std::span<const float> output) const;

  /// Returns a callable that computes `output` from `input`; the buffers must outlive it.
  std::function<void()> bind(std::span<const float> input, std::span<float> output) const;

  struct State;  ///< what oneDNN's headers are needed for

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tileplan
