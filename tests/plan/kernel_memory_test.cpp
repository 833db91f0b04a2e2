// SPDX-License-Identifier: Apache-2.0
// This test compares the memory that plans and explanations report with sizes counted by hand and
// with those of compiled kernels.
#include "kernel_memory.h"

#include <doctest/doctest.h>

#include "tileplan/explain.h"

namespace tileplan {
namespace {

std::optional<KernelMemory> memory_of_one(const std::string& problem, const std::string& schedule,
                                          const char* machine = "xeon-gold-6130") {
  const Plan plan =
      plan_of(parse_problem(problem), load_machine(machine), parse_schedule(schedule));
  return memory_of(plan, 0, ComputationVariants(plan.problem));
}

constexpr const char* kLoops = "[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]";

}  // namespace

TEST_CASE("memory: packed weights are those of pack_weights()") {
  for (const char* problem : {"m64n64k32", "mb1ic7ih9oc20oh9kh3ph1", "--dt=u8:s8:s32 m32n48k30"}) {
    CAPTURE(problem);
    const Plan found = plan(parse_problem(problem), detect_machine(), {.top = 3});
    const ComputationVariants read(found.problem);
    for (std::size_t i = 0; i < found.candidates.size(); ++i) {
      const Kernel kernel = compile(found, i);
      const Packed packed =
          kernel.types().weights == ElementType::f32
              ? kernel.pack_weights(std::vector<float>(kernel.weights_size()))
              : kernel.pack_weights(std::vector<std::int8_t>(kernel.weights_size()));
      CHECK(memory_of(found, i, read)->packed_weights == packed.size_bytes());
    }
  }
}

TEST_CASE("memory: columns are filled up to whole vectors, and plain weights take none") {
  // The 60 columns of each of 32 rows are packed to 4 vectors of 16.
  CHECK(memory_of_one("m64n60k32", kLoops)->packed_weights == 4 * 32 * 64);
  CHECK(memory_of_one("m64n64k32", std::string(kLoops) + " weights=plain")->packed_weights == 0);
}

TEST_CASE("memory: each thread has its boxes, and a run has copies in other layouts") {
  CHECK(memory_of_one("m64n64k32", kLoops)->thread_scratch == 0);
  // Each step of the first loop packs 8 rows of 32 floats.
  const auto packed = memory_of_one("m64n64k32", std::string(kLoops) + " pack=in@0");
  CHECK(packed->thread_scratch == 4 * 8 * 32);
  CHECK(packed->run_scratch == 0);
  // The loops write an nhwc copy of 32 x 8 x 8 floats, and read single floats of nchw in place.
  const auto transposed =
      memory_of_one("mb1ic16ih8oc32oh8kh3ph1",
                    "[T(2,k), T(8,h), T(3,r), T(3,s), T(16,c), U(8,w), V(k)] in=nchw out=nchw");
  CHECK(transposed->thread_scratch == 0);
  CHECK(transposed->run_scratch == 4 * 32 * 8 * 8);
}

TEST_CASE("memory: it is not known where kernels are C, and where no kernel can be assembled") {
  CHECK_FALSE(memory_of_one("m64n16k32", "[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]", "thunderx2"));
  CHECK(memory_json(std::nullopt).is_null());
  CHECK(memory_text(std::nullopt).empty());
}

TEST_CASE("memory: texts of plans and explanations tell it") {
  const Problem problem = parse_problem("m64n64k32");
  const Machine machine = load_machine("xeon-gold-6130");
  const std::string text = "8.19 kB of packed weights, no scratch per thread\n";
  const Plan plan = plan_of(problem, machine, parse_schedule(kLoops));
  CHECK(to_text(plan).find("memory of rank 1: " + text) != std::string::npos);
  const Explanation explained = explain(problem, machine, parse_schedule(kLoops));
  CHECK(to_text(explained).find("\nmemory: " + text) != std::string::npos);
}

}  // namespace tileplan
