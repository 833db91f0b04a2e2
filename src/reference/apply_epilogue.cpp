// SPDX-License-Identifier: Apache-2.0
// Applies epilogues to the sums of the plain reference, one output after the other.
#include "apply_epilogue.h"

#include <algorithm>
#include <cmath>

#include "reader.h"

namespace tileplan {
namespace {

double at(const Values& values, std::size_t offset) {
  return std::visit([&](const auto all) { return static_cast<double>(all[offset]); }, values);
}

class EpilogueApplier {
 public:
  EpilogueApplier(const Computation& computation, const Epilogue& epilogue,
                  const EpilogueTensors& tensors)
      : access_(computation.tensor(Operand::output)),
        bias_(bias_layout(computation)),
        epilogue_(epilogue),
        tensors_(tensors) {}

  void apply(const OutputPoint& point, double& sum) {
    if (epilogue_.accumulate) sum += at(tensors_.start, point.offset);
    if (epilogue_.bias) sum += at(tensors_.bias, element_index(access_, bias_, point.iterators));
    if (epilogue_.add) sum += at(tensors_.residual, point.offset);
    largest_ = std::max(largest_, std::abs(sum));
    sum = std::clamp(sum, epilogue_.low, epilogue_.high);
  }

  double largest() const { return largest_; }

 private:
  const TensorAccess& access_;
  const TensorLayout bias_;
  const Epilogue& epilogue_;
  const EpilogueTensors& tensors_;
  double largest_ = 0;
};

}  // namespace

double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums) {
  EpilogueApplier applier(computation, epilogue, tensors);
  for (std::size_t i = 0; i < points.size(); ++i) applier.apply(points[i], sums[i]);
  return applier.largest();
}

double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums) {
  EpilogueApplier applier(computation, epilogue, tensors);
  const TensorAccess& access = computation.tensor(Operand::output);
  const std::vector<Dim> dims = output_dims(computation);
  OutputPoint point;
  do {
    point.offset = element_index(access, output, point.iterators);
    applier.apply(point, sums[point.offset]);
  } while (advance(computation, dims, point.iterators));
  return applier.largest();
}

}  // namespace tileplan
