// SPDX-License-Identifier: Apache-2.0
// This file computes operators of one input number by number.
#include "elementwise.h"
#include "fast_operators.h"
#include "operators.h"
#include "vectorised.h"

namespace tileplan {
namespace {

template <class Rule>
Operation each_number(std::int64_t count, const Rule& rule) {
  return vectorised([count, rule](const StepTensors& t) TILEPLAN_VECTORISED {
    const float* from = t.in[0];
    float* to = t.out[0];
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule(from[i]);
  });
}

}  // namespace

Operation unary_operation(const NodeView& node) {
  const std::int64_t count = elements_of(node.out_shape());
  const Unary rule(node);
  if (node.kind() == "LeakyRelu")
    return each_number(count, [alpha = rule.alpha()](float x)
                                  TILEPLAN_VECTORISED { return x < 0 ? alpha * x : x; });
  if (node.kind() == "Relu" || node.kind() == "Clip")
    return each_number(count, [limits = clip_limits(node)](float x)
                                  TILEPLAN_VECTORISED { return limits.clamp(x); });
  return [rule, count](const StepTensors& t) {
    rule.run(static_cast<std::size_t>(count), t.in[0], t.out[0]);
  };
}

}  // namespace tileplan
