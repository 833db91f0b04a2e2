// SPDX-License-Identifier: Apache-2.0
// This file defines each feature as a condition on a random case: its problem, schedule, epilogue,
// instruction set and number of threads.
#include "features.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "merge_dims.h"
#include "random_schedule.h"
#include "winograd_products.h"

namespace tileplan::test {

namespace {

/// Returns true when a loop over an output dimension is inside a reduction loop and outside the
/// register tile. Such a nest continues unfinished sums later.
bool splits_sum(const Computation& computation, const Schedule& schedule) {
  bool inside = false;
  for (const Specifier& loop : schedule.loops) {
    if (is_inner(loop)) break;
    const bool reduction = computation.role(computation.dim(loop.dim)) == Role::reduction;
    if (inside && !reduction) return true;
    inside = inside || reduction;
  }
  return false;
}

bool is_blocked(Layout layout) { return layout == Layout::nChw16c || layout == Layout::nChw8c; }

bool has_loop(const Schedule& schedule, Kind kind) {
  return std::any_of(schedule.loops.begin(), schedule.loops.end(),
                     [&](const Specifier& loop) { return loop.kind == kind; });
}

bool has_uneven_padding(const Axis& axis) { return axis.pad_before != axis.pad_after; }

/// Returns true when an index of a tensor adds a constant.
bool has_offset(const Computation& computation) {
  for (const TensorAccess& tensor : computation.tensors)
    for (const DataDim& data : tensor.data)
      if (data.offset != 0) return true;
  return false;
}

struct Feature {
  const char* name = "";
  bool present = false;
};
using Features = std::vector<Feature>;

Features features_of(const ConvShape& shape) {
  const Axis &h = shape.height, &w = shape.width;
  const bool depthwise = shape.g > 1 && shape.c == shape.g;
  return {{"convolution", shape.n > 0},
          {"batch", shape.n > 1},
          {"1-D", shape.n > 0 && h == Axis{}},
          {"3-D", shape.depth != Axis{}},
          {"groups", shape.g > 1},
          {"depthwise", depthwise},
          {"multiplier", depthwise && shape.k > shape.g},
          {"filter 1x1", shape.n > 0 && h.filter == 1 && w.filter == 1},
          {"stride", h.stride > 1 || w.stride > 1},
          {"unequal stride", h.stride != w.stride},
          {"dilation", h.dilation > 1 || w.dilation > 1},
          {"padding", h.pad_before + h.pad_after + w.pad_before + w.pad_after > 0},
          {"uneven padding", has_uneven_padding(h) || has_uneven_padding(w)}};
}

Features features_of(const Problem& problem, const Computation& computation) {
  const GemmShape* const gemm = std::get_if<GemmShape>(&problem);
  const bool relation = std::holds_alternative<Relation>(problem);
  return {
      {"product", gemm != nullptr},
      {"rows apart", gemm != nullptr && gemm->ldc > gemm->n},
      {"transposed A", gemm != nullptr && gemm->ta},
      {"transposed B", gemm != nullptr && gemm->tb},
      {"shared A or B", gemm != nullptr && (gemm->sa == 0 || gemm->sb == 0)},
      {"matrices apart", gemm != nullptr && gemm->sa.value_or(0) > 0},
      {"rows of matrices interleaved", gemm != nullptr && gemm->sc.value_or(gemm->ldc) < gemm->ldc},
      {"relation", relation},
      {"relation with offsets", relation && has_offset(computation)},
      {"merged dims", computation.dims() < computation_of(problem).dims()},
      {"f32", types_of(problem) == ElementType::f32},
      {"f64", types_of(problem) == ElementType::f64}};
}

/// Returns the features of the instruction set, the vectors and the loops of `drawn`. Requires that
/// `drawn.schedule` is a schedule of `computation`.
Features features_of(const RandomCase& drawn, const Computation& computation) {
  const Schedule& schedule = drawn.schedule;
  const Dim over = computation.dim(schedule.loops.back().dim);
  const Role role = computation.role(over);
  const bool tail = computation.extent(over) % lanes_of(drawn) != 0, pixels = role == Role::pixel;
  // Lists the sizes of unrolled loops, innermost first. A loop whose size a list of blocks (lambda)
  // gives has 0.
  std::vector<std::int64_t> unrolled;
  for (const Specifier& loop : schedule.loops)
    if (loop.kind == Kind::unroll) unrolled.insert(unrolled.begin(), loop.count);
  unrolled.resize(3, 1);
  const bool parallel = has_loop(schedule, Kind::parallel);
  return {{"avx2", drawn.isa == Isa::avx2},
          {"avx512", drawn.isa == Isa::avx512},
          {"avx512vl", drawn.isa == Isa::avx512vl},
          {"tail channels", !pixels && tail},
          {"vectors of channels", role == Role::channel},
          {"vectors of groups", role == Role::batch},
          {"vectors of pixels", pixels},
          {"tail pixels", pixels && tail},
          {"channels x pixels", pixels && unrolled[1] > 1},
          {"lambda rows", unrolled[1] == 0},
          {"lambda vectors", unrolled[0] == 0},
          {"split sum", splits_sum(computation, schedule)},
          {"parallel", parallel},
          {"threads", parallel && drawn.threads > 1},
          {"several vectors", unrolled[0] > 1},
          {"2-D tile", unrolled[2] > 1 && unrolled[1] != 1},
          {"uneven split", has_loop(schedule, Kind::rest)}};
}

Features features_of(const Schedule& marks, const Epilogue& epilogue) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  return {{"in nhwc", marks.in == Layout::nhwc},
          {"in nchw", marks.in == Layout::nchw},
          {"in blocked", is_blocked(marks.in)},
          {"out nhwc", marks.out == Layout::nhwc},
          {"out nchw", marks.out == Layout::nchw},
          {"out blocked", is_blocked(marks.out)},
          {"winograd", marks.winograd.has_value()},
          {"mixed layouts", marks.in != marks.out},
          {"packed input", marks.pack_input.has_value()},
          {"packed weights", marks.pack_weights.has_value()},
          {"packed output", marks.pack_output && !marks.winograd},
          {"weights in place", marks.weights_in_place},
          {"prefetch", marks.prefetch > 0},
          {"prefetch of the next tile", marks.ahead.has_value()},
          {"nontemporal", marks.nontemporal},
          {"accumulate", epilogue.beta == 1},
          {"alpha", epilogue.alpha != 1},
          {"beta", epilogue.beta != 0 && epilogue.beta != 1},
          {"bias", epilogue.bias},
          {"residual", epilogue.add},
          {"limits", epilogue.low > -kNoLimit || epilogue.high < kNoLimit},
          {"no epilogue", epilogue == Epilogue{}}};
}

}  // namespace

void count_features(const RandomCase& drawn, FeatureCounts& counts) {
  const ConvShape* const conv = std::get_if<ConvShape>(&drawn.problem);
  const Computation computation = drawn.schedule.winograd
                                      ? winograd_products(*conv, *drawn.schedule.winograd)
                                      : computation_of(drawn.problem, drawn.schedule);
  std::size_t at = 0;
  for (const Features& features :
       {features_of(conv != nullptr ? *conv : ConvShape{.n = 0}),
        features_of(drawn.problem, computation), features_of(drawn, computation),
        features_of(drawn.schedule, drawn.epilogue)})
    for (const Feature& feature : features) {
      counts.at(at).name = feature.name;
      counts.at(at++).count += feature.present ? 1 : 0;
    }
}

}  // namespace tileplan::test
