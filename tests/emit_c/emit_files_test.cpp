// SPDX-License-Identifier: Apache-2.0
// This test checks that the emitted header can be included, and that C for NEON, cross-compiled and
// emulated, equals the definition of a convolution.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "element.h"
#include "emitted_code.h"
#include "target.h"

using namespace tileplan;
using namespace tileplan::test::emitted;
using test::Random;

namespace {

template <class Number>
void write_numbers(const std::string& path, const std::vector<Number>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Number)));
}

/// Returns a main function in C that reads the operands from files, packs the weights, runs the
/// emitted code and writes the output to a file.
template <class Number>
std::string driver(const RunOf<Number>& run) {
  const std::string number = element_type<Number>() == ElementType::f64 ? "double" : "float";
  const auto array = [&](const char* name, const std::vector<Number>& values) {
    return "static " + number + " " + name + "[" + std::to_string(values.size()) + "];\n";
  };
  return "#include <stdio.h>\ntypedef " + number + " number;\n" + array("in", run.input) +
         array("ker", run.weights) + array("packed", run.packed) + array("bias", run.bias) +
         array("res", run.residual) + array("out", run.output) + R"(
static int transfer(const char *path, const char *mode, number *values, size_t count) {
  FILE *file = fopen(path, mode);
  if (!file) return 1;
  const size_t done = mode[0] == 'r' ? fread(values, sizeof *values, count, file)
                                     : fwrite(values, sizeof *values, count, file);
  return fclose(file) != 0 || done != count;
}
#define COUNT(values) (sizeof(values) / sizeof *(values))
int main(int count, char **paths) {
  if (count != 7 || transfer(paths[1], "rb", in, COUNT(in)) ||
      transfer(paths[2], "rb", ker, COUNT(ker)) || transfer(paths[3], "rb", bias, COUNT(bias)) ||
      transfer(paths[4], "rb", res, COUNT(res)) || transfer(paths[5], "rb", out, COUNT(out)))
    return 1;
  tileplan_pack(ker, packed);
  tileplan_run(in, packed, bias, res, out);
  return transfer(paths[6], "wb", out, COUNT(out));
}
)";
}

/// Compiles `text` for AArch64, and runs it with the operands of `run` on an emulated processor.
/// The results replace `run.output`.
template <class Number>
void run_emulated(const TemporaryFolder& folder, const std::string& text, RunOf<Number>& run) {
  const std::string program = folder / "neon";
  const std::string source = folder.write("neon.c", text + driver(run));
  REQUIRE(std::system(("aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -Werror -static " +
                       source + " -o " + program)
                          .c_str()) == 0);
  std::string command = "qemu-aarch64 " + program;
  int number = 0;
  for (const auto* values : {&run.input, &run.weights, &run.bias, &run.residual, &run.start}) {
    const std::string path = folder / std::to_string(number++);
    write_numbers(path, *values);
    command += " " + path;
  }
  REQUIRE(std::system((command + " " + (folder / "out")).c_str()) == 0);
  const std::string bytes = content_of(folder / "out");
  REQUIRE(bytes.size() == run.output.size() * sizeof(Number));
  std::memcpy(run.output.data(), bytes.data(), bytes.size());
}

/// Checks the emulated C for NEON of a random convolution with a bias, a residual, limits and an
/// output that is accumulated.
template <class Number>
void check_emulated(const TemporaryFolder& folder, unsigned seed) {
  const Epilogue epilogue{.low = -1, .high = 4, .beta = 1, .bias = true, .add = true};
  Random random(seed);
  ConvShape shape = random_shape(random);
  shape.types = element_type<Number>();
  Schedule schedule = random_schedule(random, shape, lanes_of(Target::neon, shape.types.output));
  schedule.in = seed % 2 == 0 ? Layout::nhwc : Layout::nchw;
  schedule.out = seed % 3 == 0 ? Layout::nchw : Layout::nhwc;
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  const Computation computation = computation_of(shape);
  const std::string text =
      emit_c(computation.problem, schedule, {.target = Target::neon, .epilogue = epilogue}).source;
  RunOf<Number> run =
      random_run<Number>(random, computation, schedule, epilogue, packed_floats(text));
  run_emulated(folder, text, run);
  CHECK(error_of(shape, computation, schedule, run) <= 1.0);
}

}  // namespace

TEST_CASE("NEON C, cross-compiled and emulated, equals the definition") {
  if (!test::can_emulate_neon()) return;
  const TemporaryFolder folder;
  for (unsigned seed = 401; seed <= 406; ++seed) check_emulated<float>(folder, seed);
  for (unsigned seed = 407; seed <= 410; ++seed) check_emulated<double>(folder, seed);
}

TEST_CASE("the header serves C and C++, and agrees with the C") {
  const TemporaryFolder folder;
  const EmittedC emitted =
      emit_c(parse_problem("mb1ic4ih8oc8oh8kh1ph0"),
             parse_schedule("[T(8,h), T(8,w), T(4,c), V(k)] in=nhwc out=nhwc"),
             {.target = Target::avx2, .name = "layer", .epilogue = {.bias = true}});
  folder.write("layer.h", emitted.header);
  const std::string call =
      "#include \"layer.h\"\n"
      "void call(const float *in, const float *bias, float *packed, float *out);\n"
      "void call(const float *in, const float *bias, float *packed, float *out) {\n"
      "  if (layer_packed_floats == 32) layer_run(in, packed, bias, out);\n}\n";
  const std::string flags = " -O1 -Wall -Wextra -Werror -c -o " + (folder / "call.o") + " ";
  for (const std::string& compiler : compilers()) {
    CHECK(std::system((compiler + flags + folder.write("call.cpp", call)).c_str()) == 0);
    CHECK(std::system((compiler + flags + folder.write("call.c", call + emitted.source)).c_str()) ==
          0);
  }
}
