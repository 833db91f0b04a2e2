// SPDX-License-Identifier: Apache-2.0
// This test checks the texts for IREE, Inductor, XTC and ZigZag, and the DLTI description of a
// machine, with settings worked out by hand.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "close_to.h"
#include "example_lists.h"
#include "writers.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;

Computation computation_of_text(const std::string& problem) {
  return computation_of(parse_problem(problem));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string iree_text(const char* problem, const char* schedule) {
  return iree_module(parse_schedule(schedule), computation_of_text(problem), kLanes);
}

std::optional<std::string> iree_refusal(const char* problem, const char* schedule) {
  return why_no_iree(parse_schedule(schedule), computation_of_text(problem), kLanes);
}

std::optional<std::string> inductor_refusal(const char* problem, const char* schedule) {
  return why_no_inductor(parse_schedule(schedule), computation_of_text(problem), kLanes, 2);
}

}  // namespace

TEST_CASE("iree: each level of a product steps by the tile inside its loops") {
  const char* schedule =
      "[T(2,j), T(4,i), T(2,j), T(4,k), T(8,i), T(4,j), T(16,k), U(8,i), U(2,j), V(j)]";
  CHECK(iree_refusal("m256n512k64", schedule) == std::nullopt);
  const std::string text = iree_text("m256n512k64", schedule);
  CHECK(has(text,
            "<distribution = [256, 256, 0], cache_parallel = [64, 128, 0], cache_reduction = [0, "
            "0, 16], vector_common_parallel = [8, 32, 0], vector_reduction = [0, 0, 1]>"));
  CHECK(has(text, "#vectors = #iree_cpu.lowering_config<vector_reduction = [8, 32]>"));
  CHECK(has(text, "pipeline<DoubleTilingExpert>"));
  CHECK(has(text,
            "linalg.matmul {compilation_info = #info} ins(%in, %weights : "
            "tensor<256x64xf32>, tensor<64x512xf32>)"));
}

TEST_CASE("iree: only the level distribution has parallel loops, and it has no others then") {
  const char* schedule = "[P(4,i), T(16,j), T(8,i), T(64,k), U(8,i), U(2,j), V(j)]";
  CHECK(has(iree_text("m256n512k64", schedule),
            "distribution = [64, 512, 0], cache_parallel = "
            "[64, 32, 0]"));
  CHECK(iree_refusal("m256n512k64",
                     "[P(4,i), T(2,j), T(2,i), T(8,j), T(4,i), T(64,k), U(8,i), "
                     "U(2,j), V(j)]") == "an order of loops that the tiling levels lack");
}

TEST_CASE("iree: a convolution has an unknown number of images and rows of pixels") {
  const char* schedule = "[T(2,k), T(14,h), T(2,w), T(3,r), T(3,s), T(32,c), U(7,w), U(2,k), V(k)]";
  const std::string text = iree_text("mb1ic32ih14oc64oh14kh3ph1", schedule);
  CHECK(has(text,
            "<distribution = [1, 14, 14, 32, 0, 0, 0], vector_common_parallel = [1, 1, 7, 32, "
            "0, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 1, 1]>"));
  CHECK(has(text, "pipeline<ConvTileAndDecomposeExpert>"));
  CHECK(has(text, "%in: tensor<?x16x16x32xf32>"));
  CHECK(has(text, "strides = dense<[1, 1]> : tensor<2xi64>, compilation_info = #info"));
}

