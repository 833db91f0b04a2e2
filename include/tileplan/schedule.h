// SPDX-License-Identifier: Apache-2.0
// A schedule lists the loops of a kernel in the notation of the TTile papers, together with layouts
// and marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/isa.h"
#include "tileplan/visibility.h"
#include "tileplan/winograd.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the memory order of an activation tensor. `plain` is row-major over the dimensions of the
/// tensor of a gemm or a relation. nChw16c and nChw8c store blocks of 16 and 8 channels, the last
/// of which is zero-padded.
enum class Layout { plain, nhwc, nchw, nChw16c, nChw8c };

/// Returns "plain", "nhwc", "nchw", "nChw16c" or "nChw8c".
std::string to_string(Layout layout);
/// Returns the layout that `text` names. Throws Error with the value and the known names.
Layout parse_layout(const std::string& text);

/// Names the kinds of loop specifiers, each for a dimension d.
enum class Kind {
  tile,      ///< T(n,d) is a loop of n trips.
  rest,      ///< R(d) is a loop over the whole remaining extent of d.
  lambda,    ///< L(d,[a1*h1,a2*h2]) loops over a1 blocks of size h1, then a2 of size h2.
  parallel,  ///< P(n,d) or P(d,[a1*h1,a2*h2]) is a T or L whose trips run on several threads.
  unroll,    ///< U(n,d) is unrolled n times. U(d) unrolls a whole block of the L on d.
  vector,    ///< V(d) is one vector register along d, which is a channel, group or pixel dimension.
};

/// Describes `times` consecutive blocks of `size` iterations. An L loop (a lambda) consists of such
/// parts.
struct Part {
  std::int64_t times = 0;
  std::int64_t size = 0;

  bool operator==(const Part&) const = default;
};

struct Specifier {
  Kind kind = Kind::tile;
  std::string dim = {};
  /// Counts the trips of T, P and U. It is 0 for other kinds, for U(d) and for P with parts.
  std::int64_t count = 0;
  std::vector<Part> parts = {};  ///< Holds the parts of L, and of P(d,[a1*h1,...]).

  /// Returns true for L and for P with parts.
  bool is_lambda() const { return !parts.empty(); }
  bool operator==(const Specifier&) const = default;
};

/// Lists loops and marks. The text form is the list of loops and then the marks, e.g. `[T(16,k),
/// L(h,[2*11,1*12]), T(256,c), U(h), U(2,k), V(k)] in=nhwc out=nhwc prefetch=8 nt isa=avx512vl`.
/// Marks refer to loops by their position POS; the outermost loop is 0. Marks with default values
/// are left out. In pack=, A, B and C may stand for in, weights and out: pack=B@2.
///
/// With winograd=4x4, the loops are those of the products of a Winograd convolution, M[g][x][p][k]
/// += V[g][x][p][c] * U[g][x][c][k]: g groups, x products of a tile, p tiles (of all images, row by
/// row), k output and c input channels of a group. Tiles have 4 x 4 outputs, height first. U holds
/// the transformed weights. Buffers hold parts of V and M, so pack=in and pack=out are required.
/// The input is transformed to V before the loops inside the loop of pack=in run, and M is
/// transformed to the output after those inside the loop of pack=out. points=A;B lists the points
/// of the height (A) and of the width (B); `;B` is left out when both are equal.
struct Schedule {
  std::vector<Specifier> loops = {};  ///< Lists the loops, outermost first.
  Layout in = Layout::plain;          ///< The mark in=LAYOUT names this layout.
  Layout out = Layout::plain;         ///< The mark out=LAYOUT names this layout.
  /// Holds POS of pack=in@POS: the input is packed inside this loop.
  std::optional<int> pack_input = {};
  /// Holds POS of pack=weights@POS: the kernel takes plain weights and packs them inside this loop.
  std::optional<int> pack_weights = {};
  /// Holds POS of pack=out@POS: the loops inside this loop write to a contiguous buffer, which is
  /// then copied to the output.
  std::optional<int> pack_output = {};
  /// The mark weights=plain sets this: the kernel takes plain weights and reads them in place.
  /// Vectors of channels must be contiguous in the weights, as in the rows of B.
  bool weights_in_place = false;
  /// Holds the tiles that the marks winograd=MxM and points=LIST describe.
  std::optional<WinogradTiles> winograd = {};
  int prefetch = 0;  ///< Holds N of prefetch=N: weights are prefetched N reduction steps early.
  /// Holds POS of ahead=POS: the microkernel calls in one iteration of this loop prefetch the
  /// weights of the next iteration into the second-level cache. If the loop does not advance
  /// through the weights, the input is prefetched instead.
  std::optional<int> ahead = {};
  bool nontemporal = false;  ///< The mark nt sets this: stores of the output bypass the caches.
  /// The mark isa=NAME names the ISA of the vectors V. Without it, V is the machine's widest
  /// vector.
  std::optional<Isa> isa = {};
  /// The mark widen sets this: bf16 is widened to f32 and multiplied by vfmadd instead of
  /// vdpbf16ps.
  bool widen = false;

  /// Returns true when kernels take plain weights. All other kernels take weights that
  /// Kernel::pack_weights() has packed.
  bool takes_plain_weights() const { return weights_in_place || pack_weights.has_value(); }
  bool operator==(const Schedule&) const = default;
};

/// Returns the schedule that `text` describes; parse_schedule(to_string(s)) == s. plan_of() and
/// compile() check whether a schedule fits a problem. Throws Error with the rule and, if one token
/// is wrong by itself, with the token and its position.
Schedule parse_schedule(const std::string& text);
/// Returns the text form on one line. Never throws.
std::string to_string(const Schedule& schedule);
/// Returns the text form of one loop, e.g. "T(16,k)". Never throws.
std::string to_string(const Specifier& specifier);

}  // namespace tileplan
