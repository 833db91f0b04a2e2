// SPDX-License-Identifier: Apache-2.0
// This file compiles and runs every schedule of candidates.h, which `tileplan candidates --format
// halide` wrote, and compares the outputs with those of the unscheduled algorithm.
#include <cstdio>
#include <vector>

#include "candidates.h"

namespace {

using tileplan_candidates::Product;

/// Returns a tensor of small whole numbers, whose products have exact sums in any order.
Halide::Buffer<float> filled(const std::vector<int>& sizes, unsigned state) {
  Halide::Buffer<float> buffer(sizes);
  buffer.for_each_value([&](float& value) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 29) - 4);
  });
  return buffer;
}

/// Returns the output of the algorithm with `schedule`, or without a schedule if it is null.
Halide::Buffer<float> result_of(void (*schedule)(Product&)) {
  Product product;
  if (schedule) schedule(product);
  const auto sizes = Product::sizes();
  unsigned seed = 1;
  for (Halide::ImageParam* each : product.inputs()) {
    each->set(filled(sizes[seed - 1], seed));
    ++seed;
  }
  return product.Out.realize(sizes.back());
}

int differences(const Halide::Buffer<float>& a, const Halide::Buffer<float>& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.number_of_elements(); ++i)
    count += a.data()[i] != b.data()[i] ? 1 : 0;
  return count;
}

}  // namespace

int main() {
  const Halide::Buffer<float> expected = result_of(nullptr);
  int failures = 0, number = 0;
  for (const auto schedule : tileplan_candidates::schedules()) {
    const int wrong = differences(expected, result_of(schedule));
    std::printf("schedule %d: %d of %zu outputs differ\n", ++number, wrong,
                expected.number_of_elements());
    failures += wrong != 0 ? 1 : 0;
  }
  return failures == 0 ? 0 : 1;
}
