// SPDX-License-Identifier: Apache-2.0
// This test plans random products, emits them as C, compiles the C with sanitizers, and compares
// its outputs with plain loops. The usage is emit_products_test [SEEDS [FIRST]].
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "emitted_program.h"
#include "random_product_plan.h"
#include "target.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

long seeds = 12, first = 1;

/// Returns the target of the instruction set of `machine`.
Target target_of(const Machine& machine) {
  for (const Target target : {Target::avx2, Target::avx512, Target::avx512vl, Target::neon})
    if (isa_of(target) == machine.vector.isa) return target;
  return Target::scalar;
}

/// Returns the command of a compiler whose programs stop at the first error of memory or of
/// undefined behaviour.
std::string sanitizing_compiler(const Machine& machine) {
  std::string command = "gcc -fopenmp -fsanitize=address,undefined -fno-sanitize-recover=all";
  if (machine.vector.isa == Isa::avx512 && machine.vector.dots.integers)
    command += " -mavx512vnni -mavx512vl";
  if (machine.vector.isa == Isa::avx512 && machine.vector.dots.bf16) command += " -mavx512bf16";
  return command;
}

void check_seed(const TemporaryFolder& folder, const Machine& machine, unsigned seed) {
  CAPTURE(seed);
  Random random(seed);
  const Plan drawn = random_product_plan(random, seed, machine);
  const std::string what = description(drawn);
  CAPTURE(what);
  const EmittedC emitted = emit_c(drawn.problem, drawn.candidates.front().schedule,
                                  {.target = target_of(machine),
                                   .epilogue = drawn.options.epilogue,
                                   .dots = machine.vector.dots});
  Tensors tensors(drawn.problem, seed);
  check_program(folder, {.compiler = sanitizing_compiler(machine)}, emitted.source,
                emitted.schedule, drawn.options.epilogue, tensors);
}

}  // namespace

TEST_CASE("emitted C of random products equals plain loops and passes sanitizers") {
  const TemporaryFolder folder;
  const Machine machine = detect_machine();
  for (long seed = first; seed < first + seeds; ++seed)
    check_seed(folder, machine, static_cast<unsigned>(seed));
}

int main(int count, char** arguments) {
  if (count > 1) seeds = std::strtol(arguments[1], nullptr, 10);
  if (count > 2) first = std::strtol(arguments[2], nullptr, 10);
  return doctest::Context().run();
}
