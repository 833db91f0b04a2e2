// SPDX-License-Identifier: Apache-2.0
// Plans, compiles and runs a convolution through the installed headers, and compares every output
// with plain loops.
#include <tileplan/tileplan.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kChannels = 40, kOutputs = 72, kSize = 14, kTaps = 3;

// Input nhwc, weights oihw, output nhwc; stride 1, one row of zeros on each side.
double expected_output(const std::vector<float>& input, const std::vector<float>& weights, int k,
                       int y, int x) {
  double sum = 0;
  for (int c = 0; c < kChannels; ++c)
    for (int r = 0; r < kTaps; ++r)
      for (int s = 0; s < kTaps; ++s) {
        const int row = y + r - 1, column = x + s - 1;
        if (row < 0 || row >= kSize || column < 0 || column >= kSize) continue;
        sum += double{input[(row * kSize + column) * kChannels + c]} *
               double{weights[((k * kChannels + c) * kTaps + r) * kTaps + s]};
      }
  return sum;
}

// Small multiples of 1/8: every product and sum is exact in f32, so the comparison needs no
// tolerance.
std::vector<float> eighths(std::size_t size, std::size_t step) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i * step % 17) / 8 - 1;
  return values;
}

bool wrong_input_is_an_error() {
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
  const tileplan::ConvShape shape = tileplan::parse_conv("mb1ic40ih14oc72oh14kh3ph1");
  const tileplan::Plan plan =
      tileplan::plan_conv(shape, machine, {.verify = 2, .layout = tileplan::LayoutChoice::nhwc});
  const tileplan::Kernel kernel = tileplan::compile(plan);
  const std::vector<float> input = eighths(kernel.input_size(), 5);
  const std::vector<float> weights = eighths(kernel.weights_size(), 7);
  std::vector<float> output(kernel.output_size(), NAN);
  const tileplan::Packed packed = kernel.pack_weights(weights);
  kernel.run(input, packed, output);

  int wrong = output.size() == std::size_t{kSize * kSize * kOutputs} ? 0 : 1;
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x)
      for (int k = 0; k < kOutputs; ++k)
        if (output[(y * kSize + x) * kOutputs + k] != expected_output(input, weights, k, y, x))
          ++wrong;
  std::printf("%s\n%d wrong outputs\n", to_string(kernel.schedule()).c_str(), wrong);
  return wrong == 0 && wrong_input_is_an_error() ? 0 : 1;
}
