// SPDX-License-Identifier: Apache-2.0
// This file computes convolutions and matrix products with sums in double precision.
#include <algorithm>

#include "operators.h"
#include "plain_graph.h"

namespace tileplan {
namespace {

/// Describes a convolution over three spatial axes. An axis that the convolution lacks has one
/// element.
struct ConvLoops {
  /// The numbers of channels are per group.
  std::int64_t images = 1, groups = 1, in_channels = 1, out_channels = 1;
  Axis depth, height, width;

  std::int64_t in_plane() const { return depth.in * height.in * width.in; }
  std::int64_t out_plane() const { return depth.out * height.out * width.out; }
  std::int64_t taps() const { return depth.filter * height.filter * width.filter; }
};

ConvLoops loops_of(const NodeView& node) {
  const Extents &in = node.shape(0), &weights = node.shape(1);
  if (in.size() > 5) throw NotUnderstood{"a convolution over more than 3 axes"};
  std::vector<Axis> axes = windows_of(node, {weights.begin() + 2, weights.end()});
  axes.insert(axes.begin(), 3 - axes.size(), Axis{});
  const std::int64_t groups = node.integer("group", 1);
  return {.images = in[0],
          .groups = groups,
          .in_channels = weights[1],
          .out_channels = weights[0] / groups,
          .depth = axes[0],
          .height = axes[1],
          .width = axes[2]};
}

/// Returns the half-open range of outputs for which the filter tap `tap` lies inside the input.
std::pair<std::int64_t, std::int64_t> inside(const Axis& axis, std::int64_t tap) {
  const std::int64_t shift = tap * axis.dilation - axis.pad_before;
  const std::int64_t first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride;
  const std::int64_t last = axis.in - 1 - shift;
  return {first, last < 0 ? 0 : std::min(axis.out, last / axis.stride + 1)};
}

/// Adds the products of one weight and the numbers of one input channel to the sums of one output
/// channel.
class TapSum {
 public:
  TapSum(const ConvLoops& loops, const float* in, double* sums)
      : loops_(loops), in_(in), sums_(sums) {}

  void add(std::int64_t tap, double weight) const {
    const std::int64_t s = tap % loops_.width.filter,
                       r = tap / loops_.width.filter % loops_.height.filter,
                       t = tap / loops_.width.filter / loops_.height.filter;
    const auto [first_d, last_d] = inside(loops_.depth, t);
    const auto [first_h, last_h] = inside(loops_.height, r);
    for (std::int64_t d = first_d; d < last_d; ++d)
      for (std::int64_t h = first_h; h < last_h; ++h) {
        const std::int64_t z = place(loops_.depth, d, t), y = place(loops_.height, h, r);
        add_row((z * loops_.height.in + y) * loops_.width.in,
                (d * loops_.height.out + h) * loops_.width.out, s, weight);
      }
  }

 private:
  static std::int64_t place(const Axis& axis, std::int64_t out, std::int64_t tap) {
    return out * axis.stride - axis.pad_before + tap * axis.dilation;
  }
  void add_row(std::int64_t from, std::int64_t to, std::int64_t s, double weight) const {
    const auto [first, last] = inside(loops_.width, s);
    if (first >= last) return;
    const float* in = in_ + from + place(loops_.width, first, s);
    double* sums = sums_ + to + first;
    for (std::int64_t w = 0; w < last - first; ++w)
      sums[w] += weight * static_cast<double>(in[w * loops_.width.stride]);
  }

