// SPDX-License-Identifier: Apache-2.0
// This file writes pools, means and local response normalisation. The text of the loops of most
// operators is fixed, and constants before it hold the sizes.
#include <algorithm>

#include "c_function.h"
#include "fast_operators.h"
#include "loop_nest.h"
#include "operators.h"

namespace tileplan {
namespace {

using Constants = std::vector<std::pair<std::string, std::int64_t>>;

const std::vector<CParameter> kInOut{{.name = "in"}, {.name = "out", .is_output = true}};

/// Holds the start value of an output and the statement that combines it with an input, which
/// differ between maximum and average pools.
struct PoolText {
  const char *start = "", *combine = "";
};
constexpr PoolText kLargest{
    "-INFINITY", "row[at] = row[at] >= line[i] || row[at] != row[at] ? row[at] : line[i];"};
constexpr PoolText kSum{"0", "row[at] += line[i];"};

/// Writes the loops that compute one row of outputs, `row`, or in an average pool the sums of its
/// windows. `taps_down`, `in_rows` and so on are constants of the emitted code.
void write_pool_row(CWriter& out, const PoolText& text) {
  out.line("float *const row = out + (block * out_rows + h) * out_columns * inner;");
  out.line("for (int64_t i = 0; i < out_columns * inner; ++i) row[i] = " + std::string(text.start) +
           ";");
  out.open("for (int64_t r = 0; r < taps_down; ++r)");
  out.line("const int64_t y = h * stride_down + r * dilation_down - pad_above;");
  out.line("if (y < 0 || y >= in_rows) continue;");
  out.open("for (int64_t s = 0; s < taps_across; ++s)");
  write_lines(out, R"(
const int64_t shift = s * dilation_across - pad_left, room = in_columns - 1 - shift;
const int64_t first = shift >= 0 ? 0 : (stride_across - 1 - shift) / stride_across;
int64_t end = room < 0 ? 0 : room / stride_across + 1;
end = end < out_columns ? end : out_columns;
for (int64_t w = first; w < end; ++w) {
  const float *const line =
      in + ((block * in_rows + y) * in_columns + w * stride_across + shift) * inner;
  for (int64_t i = 0; i < inner; ++i) {
    const int64_t at = w * inner + i;)");
  out.line("    " + std::string(text.combine));
  write_lines(out, R"(
  }
})");
  out.close();
  out.close();
}

/// Returns C text for the number of taps that count for the output `index`. Writes a table of these
/// numbers unless all are equal.
std::string count_text(CWriter& out, const std::string& name, const std::vector<float>& counts,
                       const std::string& index) {
  if (std::ranges::all_of(counts, [&](float count) { return count == counts.front(); }))
    return float_text(counts.front());
  std::string list;
  for (const float count : counts) list += (list.empty() ? "" : ", ") + float_text(count);
  out.line("static const float " + name + "[" + std::to_string(counts.size()) + "] = {" + list +
           "};");
  return name + "[" + index + "]";
}

Constants pool_constants(const Axis& height, const Axis& width, const ChannelBlocks& in) {
  return {{"blocks", in.images * in.blocks}, {"inner", in.inner},      {"in_rows", height.in},
          {"in_columns", width.in},          {"out_rows", height.out}, {"out_columns", width.out}};
}

Constants filter_constants(const Axis& height, const Axis& width) {
  return {{"taps_down", height.filter},       {"taps_across", width.filter},
          {"stride_down", height.stride},     {"stride_across", width.stride},
          {"dilation_down", height.dilation}, {"dilation_across", width.dilation},
          {"pad_above", height.pad_before},   {"pad_left", width.pad_before}};
}

}  // namespace

CFunction pool_function(const WrittenStep& step) {
  const NodeView& node = step.node;
  std::vector<Axis> axes = windows_of(node, pool_window(node));
  if (axes.size() > 2) throw NotUnderstood{"a pool of more than two directions has no C"};
  if (axes.size() == 1) axes.insert(axes.begin(), Axis{});
  const bool is_max = node.kind() == "MaxPool",
             counts_padding = node.integer("count_include_pad", 0) != 0;
  CWriter out;
  out.open("");
  out.line(
      constants_text(pool_constants(axes[0], axes[1], channel_blocks(node.shape(0), step.layout))));
  out.line(constants_text(filter_constants(axes[0], axes[1])));
  std::string count;
  if (!is_max)
    count = count_text(out, "row_counts", tap_counts(axes[0], counts_padding), "h") + " * " +
            count_text(out, "column_counts", tap_counts(axes[1], counts_padding), "w");
  out.line("for (int64_t block = 0; block < blocks; ++block)");
  out.open("  for (int64_t h = 0; h < out_rows; ++h)");
  write_pool_row(out, is_max ? kLargest : kSum);
  if (!is_max) {
    out.open("for (int64_t w = 0; w < out_columns; ++w)");
    out.line("const float scale = 1 / (" + count + ");");
    out.line("for (int64_t i = 0; i < inner; ++i) row[w * inner + i] *= scale;");
    out.close();
  }
  out.close();
  out.close();
  return {.kind = is_max ? "max_pool" : "average_pool", .parameters = kInOut, .body = out.text()};
}

namespace {

CFunction plane_mean_function(const WrittenStep& step) {
  const ChannelBlocks view = channel_blocks(step.node.shape(0), step.layout);
  CWriter out;
  out.open("");
  out.line(constants_text(
      {{"blocks", view.images * view.blocks}, {"pixels", view.plane}, {"inner", view.inner}}));
  out.line("const float scale = 1 / " + float_text(static_cast<float>(view.plane)) + ";");
  write_lines(out, R"(
for (int64_t block = 0; block < blocks; ++block) {
  float *const mean = out + block * inner;
  for (int64_t i = 0; i < inner; ++i) mean[i] = 0;
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t i = 0; i < inner; ++i) mean[i] += in[(block * pixels + p) * inner + i];
  for (int64_t i = 0; i < inner; ++i) mean[i] *= scale;
})");
  out.close();
  return {.kind = "global_mean", .parameters = kInOut, .body = out.text()};
}

}  // namespace

