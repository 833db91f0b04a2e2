// SPDX-License-Identifier: Apache-2.0
// This program uses the installed library. It runs a convolution with known outputs, and catches an
// Error.
#include <tileplan/tileplan.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

bool catches_error() {
  try {
    tileplan::parse_conv("mb1ic64ih0oc64kh3ph1");
  } catch (const tileplan::Error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const tileplan::Machine machine = tileplan::detect_machine();
  const tileplan::ConvShape shape = tileplan::parse_conv("mb1ic40ih14oc72oh12kh3ph0");
  const tileplan::Plan plan =
      tileplan::plan_conv(shape, machine, {.verify = 2, .layout = tileplan::LayoutChoice::nhwc});
  const tileplan::Kernel kernel = tileplan::compile(plan);
  const tileplan::Packed weights =
      kernel.pack_weights(std::vector<float>(kernel.weights_size(), 0.5F));
  const std::vector<float> input(kernel.input_size(), 1.0F);
  std::vector<float> output(kernel.output_size());
  kernel.run(input, weights, output);
  // Each output is the sum over 40 channels and 3 x 3 taps of the input 1 times the weight 0.5.
  constexpr float kExpected = 40 * 3 * 3 * 0.5F;
  const auto wrong = output.size() - std::count(output.begin(), output.end(), kExpected);
  std::printf("%s\n%zu wrong outputs\n", to_string(kernel.schedule()).c_str(), wrong);
  return wrong == 0 && catches_error() ? 0 : 1;
}
