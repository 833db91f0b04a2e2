// SPDX-License-Identifier: Apache-2.0
// A problem is a convolution, a matrix product or a user-written relation. Each has a one-line text
// form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tileplan/element.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes one spatial direction of a convolution. Sizes are in elements.
struct Axis {
  std::int64_t in = 1, out = 1;
  std::int64_t filter = 1;  ///< Counts the filter taps.
  std::int64_t stride = 1;  ///< Gives the distance of neighbouring outputs in input elements.
  /// Gives the distance of neighbouring filter taps in input elements. It is 1 for a dense filter,
  /// for which benchdnn writes 0 ("dh0").
  std::int64_t dilation = 1;
  /// Counts the zeros that pad the input before its first element.
  std::int64_t pad_before = 0;
  /// Counts the zeros that pad the input after its last element, as far as the last window reads.
  std::int64_t pad_after = 0;

  bool operator==(const Axis&) const = default;
};

/// Describes a forward convolution. The channels `c` and `k` are counted over all groups.
struct ConvShape {
  std::string name = {};  ///< Names the layer, such as "resnet18-9", or is empty.
  std::int64_t n = 1;     ///< Counts the images of the batch.
  /// Counts the groups, each of which has c / g input and k / g output channels.
  std::int64_t g = 1;
  std::int64_t c = 1;  ///< Counts the input channels of all groups.
  std::int64_t k = 1;  ///< Counts the output channels of all groups.
  /// Has the loops d over outputs and t over filter taps. Only 3-D convolutions set this axis.
  Axis depth = {};
  /// Has the loops h over outputs and r over filter taps. 1-D convolutions leave this axis at
  /// Axis{}.
  Axis height = {};
  Axis width = {};  ///< Has the loops w over outputs and s over filter taps.
  TensorTypes types = {};

  bool operator==(const ConvShape&) const = default;
};

/// Describes C[b][i][j] = the sum over k of op(A)[b][i][k] * op(B)[b][k][j], where op() transposes
/// or does nothing. All three matrices are row-major. The old C is added only with Epilogue::beta.
struct GemmShape {
  std::string name = {};
  std::int64_t b = 1;                ///< Counts the products of the batch.
  std::int64_t m = 1, n = 1, k = 1;  ///< Give the extents of the loops i, j and k.
  /// Give the distances between the starts of two rows in elements. A row of A has k elements, or m
  /// with `ta`; a row of B has n elements, or k with `tb`; and a row of C has n elements.
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  bool ta = false;  ///< Tells whether A is stored as A[b][k][i].
  bool tb = false;  ///< Tells whether B is stored as B[b][j][k].
  /// Give the distances between the starts of two matrices of a batch in elements. Without a
  /// distance, a matrix begins after the last row of the previous one. With 0, all products read
  /// one matrix A or B, but not both. Matrices of C must not overlap, but rows of one may lie
  /// between rows of another: sc >= (m - 1) * ldc + n, or sc >= n and ldc >= (b - 1) * sc + n.
  std::optional<std::int64_t> sa = {}, sb = {}, sc = {};
  TensorTypes types = {};

  bool operator==(const GemmShape&) const = default;
};

/// Describes a computation by isl relations that the user writes. Each output is a sum of products
/// of two reads, which is added to the previous output only with Epilogue::beta. Each text is
/// one line with single blanks; parse_problem() normalises any spacing. Example: domain `{ S[i,j,k]
/// : 0 <= i < 64 and 0 <= j < 96 and 0 <= k < 32 }`, reads `{ S[i,j,k] -> A[i,k]; S[i,j,k] ->
/// B[k,j] }`, writes `{ S[i,j,k] -> C[i,j] }`.
///
/// The first read is the weights if the iterator of the output's last index directly indexes the
/// first read and not the second. Otherwise the second read is the weights. The remaining read is
/// the input.
///
/// Tensors are row-major in the order of their indices. An index runs from 0 to its largest value;
/// smaller values read as zero and are not stored, so A[i-3,k] with 0 <= i < 10 stores seven rows.
/// Schedules have one more iterator, u (or uu if u is taken), of one iteration, unless some
/// iterator that the weights and the output share is contiguous in the output and, if the input has
/// it, in the input, where it must not read padding.
///
/// A bias has one value per point of the iterators that the weights and the output share and the
/// input lacks, row-major in the order of the output's indices. In the example, this is one value
/// per j. Without such iterators a bias is a single value. An iterator of all three tensors adds no
/// values, like the batch of a gemm.
struct Relation {
  std::string name = {};
  std::string domain = {}, reads = {}, writes = {};
  TensorTypes types = {};

