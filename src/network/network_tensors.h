// SPDX-License-Identifier: Apache-2.0
// This file holds random tensors for runs of a network.
#pragma once

#include <cstring>
#include <vector>

#include "buffers.h"
#include "node_view.h"
#include "tileplan/elements.h"

namespace tileplan {

/// Returns zeros for a tensor, in the type that it has in a run.
inline Numbers zeros(const GraphValue& value) {
  const auto count = static_cast<std::size_t>(elements_of(*value.shape));
  if (value.type == "u8") return std::vector<std::uint8_t>(count);
  if (value.type == "s8") return std::vector<std::int8_t>(count);
  if (value.type == "s32") return std::vector<std::int32_t>(count);
  return std::vector<float>(count);
}

/// Returns a view of the numbers of a tensor. The view is empty for 64-bit integers, with which
/// networks do not compute.
inline Elements view_of(Numbers& numbers) {
  return std::visit(
      []<class Number>(std::vector<Number>& list) -> Elements {
        constexpr bool kRuns = !std::is_same_v<Number, std::int64_t>;
        if constexpr (kRuns) return list;
        return {nullptr, 0, ElementType::f32};
      },
      numbers);
}

/// Holds random inputs of a network, and memory for its outputs.
struct NetworkTensors {
  std::vector<Numbers> inputs, outputs;
  std::vector<ConstElements> input_views;
  std::vector<Elements> output_views;

  NetworkTensors(const Graph& graph, std::uint64_t seed) {
    for (const int input : graph.inputs)
      inputs.push_back(random_numbers(value(graph, input), seed++));
    for (const int output : graph.outputs) outputs.push_back(zeros(value(graph, output)));
    for (Numbers& each : inputs) input_views.push_back(view_of(each));
    for (Numbers& each : outputs) output_views.push_back(view_of(each));
  }

 private:
  static const GraphValue& value(const Graph& graph, int at) {
    return graph.values[static_cast<std::size_t>(at)];
  }
  static Numbers random_numbers(const GraphValue& value, std::uint64_t seed) {
    Numbers numbers = zeros(value);
    const Elements view = view_of(numbers);
    Buffer random(view.size(), view.type());
    fill_random(random, seed);
    std::memcpy(view.data(), random.bytes().data(), random.size_bytes());
    return numbers;
  }
};

}  // namespace tileplan