TEST_CASE("iree: what its pipelines cannot do is refused by name") {
  const char* conv = "mb1ic32ih14oc64oh14kh3ph1";
  CHECK(iree_refusal(conv, "[T(4,k), T(7,h), T(2,w), R(r), R(s), R(c), U(2,h), U(7,w), V(k)]") ==
        "a register tile of several rows of pixels");
  CHECK(iree_refusal(conv, "[T(4,k), T(14,h), T(2,w), R(r), T(32,c), U(3,s), U(7,w), V(k)]") ==
        "several filter taps in a register tile");
  CHECK(iree_refusal(conv, "[T(2,c), T(4,k), T(14,h), T(2,w), R(r), R(s), R(c), U(7,w), V(k)]") ==
        "an order of loops that the tiling levels lack");
  CHECK(iree_refusal(conv, "[T(4,k), L(h,[1*6,1*8]), T(14,w), R(r), R(s), R(c), U(h), V(k)]") ==
        "an uneven split");
  CHECK(iree_refusal("mb1ic32ih14oc64oh7kh1sh2", "[T(4,k), R(h), R(c), U(7,w), V(k)]") ==
        "a loop of one iteration, which IREE removes from the operation");
  CHECK(iree_refusal("m96n192k32", "[T(16,i), T(4,j), R(k), U(6,i), U(3,j), V(j)]") ==
        "a register tile whose width is no power of two");
  CHECK(iree_refusal("m96n192k32", "[T(16,i), T(6,j), R(k), U(6,i), U(2,j), V(j)]") ==
        std::nullopt);
  CHECK(iree_refusal("m1n64k32", "[R(k), U(4,j), V(j)]") ==
        "a loop of one iteration, which IREE removes from the operation");
  CHECK(iree_refusal("m61n60k61", "[R(k), R(i), R(j), V(j)]") == "a vector that is not full");
}

TEST_CASE("inductor: trips around the register tile are blocks") {
  const Schedule schedule =
      parse_schedule("[P(4,i), T(8,j), T(4,k), T(2,j), T(4,i), T(16,k), U(8,i), U(2,j), V(j)]");
  const Computation computation = computation_of_text("m128n512k64");
  CHECK(why_no_inductor(schedule, computation, kLanes, 2) == std::nullopt);
  const InductorBlocking blocking = inductor_blocking(schedule, computation, kLanes, 2);
  CHECK(blocking.register_tile == std::array<std::int64_t, 2>{8, 32});
  CHECK(blocking.cache_blocks == std::array<std::int64_t, 3>{4, 2, 16});
  CHECK(blocking.threads == std::array<std::int64_t, 3>{2, 1, 1});
}

TEST_CASE("inductor: other loops, tiles, threads and problems are refused by name") {
  CHECK(inductor_refusal("m96n512k64", "[T(16,j), T(8,i), T(64,k), U(12,i), U(2,j), V(j)]") ==
        "a register tile that Inductor does not choose");
  // Tiles of 8 x 48 divide 384 x 768. Inductor chooses them, because they are larger than tiles of
  // 8 x 32.
  CHECK(inductor_refusal("m384n768k64", "[T(48,i), T(24,j), T(64,k), U(8,i), U(2,j), V(j)]") ==
        "a register tile that Inductor does not choose");
  CHECK(inductor_refusal("m384n768k64", "[T(48,i), T(16,j), T(64,k), U(8,i), U(3,j), V(j)]") ==
        std::nullopt);
  CHECK(inductor_refusal("m96n512k64",
                         "[T(2,k), T(4,j), T(2,k), T(4,j), T(12,i), T(16,k), U(8,i), U(2,j), "
                         "V(j)]") == "an order of loops that the template lacks");
  const char* shared = "threads that share other than ranges of one loop";
  CHECK(inductor_refusal("m96n512k64",
                         "[P(2,i), P(16,j), T(6,i), T(64,k), U(8,i), U(2,j), V(j)]") == shared);
  CHECK(inductor_refusal("m72n512k64", "[P(9,i), T(16,j), T(64,k), U(8,i), U(2,j), V(j)]") ==
        shared);
  CHECK(inductor_refusal("mb1ic64ih28oc64oh28kh1", "[T(4,k), T(98,w), T(64,c), U(8,w), V(k)]") ==
        "a computation that is no matrix product");
}

TEST_CASE("inductor: each line of jsonl also has the register tile and the settings") {
  const WrittenCandidates written =
      write_candidates(list_of("m96n64k200", 20), CandidateFormat::inductor);
  CHECK(written.count > 0);
  const nlohmann::json line =
      nlohmann::json::parse(written.text.substr(0, written.text.find('\n')));
  CHECK(line.at("problem") == "m96n64k200");
  CHECK(line.at("register_tile").size() == 2);
  CHECK(line.at("settings").contains("cpp.gemm_cache_blocking"));
  CHECK(line.at("settings").at("cpp.gemm_thread_factors") == "1, 1, 1");
}