  bool operator==(const Relation&) const = default;
};

using Problem = std::variant<ConvShape, GemmShape, Relation>;

/// Returns the convolution that a benchdnn descriptor ("mb1ic64ih56oc64oh56kh3ph1") or a layer name
/// ("resnet18-9") describes. Missing keys are deduced as in benchdnn:
///   - `mb` is 2, `g` and `s*` are 1, `d*` is 0.
///   - Missing height or width keys are copied from the other axis (`oh` and `ow` only when all
///     other keys are equal). With width keys alone the convolution is 1-D, and with depth keys
///     alone it is a cube. A depth of one input and one tap without padding is left out.
///   - A missing `oh` follows from the padding, and a missing `ph` from `oh`. With both given, the
///     padding before and after the input may differ by less than one stride.
/// The key `ah`, which benchdnn lacks, sets the padding after the input: "ih56oh56kh3ph2ah0".
/// Leading options ("--dt=u8:s8:s32 --dir=FWD_D") and a trailing n"NAME" are accepted. Throws Error
/// for unknown, repeated or missing keys, sizes below 1, an output size that does not match, groups
/// that do not divide the channels, tensors of more than 2^57 bytes, more than 2^63 - 1 operations,
/// types that accumulator_of() refuses, other options, and transposed convolutions.
ConvShape parse_conv(const std::string& text);

/// Returns the matrix product that "m128n256k512", "b16m128n256k512" or a layer name describes. The
/// keys `lda`, `ldb` and `ldc` (leading dimensions) and `ta1` and `tb1` (transposed A and B) are
/// optional ("m128n256k512lda520tb1"), and so are the leading options of parse_conv(). Products
/// with `b` above 1 may also have `sa`, `sb` and `sc` (distances between matrices). Distances that
/// are the default ones become none. Throws Error as parse_conv() does.
GemmShape parse_gemm(const std::string& text);

/// Returns the problem that any text form describes: a descriptor, a gemm, a layer name, or a
/// relation `{ domain } reads { accesses } writes { access }`, each with optional leading options.
/// Throws Error for any other text.
Problem parse_problem(const std::string& text);

/// Checks a problem that parse_problem() did not make. Throws Error when the problem breaks a rule
/// that parsing checks. Checks the accesses of a Relation as text only.
void validate(const Problem& problem);

/// Returns a text that parses back to `problem`, without its name. It starts with the types, such
/// as "--dt=f64 ", unless they are f32. Keys of the width that equal those of the height are left
/// out if parsing deduces them. Requires that the `pad_after` of a convolution is exactly as large
/// as the last window needs, and that distances of a gemm's matrices are none if they are the
/// default.
std::string to_string(const ConvShape& shape);
std::string to_string(const GemmShape& shape);
std::string to_string(const Relation& relation);
std::string to_string(const Problem& problem);

/// Returns the element types of the tensors.
TensorTypes types_of(const Problem& problem);

/// Returns the layer name, or to_string(problem) if there is no name. Types other than f32 precede
/// the name, as in "--dt=f64 resnet18-9".
std::string name_of(const Problem& problem);

/// Returns the layers of a table in file order. The table has `name,problem` lines after a header
/// line, `#` starts a comment, and a problem may be a layer name. Throws Error with file and line.
std::vector<Problem> load_layers(const std::string& path);

/// Lists named layers. parse_problem() accepts these names.
struct LayerTable {
  std::string name = {};  ///< Names the table, such as "resnet18".
  std::vector<Problem> layers = {};
};

/// Returns the tables of `data/layers`, which are built into the library.
std::vector<LayerTable> layer_tables();

/// Returns the number of operations as papers and vendor libraries count: 2 per
/// multiply-add, and taps on padding count. Throws Error for a Relation, whose extents are not
/// known here, and for problems that validate() refuses. Example: "m2n3k4" takes 2 * 2 * 3 * 4 =
/// 48.
double flops(const Problem& problem);

}  // namespace tileplan
