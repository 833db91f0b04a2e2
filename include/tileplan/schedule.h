// SPDX-License-Identifier: Apache-2.0
// A schedule: loop specifiers outermost first, layouts and marks, in the papers' notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/isa.h"

namespace tileplan {

/// Physical order of an activation tensor. `plain` is row-major over the data dimensions (gemm and
/// user-written relations); nChw16c and nChw8c are channel-blocked, the last block zero-padded.
enum class Layout { plain, nhwc, nchw, nChw16c, nChw8c };

/// "plain", "nhwc", "nchw", "nChw16c", "nChw8c".
std::string to_string(Layout layout);
/// parse_layout(to_string(l)) == l. Throws Error with the value and the names.
Layout parse_layout(const std::string& text);

enum class Kind {
  tile,      ///< T(n,d): a loop of n trips
  rest,      ///< R(d): the whole remaining extent of d
  lambda,    ///< L(d,[a1*h1,a2*h2]): a1 blocks of h1, then a2 blocks of h2
  parallel,  ///< P(n,d): a loop of n trips shared among threads; with parts, a lambda shared so
  unroll,    ///< U(n,d), or U(d) with the size given by the enclosing L
  vector,    ///< V(d): one vector register of d, a channel, group or pixel dim
};

/// `times` blocks of `size`, one part of a lambda.
struct Part {
  std::int64_t times = 0;
  std::int64_t size = 0;

  bool operator==(const Part&) const = default;
};

struct Specifier {
  Kind kind = Kind::tile;
  std::string dim = {};
  std::int64_t count = 0;        ///< trips of T, P, U; 0 for R, V and for a U sized by its L
  std::vector<Part> parts = {};  ///< of L, and of a P whose blocks differ, P(d,[a1*h1,a2*h2])

  /// True for L, and for a P with the parts of one.
  bool is_lambda() const { return !parts.empty(); }
  bool operator==(const Specifier&) const = default;
};

/// Text form: `[T(16,k), L(h,[2*11,1*12]), T(256,c), U(h), U(2,k), V(k)] in=nhwc out=nhwc
/// prefetch=8 nt isa=avx512vl`; `pack=in@POS` packs the input inside loop POS (0 = outermost),
/// `ahead=POS` prefetches the weights, or else the input, of the next iteration of loop POS.
struct Schedule {
  std::vector<Specifier> loops = {};  ///< outermost first
  Layout in = Layout::plain;
  Layout out = Layout::plain;
  std::optional<int> pack_input = {};  ///< index of the loop inside which the input is packed
  int prefetch = 0;  ///< weights are prefetched so many reduction steps ahead; 0: not
  /// Index of the loop whose next iteration's weights, or input where it does not step over
  /// weights, are brought into the second-level cache, little by little, while the current one
  /// runs.
  std::optional<int> ahead = {};
  bool nontemporal = false;  ///< outputs bypass the caches
  /// The instruction set whose vectors V counts; none: that of the machine's widest vectors.
  std::optional<Isa> isa = {};

  bool operator==(const Schedule&) const = default;
};

/// parse_schedule(to_string(s)) == s. Throws Error naming the token, its position and the rule;
/// whether the schedule belongs to a problem is checked where both are given.
Schedule parse_schedule(const std::string& text);
/// On one line; marks that say nothing (plain layouts, prefetch=0) are left out. Never throws.
std::string to_string(const Schedule& schedule);
/// Of one loop, e.g. "T(16,k)". Never throws.
std::string to_string(const Specifier& specifier);

}  // namespace tileplan
