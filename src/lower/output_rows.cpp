// SPDX-License-Identifier: Apache-2.0
// A row is a plane of one channel (nchw), all channels of a pixel (nhwc), one block of channels of
// a pixel, or a row of a matrix.
#include "output_rows.h"

#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

std::int64_t pixels_of(const TensorAccess& activation) {
  // The indices before the first pixel index are those of images, groups and channels.
  constexpr std::size_t kFirstPixelDim = 3;
  std::int64_t pixels = 1;
  for (std::size_t d = kFirstPixelDim; d < activation.data.size(); ++d)
    pixels *= activation.data[d].extent;
  return pixels;
}

/// Returns the number of elements of a row of `layout`: a plane, all channels or one block of
/// channels.
std::int64_t row_length(const TensorAccess& output, Layout layout, std::int64_t channels) {
  if (layout == Layout::nchw) return pixels_of(output);
  if (layout == Layout::nhwc) return channels;
  constexpr std::int64_t kWide = 16, kNarrow = 8;
  return layout == Layout::nChw16c ? kWide : kNarrow;
}

}  // namespace

OutputRows output_rows(const Computation& elements, Layout layout) {
  const TensorAccess& output = elements.tensor(Operand::output);
  const std::int64_t all = layout_of(elements, Operand::output, layout).elements;
  OutputRows rows;
  if (layout == Layout::plain) {
    const auto* const product = std::get_if<GemmShape>(&elements.problem);
    if (product == nullptr)
      throw Error("schedule: no out= for a convolution in " +
                  to_string(types_of(elements.problem)) +
                  "; must be nhwc, nchw or blocks of channels");
    const GemmShape& gemm = *product;
    rows.length = gemm.ldc;
    rows.channels = gemm.n;
    if (gemm.sc) {
      rows.matrix_rows = gemm.m;
      rows.matrix = *gemm.sc;
      rows.rows = gemm.b * gemm.m;
      return rows;
    }
  } else {
    rows.channels = output.data[1].extent * output.data[2].extent;
    rows.length = row_length(output, layout, rows.channels);
    rows.one_channel = layout == Layout::nchw;
    rows.clears_rest = true;
    if (rows.one_channel) rows.places = rows.channels;
    if (!rows.one_channel && layout != Layout::nhwc) {
      rows.repeats = pixels_of(output);
      rows.places = ceil_div(rows.channels, rows.length);
    }
  }
  rows.rows = all / rows.length;
  return rows;
}

}  // namespace tileplan
