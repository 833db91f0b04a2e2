// SPDX-License-Identifier: Apache-2.0
// This file runs the cheap tests first, because a prediction costs far more.
#include "streaming.h"

#include <algorithm>

#include "branches.h"
#include "cost.h"
#include "repack.h"

namespace tileplan {
namespace {

/// Limits the time with streamed outputs, as a share of the time without streaming, if the outputs
/// do not crowd the caches. Streaming must save time then, because the next layer has to read the
/// outputs from memory.
constexpr double kWorthStreaming = 0.98;

bool splits_sums(const Computation& computation, const Nest& nest) {
  return std::ranges::any_of(branches_of(nest), [&](const Branch& branch) {
    return calls_of(computation, branch).resumed > 0;
  });
}

}  // namespace

std::optional<PredictedMarks> with_streaming(const CostContext& costs, const Nest& nest,
                                             NestPredictor& predictor, const PredictedMarks& form) {
  const Computation& computation = costs.computation;
  if (!costs.may_stream || splits_sums(computation, nest)) return std::nullopt;
  Marks marks = form.marks;
  if (layout_in_loops(computation, marks, nest, Operand::output) != marks.out) return std::nullopt;
  const TensorLayout output = layout_of(computation, Operand::output, marks.out);
  if (!why_unaligned(computation, output, nest.vectorised, costs.machine.vector.lanes).empty())
    return std::nullopt;
  marks.nontemporal = true;
  const Prediction prediction = predictor.with(marks);
  const double worth = costs.crowds_caches ? 1 : kWorthStreaming;
  if ((costs.leaves_caches || !costs.crowds_caches) &&
      prediction.seconds >= worth * form.prediction.seconds)
    return std::nullopt;
  return PredictedMarks{.marks = marks, .prediction = prediction};
}

}  // namespace tileplan