  const ConvLoops& loops_;
  const float* in_;
  double* sums_;
};

}  // namespace

std::vector<double> conv_sums(const NodeView& node, const float* in, const float* weights) {
  const ConvLoops loops = loops_of(node);
  const std::int64_t channels = loops.groups * loops.out_channels, plane = loops.out_plane();
  std::vector<double> sums(static_cast<std::size_t>(loops.images * channels * plane));
  for (std::int64_t nk = 0; nk < loops.images * channels; ++nk) {
    const std::int64_t k = nk % channels,
                       first = nk / channels * loops.groups + k / loops.out_channels;
    for (std::int64_t c = 0; c < loops.in_channels; ++c) {
      const TapSum sum(loops, in + (first * loops.in_channels + c) * loops.in_plane(),
                       sums.data() + nk * plane);
      for (std::int64_t tap = 0; tap < loops.taps(); ++tap)
        sum.add(tap, weights[(k * loops.in_channels + c) * loops.taps() + tap]);
    }
  }
  return sums;
}

std::vector<float> plain_conv(const NodeView& node, const PlainInputs& inputs) {
  std::vector<double> sums =
      conv_sums(node, floats_of(inputs, 0).data(), floats_of(inputs, 1).data());
  const float* bias = node.has_input(2) ? floats_of(inputs, 2).data() : nullptr;
  const float* residual = node.has_input(3) ? floats_of(inputs, 3).data() : nullptr;
  const std::int64_t channels = node.shape(1)[0];
  const std::int64_t plane =
      std::ssize(sums) / std::max<std::int64_t>(1, node.shape(0)[0] * channels);
  for (std::int64_t i = 0; i < std::ssize(sums); ++i) {
    double& sum = sums[static_cast<std::size_t>(i)];
    if (bias) sum += static_cast<double>(bias[i / plane % channels]);
    if (residual) sum += static_cast<double>(residual[i]);
  }
  return {sums.begin(), sums.end()};
}

namespace {

/// Adds beta * C of a Gemm, which is broadcast to m x n by numpy's rules.
void add_c(const NodeView& node, const Product& product, const std::vector<float>& c,
           std::vector<double>& sums) {
  const Extents& shape = node.shape(2);
  const double beta = node.real("beta", 1);
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[0];
  for (std::int64_t i = 0; i < product.m; ++i)
    for (std::int64_t j = 0; j < product.n; ++j)
      sums[static_cast<std::size_t>(i * product.n + j)] +=
          beta *
          static_cast<double>(
              c[static_cast<std::size_t>((rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j))]);
}

/// Adds the bias per column and the residual of a Product.
void add_addends(const NodeView& node, const Product& product, const PlainInputs& inputs,
                 std::vector<double>& sums) {
  if (node.has_input(2))
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<double>(floats_of(inputs, 2)[i % static_cast<std::size_t>(product.n)]);
  if (node.has_input(3))
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<double>(floats_of(inputs, 3)[i]);
}

/// Adds to `row` the product of row `i` of A, counted over all batches, and the matrix B of its
/// batch.
void add_row(const Product& p, std::int64_t i, const float* a, const float* b, double* row) {
  const float* const matrix = b + (p.b_in_batches ? i / p.m * p.k * p.n : 0);
  for (std::int64_t k = 0; k < p.k; ++k) {
    const auto left = static_cast<double>(a[p.a_transposed ? k * p.m + i % p.m : i * p.k + k]);
    const std::int64_t step = p.b_transposed ? p.k : 1, first = p.b_transposed ? k : k * p.n;
    for (std::int64_t j = 0; j < p.n; ++j)
      row[j] += left * static_cast<double>(matrix[first + j * step]);
  }
}

}  // namespace

std::vector<double> product_sums(const NodeView& node, const float* a, const float* b) {
  const Product p = product_of(node);
  std::vector<double> sums(static_cast<std::size_t>(p.batches * p.m * p.n));
  for (std::int64_t i = 0; i < p.batches * p.m; ++i) add_row(p, i, a, b, sums.data() + i * p.n);
  return sums;
}

std::vector<float> plain_product(const NodeView& node, const PlainInputs& inputs) {
  const Product p = product_of(node);
  std::vector<double> sums =
      product_sums(node, floats_of(inputs, 0).data(), floats_of(inputs, 1).data());
  for (double& sum : sums) sum *= node.real("alpha", 1);
  if (node.kind() == "Gemm" && node.has_input(2))
    add_c(node, p, floats_of(inputs, 2), sums);
  else if (node.kind() == "Product")
    add_addends(node, p, inputs, sums);
  return {sums.begin(), sums.end()};
}

}  // namespace tileplan
