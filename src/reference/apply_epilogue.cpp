// SPDX-License-Identifier: Apache-2.0
// This file applies the epilogue to one output after another, in double precision. Only integer
// sums that become outputs of other types than s32 are converted in f32, as in kernels.
#include "apply_epilogue.h"

#include <algorithm>
#include <cmath>

#include "activation.h"
#include "element.h"
#include "reader.h"

namespace tileplan {
namespace {

double at(const Values& values, std::size_t offset) {
  return std::visit([&](const auto all) { return static_cast<double>(all[offset]); }, values);
}

bool has_integer_sums(const Computation& computation) {
  return is_integer(computation.tensor(Operand::input).type);
}

struct EpilogueApplier {
  const Epilogue& epilogue;
  const EpilogueTensors& tensors;
  const TensorAccess& output;
  const TensorLayout bias;
  bool integers = false;  ///< Tells whether the sums are exact integers.
  const double alpha = factor(epilogue.alpha), beta = factor(epilogue.beta);
  double largest = 0;

  /// Returns the factor `value` (alpha or beta), rounded to f32 unless the output is f64.
  double factor(double value) const {
    return output.type == ElementType::f64 ? value : static_cast<float>(value);
  }

  void apply(const OutputPoint& point, double& sum) {
    const double before = epilogue.beta != 0 ? beta * at(tensors.start, point.offset) : 0;
    sum *= alpha;
    // Large terms may cancel, but their rounding errors remain, so the largest term counts.
    largest = std::max({largest, std::abs(sum), std::abs(before)});
    sum += before;
    const std::size_t channel = element_index(output, bias, point.iterators);
    if (epilogue.bias) sum += at(tensors.bias, channel);
    const double added = epilogue.add ? at(tensors.residual, point.offset) : 0;
    if (integers) {
      sum = of_integers(sum, added, channel);
    } else {
      sum += added;
      largest = std::max(largest, steepness(epilogue.activation) * std::abs(sum));
      sum = std::clamp(activated(epilogue.activation, sum), epilogue.low, epilogue.high);
    }
  }

  /// Returns the output for an integer sum, which wraps modulo 2^32. Outputs of all types but s32
  /// are computed in f32, as in kernels.
  double of_integers(double sum, double added, std::size_t channel) const {
    if (output.type == ElementType::s32)
      return std::clamp<double>(wrapped(sum + added), nearest<std::int32_t>(epilogue.low),
                                nearest<std::int32_t>(epilogue.high));
    const Requantisation& numbers = tensors.requantisation;
    float value = static_cast<float>(wrapped(sum)) * scale_of(channel);
    value += (static_cast<float>(added) - static_cast<float>(numbers.residual_zero_point)) *
             numbers.residual_scale;
    value = std::clamp(value, static_cast<float>(epilogue.low), static_cast<float>(epilogue.high));
    return with_element(output.type, [&](auto zero) -> double {
      using Output = decltype(zero);
      if constexpr (kIsReal<Output>)
        return static_cast<double>(nearest<Output>(value));
      else
        return nearest<Output>(std::nearbyint(double{value}) + numbers.zero_point);
    });
  }

  float scale_of(std::size_t channel) const {
    const ConstElements& scales = tensors.requantisation.scales;
    if (scales.empty()) return 1;
    return reinterpret_cast<const float*>(scales.data())[scales.size() == 1 ? 0 : channel];
  }
};

}  // namespace

double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums) {
  EpilogueApplier applier{epilogue, tensors, computation.tensor(Operand::output),
                          bias_layout(computation), has_integer_sums(computation)};
  for (std::size_t i = 0; i < points.size(); ++i) applier.apply(points[i], sums[i]);
  return applier.largest;
}

double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums) {
  const TensorAccess& access = computation.tensor(Operand::output);
  EpilogueApplier applier{epilogue, tensors, access, bias_layout(computation),
                          has_integer_sums(computation)};
  const std::vector<Dim> dims = output_dims(computation);
  OutputPoint point;
  do {
    point.offset = element_index(access, output, point.iterators);
    applier.apply(point, sums[point.offset]);
  } while (advance(computation, dims, point.iterators));
  return applier.largest;
}

}  // namespace tileplan
