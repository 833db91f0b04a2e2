// SPDX-License-Identifier: Apache-2.0
// Problems (convolutions, matrix products, user-written relations) and their one-line text form.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tileplan/element.h"

namespace tileplan {

/// One spatial direction of a convolution. Sizes in elements.
struct Axis {
  std::int64_t in = 1;      ///< input size
  std::int64_t out = 1;     ///< output size
  std::int64_t filter = 1;  ///< filter taps
  std::int64_t stride = 1;  ///< input step per output step
  std::int64_t dilation =
      1;  ///< input step per filter tap (1 = dense; benchdnn's `dh` counts gaps: `dh0` = 1)
  std::int64_t pad_before = 0;  ///< zero rows before the input
  std::int64_t pad_after =
      0;  ///< zero rows after it that the last window reads, 0 when it reads none

  bool operator==(const Axis&) const = default;
};

/// A forward convolution. `c` and `k` count channels over all groups.
struct ConvShape {
  std::string name = {};  ///< of the layer ("resnet18-9"), or empty
  std::int64_t n = 1;     ///< batch
  std::int64_t g = 1;     ///< groups; divides c and k
  std::int64_t c = 1;     ///< input channels
  std::int64_t k = 1;     ///< output channels
  /// Loops d (output depth) and t (filter depth); Axis{} unless 3-D: no stride or dilation then.
  Axis depth = {};
  Axis height = {};  ///< loops h (output row) and r (filter row); Axis{} when 1-D
  Axis width = {};   ///< loops w (output column) and s (filter column)
  ElementType type = ElementType::f32;

  bool operator==(const ConvShape&) const = default;
};

/// C[b][i][j] = the sum over k of A[b][i][k] * B[b][k][j], row-major; added to C only with
/// Epilogue::accumulate. Leading dimensions in elements.
struct GemmShape {
  std::string name = {};
  std::int64_t b = 1;                      ///< batch
  std::int64_t m = 1, n = 1, k = 1;        ///< extents of the loops i, j, k
  std::int64_t lda = 1, ldb = 1, ldc = 1;  ///< row strides of A (>= k), B (>= n) and C (>= n)
  ElementType type = ElementType::f32;

  bool operator==(const GemmShape&) const = default;
};

/// A computation written by the user in isl text: each output is the sum of the products of two
/// reads, added to what the output holds only with Epilogue::accumulate. Each text is one line with
/// single blanks, as parse_problem makes it of any spacing.
/// Example: domain `{ S[i,j,k] : 0 <= i < 64 and 0 <= j < 96 and 0 <= k < 32 }`,
/// reads `{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] }`, writes `{ S[i,j,k] -> C[i,j] }`.
///
/// Weights: the first read, if it alone has the iterator of the output's last index, as an index of
/// its own; else the second. The other read is the input. Tensors are row-major in the order of
/// their indices, from 0 to the largest value of each; smaller values read as zero and are not
/// stored: of A[i-3,k] with 0 <= i < 10, seven rows. Where no vectors along an iterator of the
/// weights are contiguous in the input and the output, schedules have one more iterator, u, of one
/// iteration.
///
/// Bias of an epilogue: one value per point of the iterators that the weights and the output have
/// and the input has not, row-major in the order of the output's indices; here one per j. An
/// iterator of all three tensors has no values of its own, like the batch of a gemm, and where
/// there are no others the bias is one value.
struct Relation {
  std::string name = {};
  std::string domain = {}, reads = {}, writes = {};
  ElementType type = ElementType::f32;

  bool operator==(const Relation&) const = default;
};

using Problem = std::variant<ConvShape, GemmShape, Relation>;

/// The convolution that a benchdnn descriptor ("mb1ic64ih56oc64oh56kh3ph1") or a layer name
/// ("resnet18-9") means, with benchdnn's defaults and deductions: `mb` is 2, `g` 1, `s*` 1, `d*` 0,
/// missing height/width fields are copied from the other axis (`ow` only when all else is alike),
/// without any of the height it is 1-D, with `id` it is 3-D, and with nothing but depths a cube; a
/// missing `oh` is deduced from the padding and a missing `ph` from `oh` (as in benchdnn, padding
/// after the input makes up the rest). With both, padding before and after the input may differ by
/// less than one stride; `ah`, ours, gives the padding after it outright: "ih56oh56kh3ph2ah0".
/// Leading options
/// (`--dt=f64 --dir=FWD_D`) and a trailing n"NAME" are understood; of several --dt the last counts.
/// Throws Error: unknown or repeated keys, sizes below 1, an output size that does not match,
/// groups that do not divide the channels, tensors of more than 2^63 - 1 bytes, other types than
/// f32 and f64, other directions than forward, transposed convolutions.
ConvShape parse_conv(const std::string& text);

/// The matrix product that "m128n256k512", "b16m128n256k512" or a layer name means; optional
/// `lda`, `ldb`, `ldc` keys, e.g. "m128n256k512lda520", and leading options as above. Throws Error.
GemmShape parse_gemm(const std::string& text);

/// Any problem text: a descriptor, a gemm, a layer name, or a relation
/// `{ domain } reads { accesses } writes { access }`, with leading options. Throws Error.
Problem parse_problem(const std::string& text);

/// Throws Error when `problem`, put together by hand, breaks a rule that parsing checks. The reads
/// of a Relation are looked at as text only.
void validate(const Problem& problem);

/// Canonical text that parses back to `problem` (the name is not part of it): `--dt=f64 ` unless it
/// is f32, keys of the width and
/// others only where they are needed. A convolution needs `pad_after` to be what the last window
/// reads.
std::string to_string(const ConvShape& shape);
std::string to_string(const GemmShape& shape);
std::string to_string(const Relation& relation);
std::string to_string(const Problem& problem);

/// Of the tensors of `problem`.
ElementType type_of(const Problem& problem);

/// The layer name of `problem`, after `--dt=f64 ` unless it is f32, or its text when it has none.
std::string name_of(const Problem& problem);

/// The layers of a table (`name,problem` lines after the header; `#` starts a comment), in file
/// order; a problem may be a layer name. Throws Error with the file and line when unreadable or
/// wrong.
std::vector<Problem> load_layers(const std::string& path);

/// Floating-point operations: 2 per multiply-add, border taps included (as the papers and peers
/// count). Throws Error for a Relation, whose extents are known to its computation only, and for
/// shapes that `validate` refuses. Example: "m2n3k4" takes 2 * 2 * 3 * 4 = 48.
double flops(const Problem& problem);

}  // namespace tileplan
