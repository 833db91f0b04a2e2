// SPDX-License-Identifier: Apache-2.0
// This test compares networks in scalar C and in C for NEON with plain loops. It also checks that
// wrong weights are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "emitted_network.h"
#include "plain_graph.h"
#include "small_networks.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

NetworkPlan planned(const Graph& graph, Target target, Algorithm algorithm = Algorithm::direct) {
  return plan_network(graph, machine_for(detect_machine(), target),
                      {.plan = {.top = 1, .algorithm = algorithm}});
}

/// Returns the largest difference of the outputs from those of plain loops, relative to the largest
/// number of each output, or infinity if a difference is NaN.
double difference(const Graph& graph, const NetworkTensors& got) {
  const auto numbers = run_plain(graph, got.inputs);
  double largest = 0;
  for (std::size_t i = 0; i < got.outputs.size(); ++i) {
    const auto& plain =
        std::get<std::vector<float>>(*numbers[static_cast<std::size_t>(graph.outputs[i])]);
    const auto& values = std::get<std::vector<float>>(got.outputs[i]);
    double error = 0, scale = 1e-30;
    for (std::size_t k = 0; k < plain.size(); ++k) {
      error = std::max(error, static_cast<double>(std::abs(plain[k] - values[k])));
      if (!(std::abs(plain[k] - values[k]) >= 0)) return INFINITY;
      scale = std::max(scale, static_cast<double>(std::abs(plain[k])));
    }
    largest = std::max(largest, error / scale);
  }
  return largest;
}

void check_close(const Graph& graph, Target target, const std::string& compiler,
                 const std::string& runner, Algorithm algorithm = Algorithm::direct) {
  CAPTURE(graph.name);
  const NetworkPlan plan = planned(graph, target, algorithm);
  const EmittedNetwork emitted = emit_network(plan, target, "net");
  const EmittedProgram program(emitted, *plan.rewritten, compiler);
  NetworkTensors got(*plan.rewritten, 5);
  REQUIRE(program.run(got, runner) == 0);
  CHECK(difference(*plan.rewritten, got) < 1e-5);
}

}  // namespace

TEST_CASE("emitted networks: scalar C equals plain loops") {
  check_close(residual_block(), Target::scalar, "cc -O1", "");
  check_close(operator_network(), Target::scalar, "cc -O1", "");
  check_close(product_network(), Target::scalar, "cc -O1", "");
}

TEST_CASE("emitted networks: C for NEON, cross-compiled and emulated, equals plain loops") {
  if (!can_emulate_neon()) return;
  const std::string compiler = "aarch64-linux-gnu-gcc -O2 -static";
  check_close(residual_block(), Target::neon, compiler, "qemu-aarch64");
  check_close(residual_block(), Target::neon, compiler, "qemu-aarch64", Algorithm::winograd);
  check_close(operator_network(), Target::neon, compiler, "qemu-aarch64");
  check_close(activation_network(), Target::neon, compiler, "qemu-aarch64");
}

TEST_CASE("emitted networks: another compiler, and C++ that includes the header") {
  const NetworkPlan plan = planned(residual_block(), Target::scalar);
  const EmittedNetwork emitted = emit_network(plan, Target::scalar, "net");
  const std::string clang = is_installed("clang-14") ? "clang-14" : "clang";
  if (is_installed(clang)) check_close(operator_network(), Target::scalar, clang + " -O1", "");
  const TemporaryFolder folder;
  folder.write("net.h", content_of_file(emitted, "net.h"));
  const std::string use =
      folder.write("use.cpp",
                   "#include \"net.h\"\nvoid call(const float *in, float *out, void *memory) {\n"
                   "  net_run(net_load(\"net.weights\"), in, out, memory);\n}\n");
  CHECK(std::system(
            ("c++ -Wall -Wextra -Werror -c -o " + (folder / "use.o") + " " + use).c_str()) == 0);
}

TEST_CASE("emitted networks: weights that are cut, too long or of other code are refused") {
  const NetworkPlan plan = planned(branch_network(), Target::scalar);
  const EmittedNetwork emitted = emit_network(plan, Target::scalar, "net");
  const EmittedProgram program(emitted, *plan.rewritten, "cc -O1");
  NetworkTensors tensors(*plan.rewritten, 5);
  const std::string weights = content_of_file(emitted, "net.weights");
  constexpr int kRefused = 4 << 8;  // The program exits with 4 if net_load() returns null.
  const auto status = [&](const std::string& content) {
    program.folder().write("net.weights", content);
    return program.run(tensors);
  };
  CHECK(status(weights) == 0);
  CHECK(status(weights.substr(0, weights.size() - 1)) == kRefused);
  CHECK(status(weights + "x") == kRefused);
  CHECK(status("") == kRefused);
  const NetworkPlan other = planned(residual_block(), Target::scalar);
  CHECK(status(content_of_file(emit_network(other, Target::scalar, "net"), "net.weights")) ==
        kRefused);
  std::string changed = weights;
  // The changed digit is part of the hash of the code and the weights.
  changed[20] = changed[20] == 'a' ? 'b' : 'a';
  CHECK(status(changed) == kRefused);
}
