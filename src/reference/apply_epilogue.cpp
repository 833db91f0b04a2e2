// SPDX-License-Identifier: Apache-2.0
// Applies the epilogue in double precision to one output after the other.
#include "apply_epilogue.h"

#include <algorithm>
#include <cmath>

#include "reader.h"

namespace tileplan {
namespace {

double at(const Values& values, std::size_t offset) {
  return std::visit([&](const auto all) { return static_cast<double>(all[offset]); }, values);
}

struct EpilogueApplier {
  const Epilogue& epilogue;
  const EpilogueTensors& tensors;
  const TensorAccess& output;
  const TensorLayout bias;
  double largest = 0;

  void apply(const OutputPoint& point, double& sum) {
    if (epilogue.accumulate) sum += at(tensors.start, point.offset);
    if (epilogue.bias) sum += at(tensors.bias, element_index(output, bias, point.iterators));
    if (epilogue.add) sum += at(tensors.residual, point.offset);
    largest = std::max(largest, std::abs(sum));
    sum = std::clamp(sum, epilogue.low, epilogue.high);
  }
};

}  // namespace

double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums) {
  EpilogueApplier applier{epilogue, tensors, computation.tensor(Operand::output),
                          bias_layout(computation)};
  for (std::size_t i = 0; i < points.size(); ++i) applier.apply(points[i], sums[i]);
  return applier.largest;
}

double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums) {
  const TensorAccess& access = computation.tensor(Operand::output);
  EpilogueApplier applier{epilogue, tensors, access, bias_layout(computation)};
  const std::vector<Dim> dims = output_dims(computation);
  OutputPoint point;
  do {
    point.offset = element_index(access, output, point.iterators);
    applier.apply(point, sums[point.offset]);
  } while (advance(computation, dims, point.iterators));
  return applier.largest;
}

}  // namespace tileplan
