// SPDX-License-Identifier: Apache-2.0
// This file declares oneDNN as a peer that computes the same problem in the caller's buffers.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "buffers.h"
#include "tileplan/kernel.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Names the layout of activations that oneDNN must use. With `any`, oneDNN chooses.
enum class PeerLayout { any, nhwc, nchw };

inline std::string to_string(PeerLayout layout) {
  if (layout == PeerLayout::nhwc) return "nhwc";
  return layout == PeerLayout::nchw ? "nchw" : "any";
}

/// Tells which weights oneDNN takes. With `packed`, weights are reordered once to the layout that
/// oneDNN prefers. With `plain`, oneDNN reads the weights of convolutions in oihw, and B as the
/// caller stores it. With `reordered`, it reorders such weights in each run.
enum class PeerWeights { packed, plain, reordered };

inline std::string to_string(PeerWeights weights) {
  if (weights == PeerWeights::plain) return "plain";
  return weights == PeerWeights::packed ? "packed" : "reordered";
}

/// Returns a text such as "2.6.3", or "" when tileplan was built without oneDNN.
std::string onednn_version();

/// Returns true when oneDNN adds products of 8-bit numbers exactly on this CPU. Without
/// AVX512_VNNI, it adds them in pairs by vpmaddubsw, which saturates at 16 bits. CPUs with AVX-VNNI
/// alone count as inexact.
bool onednn_adds_bytes_exactly();

/// Holds the operations that oneDNN applies to the sums. The views must be valid while the peer is
/// made.
struct PeerEpilogue {
  Epilogue epilogue = {};
  Addends addends = {};
};

/// Throws Error when oneDNN is missing, or when `epilogue` has a part with which oneDNN is not
/// compared: alpha, beta, a residual, an activation or zero points of the weights.
void require_peer_epilogue(const Epilogue& epilogue);

struct PeerOptions {
  PeerEpilogue epilogue = {};
  /// If true, convolutions use Winograd's algorithm instead of the direct one. Versions of oneDNN
  /// before 3.2 have it for some convolutions. Matrix products ignore this field.
  bool winograd = false;
  /// Matrix products ignore this field, because oneDNN takes A and C as the caller stores them.
  PeerLayout layout = PeerLayout::any;
  PeerWeights weights = PeerWeights::packed;
  /// Gives the number of OpenMP threads, one of which is the calling thread. The first execution
  /// starts the others, which may use the same cores as the calling thread.
  int threads = 1;
};

/// Holds one problem as a primitive of oneDNN with its weights. One thread at a time may use the
/// object.
class OnednnPeer {
 public:
  /// Makes a forward convolution with `weights` in oihw, where groups are outermost, or a product C
  /// = A B, where `weights` is the stored B with row stride `ldb`. Copies the weights and the bias.
  /// Throws Error as require_peer_epilogue() does, when oneDNN refuses the problem, does not use
  /// OpenMP, or is version 3 and must quantise, or when the size or the type of a tensor is wrong.
  /// Requires: the problem is no Relation.
  OnednnPeer(const Problem& problem, const ConstElements& weights, const PeerOptions& options = {});

  /// Returns the name of oneDNN's implementation, such as "jit:avx512_core".
  std::string implementation() const;
  /// These functions return the sizes in elements of the peer's buffers, including padding.
  std::size_t input_size() const;
  std::size_t output_size() const;

  /// Returns the bytes of the weights that a run reads. If a run reorders weights, they are plain.
  /// Otherwise they are in the layout of the primitive, with other data that oneDNN stores there.
  /// The span is valid while the peer exists.
  std::span<const std::byte> read_weights() const;

  /// Copies `plain` (nchw, or A with row stride `lda`) to `input` in the layout of the peer. Throws
  /// Error when a size or a type is wrong, as plain_output() and bind() do.
  void load_input(const ConstElements& plain, const Elements& input) const;

  /// Returns `output` as a plain tensor (nchw, or C with row stride `ldc` and zeros between rows).
  Buffer plain_output(const ConstElements& output) const;

  /// Returns a function that computes `output` from `input`. The buffers must outlive the function.
  std::function<void()> bind(const ConstElements& input, const Elements& output) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tileplan
