// SPDX-License-Identifier: Apache-2.0
// This program plans a convolution, measures the best few schedules and runs the fastest.
#include <tileplan/tileplan.h>

#include <cstdio>
#include <vector>

int main() {
  const tileplan::Machine machine = tileplan::detect_machine();
  const tileplan::ConvShape shape = tileplan::parse_conv("mb1ic256ih14oc256oh14kh3ph1");
  const tileplan::Plan plan = tileplan::plan_conv(shape, machine, {.verify = 4});
  const tileplan::Kernel kernel = tileplan::compile(plan);

  const std::vector<float> oihw(kernel.weights_size(), 0.5F);
  const tileplan::Packed weights = kernel.pack_weights(oihw);
  const std::vector<float> input(kernel.input_size(), 1.0F);
  std::vector<float> output(kernel.output_size());
  kernel.run(input, weights, output);

  // The input is 1 and all weights are 0.5. An output in the middle sums 256 channels x 9 taps, and
  // an output in a corner sums 256 x 4, because five taps lie on padding.
  std::printf("%s\ncorner %g\n", tileplan::to_string(kernel.schedule()).c_str(), output[0]);
  return output[0] == 256 * 4 * 0.5F ? 0 : 1;
}