CFunction mean_function(const WrittenStep& step) {
  const NodeView& node = step.node;
  if (node.kind() == "GlobalAveragePool") return plane_mean_function(step);
  const Extents &shape = node.shape(0), kept = mean_shape(node);
  const Extents from = row_major(shape), to = row_major(kept);
  LoopNest nest(2);
  for (std::size_t a = 0; a < shape.size(); ++a)
    nest.add(shape[a], {from[a], kept[a] > 1 ? to[a] : 0});
  const std::int64_t means = elements_of(kept), terms = elements_of(shape) / means;
  const std::string each = "for (int64_t i = 0; i < " + std::to_string(means) + "; ++i) out[i]";
  CWriter out;
  out.open("");
  out.line(each + " = 0;");
  nest.open(out);
  out.line("out[" + nest.at(1) + "] += in[" + nest.at(0) + "];");
  nest.close(out);
  out.line(each + " /= " + float_text(static_cast<float>(terms)) + ";");
  out.close();
  return {.kind = "mean", .parameters = kInOut, .body = out.text()};
}

namespace {

/// Writes a loop that turns the sums of squares of a normalisation into results. If `is_usual`, the
/// exponent is 0.75, and two square roots compute the power.
void write_results(CWriter& out, const std::string& loop, const std::string& at, bool is_usual) {
  const std::string sum = "to[" + at + "]", x = "from[" + at + "]";
  out.open(loop);
  if (is_usual) {
    out.line("const float root = sqrtf(bias + scale * " + sum + ");");
    out.line(sum + " = " + x + " / (root * sqrtf(root));");
  } else {
    out.line(sum + " = " + x + " * powf(bias + scale * " + sum + ", power);");
  }
  out.close();
}

/// Writes the loops for tensors whose neighbouring channels are neighbours in memory.
void write_channels_last(CWriter& out, bool is_usual) {
  out.open("for (int64_t p = 0; p < images * pixels; ++p)");
  write_lines(out, R"(
const float *const from = in + p * channels;
float *const to = out + p * channels;
for (int64_t c = 0; c < channels; ++c) to[c] = 0;
for (int64_t near = -before; near <= after; ++near) {
  const int64_t first = near < 0 ? -near : 0, end = near > 0 ? channels - near : channels;
  for (int64_t c = first; c < end; ++c) to[c] += from[c + near] * from[c + near];
})");
  write_results(out, "for (int64_t c = 0; c < channels; ++c)", "c", is_usual);
  out.close();
}

void write_planes(CWriter& out, bool is_usual) {
  out.open("for (int64_t plane = 0; plane < images * channels; ++plane)");
  write_lines(out, R"(
const float *const from = in + plane * pixels;
float *const to = out + plane * pixels;
const int64_t c = plane % channels, left = channels - 1 - c;
const int64_t first = c < before ? -c : -before, last = left < after ? left : after;
for (int64_t i = 0; i < pixels; ++i) to[i] = 0;
for (int64_t near = first; near <= last; ++near)
  for (int64_t i = 0; i < pixels; ++i)
    to[i] += from[near * pixels + i] * from[near * pixels + i];)");
  write_results(out, "for (int64_t i = 0; i < pixels; ++i)", "i", is_usual);
  out.close();
}

}  // namespace

CFunction normalisation_function(const WrittenStep& step) {
  const NodeView& node = step.node;
  const Extents& shape = node.shape(0);
  const std::int64_t size = node.integer("size", 1);
  constexpr float kUsual = 0.75F;
  const auto beta = static_cast<float>(node.real("beta", 0.75));
  CWriter out;
  out.open("");
  out.line(constants_text({{"images", shape[0]},
                           {"channels", shape[1]},
                           {"pixels", elements_of({shape.begin() + 2, shape.end()})},
                           {"before", (size - 1) / 2},
                           {"after", size / 2}}));
  const double alpha = node.real("alpha", 1e-4) / static_cast<double>(size);
  out.line("const float bias = " + float_text(static_cast<float>(node.real("bias", 1))) +
           ", scale = " + float_text(static_cast<float>(alpha)) +
           (beta == kUsual ? "" : ", power = " + float_text(-beta)) + ";");
  if (step.layout == Layout::nchw)
    write_planes(out, beta == kUsual);
  else
    write_channels_last(out, beta == kUsual);
  out.close();
  return {.kind = "normalise", .parameters = kInOut, .body = out.text()};
}

}  // namespace tileplan