TEST_CASE("xtc: loops are atoms, innermost first, with the letters of the papers") {
  const Schedule schedule =
      parse_schedule("[P(2,k), T(4,h), T(3,r), T(64,c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  const Computation computation = computation_of_text("mb1ic64ih4oc64oh4kh3ph1iw14ow14kw1pw0");
  CHECK(why_no_xtc(schedule, computation, kLanes) == std::nullopt);
  CHECK(to_xtc(schedule, computation.problem, kLanes) ==
        "[V(f,16); U(f,2); U(x,14); T(c,64); T(h,3); T(y,4); Tparal(f,2)]");
  CHECK(why_no_xtc(parse_schedule("[L(i,[1*3,1*4]), R(k), U(i), V(j)]"),
                   computation_of_text("m7n16k8"), kLanes) == "an uneven split");
  CHECK(why_no_xtc(parse_schedule("[T(4,k), R(h), R(r), R(s), R(c), U(7,w), V(k)]"),
                   computation_of_text("mb1ic32ih14oc64oh7kh3sh2ph1"),
                   kLanes) == "strides and dilations");
}

TEST_CASE("zigzag: the mapping has the loops, innermost first, and the array has the vector") {
  const CandidateList list{.problem = parse_problem("mb1ic8ih20oc32oh10kh3sh2ph1"),
                           .machine = load_machine("xeon-gold-6130")};
  const Computation computation = computation_of(list.problem);
  const Candidate candidate{
      .schedule = parse_schedule("[T(2,k), T(10,h), T(3,r), T(3,s), T(8,c), U(10,w), V(k)]")};
  CHECK(why_no_zigzag(candidate.schedule, computation, kLanes) == std::nullopt);
  const nlohmann::json line = nlohmann::json::parse(zigzag_line(candidate, list, computation));
  const nlohmann::json& layer = line.at("workload").at(0);
  CHECK(layer.at("equation") == "O[n][g][k][h][w]+=I[n][g][c][x0][x1]*W[g][k][c][r][s]");
  CHECK(layer.at("dimension_relations") == nlohmann::json{"x0=2*h+1*r", "x1=2*w+1*s"});
  const nlohmann::json& mapping = line.at("mapping").at(0);
  CHECK(mapping.at("spatial_mapping").at("D1").at(0) == "K, 16");
  CHECK(mapping.at("temporal_ordering").dump() ==
        R"([["W",10],["C",8],["S",3],["R",3],["H",10],["K",2]])");
  CHECK(line.at("cycles_per_second") ==
        close_to(list.machine.clock.hertz * list.machine.vector.fma_units));
  CHECK(why_no_zigzag(parse_schedule("[P(2,k), R(h), R(r), R(s), R(c), U(10,w), V(k)]"),
                      computation, kLanes) == "a parallel loop");
}

TEST_CASE("formats: IREE, Inductor and XTC take f32 only") {
  const CandidateList list = list_of("--dt=f64 m48n64k32", 5);
  for (const CandidateFormat format :
       {CandidateFormat::iree, CandidateFormat::inductor, CandidateFormat::xtc})
    CHECK(write_candidates(list, format).skipped.at("tensors of f64") == 5);
}

TEST_CASE("dlti: a machine is described by its caches and its vectors") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.caches.resize(2);
  machine.caches[0].capacity_bytes = 32768;
  machine.caches[1].capacity_bytes = 1048576;
  const std::string system = dlti_system(machine);
  CHECK(system ==
        "#dlti.target_system_spec<\"CPU\": #dlti.target_device_spec<"
        "#dlti.dl_entry<\"L1_cache_size_in_bytes\", 32768 : i64>, "
        "#dlti.dl_entry<\"L2_cache_size_in_bytes\", 1048576 : i64>, "
        "#dlti.dl_entry<\"max_vector_op_width\", 512 : i64>>>");
  const std::string module = mlir_module(parse_schedule("[T(4,i), T(8,k), U(2,j), V(j)]"),
                                         computation_of_text("m4n32k8"), machine);
  CHECK(has(module, "dlti.target_system_spec = " + system));
}
