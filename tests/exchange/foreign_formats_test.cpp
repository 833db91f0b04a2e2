// SPDX-License-Identifier: Apache-2.0
// This test checks the texts of candidates for other compilers, and the nested loops from which
// some are made. The programs in tests/clients compile these texts.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "example_lists.h"
#include "linalg_operation.h"
#include "split_loops.h"
#include "writers.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;

Computation computation_of_text(const std::string& problem) {
  return computation_of(parse_problem(problem));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int total(const WrittenCandidates& written) {
  int sum = written.count;
  for (const auto& [reason, skipped] : written.skipped) sum += skipped;
  return sum;
}

}  // namespace

TEST_CASE("split loops: have trips and steps, outermost first; one trip is no loop") {
  const Schedule schedule = parse_schedule("[T(1,i), R(k), T(2,j), U(48,i), U(2,j), V(j)]");
  const Computation computation = computation_of_text("m48n64k5");
  const std::vector<SplitLoop> loops = split_loops(schedule, computation, kLanes);
  CHECK(loops == std::vector<SplitLoop>{{Kind::tile, "k", 5, 1},
                                        {Kind::tile, "j", 2, 32},
                                        {Kind::unroll, "i", 48, 1},
                                        {Kind::unroll, "j", 2, 16},
                                        {Kind::vector, "j", 16, 1}});
  CHECK(why_no_splits(parse_schedule("[L(i,[1*3,1*4]), U(i), V(j)]"), computation) ==
        "an uneven split");
}

TEST_CASE("split loops: indices have channels last, padding counted as physically there") {
  const Computation computation = computation_of_text("mb1ic3ih20oc8oh10kh5sh2ph2");
  using Texts = std::vector<std::string>;
  CHECK(index_texts(computation, computation.tensors[0]) ==
        Texts{"n", "g", "2*h + r", "2*w + s", "c"});
  CHECK(index_texts(computation, computation.tensors[2]) == Texts{"n", "g", "h", "w", "k"});
  CHECK(index_extents(computation, computation.tensors[0]) ==
        std::vector<std::int64_t>{1, 1, 23, 23, 3});
}

TEST_CASE("split loops: indices of relations stay in the order in which they were written") {
  const Computation turned = computation_of_text(
      "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 32 and 0 <= k < 8 } "
      "reads { S[i,j,k] -> A[k,i]; S[i,j,k] -> B[j,k] } writes { S[i,j,k] -> C[i,j] }");
  using Texts = std::vector<std::string>;
  CHECK(index_texts(turned, turned.tensors[0]) == Texts{"k", "i"});
  CHECK(index_texts(turned, turned.tensors[1]) == Texts{"j", "k"});
}

TEST_CASE("mlir: relations that are no plain matrix products are refused") {
  const std::string domain = "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 32 and 0 <= k < 8 } reads { ";
  const auto why = [&](const std::string& left, const std::string& right) {
    return why_no_linalg(
        parse_schedule("[T(4,i), T(8,k), U(2,j), V(j)]"),
        computation_of_text(domain + "S[i,j,k] -> A[" + left + "]; S[i,j,k] -> B[" + right +
                            "] } writes { S[i,j,k] -> C[i,j] }"),
        kLanes);
  };
  const auto refused = "indices that are not those of a plain matrix product";
  CHECK(why("i,k", "k,j") == std::nullopt);
  CHECK(why("k,i", "k,j") == refused);
  CHECK(why("i,k", "j,k") == refused);
  CHECK(why("i+k", "k,j") == refused);
  CHECK(why("2i+3k", "k,j") == refused);
  CHECK(why("i-1,k", "k,j") == refused);
}

TEST_CASE("formats: what a format cannot say gives way to what it can") {
  const Machine machine = load_machine("xeon-gold-6130");
  for (const CandidateFormat format : {CandidateFormat::ttile, CandidateFormat::mlir,
                                       CandidateFormat::halide, CandidateFormat::metaschedule}) {
    const CandidateList list =
        candidates(parse_problem("resnet18-9"), machine, {.top = 50}, format);
    CHECK(list.candidates.size() == 50);
    CHECK(!list.refused.empty());
    // The count may be below 50, because candidates that differ only in layout have the same text.
    CHECK(write_candidates(list, format).count >= 40);
  }
  // Only 1 and 61 divide the prime number of rows, so schedules split the rows into blocks of two
  // sizes, which the format cannot express.
  const CandidateList none =
      candidates(parse_problem("m61n976k61"), machine, {.top = 5}, CandidateFormat::halide);
  CHECK(none.refused.empty());
  CHECK(write_candidates(none, CandidateFormat::halide).skipped.contains("an uneven split"));
}

TEST_CASE("formats: every candidate is written, or skipped and counted") {
  for (const char* problem : {"resnet18-9", "resnet18-3", "m96n64k200"}) {
    const CandidateList list = list_of(problem, 60);
    const auto candidates = static_cast<int>(list.candidates.size());
    for (const CandidateFormat format :
         {CandidateFormat::mlir, CandidateFormat::halide, CandidateFormat::metaschedule}) {
      const WrittenCandidates written = write_candidates(list, format);
      CAPTURE(problem);
      CHECK(total(written) == candidates);
      CHECK(written.count > 0);
    }
  }
}

TEST_CASE("mlir: each loop is a tiling, a lambda a split, a parallel loop a forall") {
  const Computation computation = computation_of_text("mb1ic8ih14oc32oh14kh3ph1");
  const std::string text = mlir_module(
      parse_schedule("[P(2,k), L(h,[1*8,2*3]), T(14,w), R(r), R(s), R(c), U(h), V(k)] in=nhwc "
                     "out=nhwc"),
      computation, load_machine("xeon-gold-6130"));
  CHECK(has(text, "tensor<1x16x16x8xf32>, %weights: tensor<3x3x8x32xf32>"));
  CHECK(count(text, "tile_using_forall %op tile_sizes [0, 0, 0, 16, 0, 0, 0]") == 1);
  CHECK(count(text, " after 8 {dimension = 1}") == 1);
  CHECK(count(text, "tile_sizes [0, 3, 0, 0, 0, 0, 0]") == 1);
  CHECK(count(text, "transform.loop.unroll") == 2);
  CHECK(has(text, "{factor = 8}"));
  CHECK(has(text, "{factor = 3}"));
}

TEST_CASE("mlir: merged pixels are rows of a product; what linalg has no name for is skipped") {
  const WrittenCandidates merged =
      write_candidates(list_of("resnet18-3", 5), CandidateFormat::mlir);
  CHECK(has(merged.text,
            "linalg.matmul ins(%in, %weights : tensor<3136x64xf32>, "
            "tensor<64x64xf32>)"));
  CHECK(count(merged.text, "// -----\n") + 1 == static_cast<std::size_t>(merged.count));
  CHECK(merged.text.starts_with("// rank 1\n// mb1"));
  for (int rank = 2; rank <= merged.count; ++rank)
    CHECK(count(merged.text, "// -----\n// rank " + std::to_string(rank) + "\n// mb1") == 1);
  const Schedule schedule = parse_schedule("[T(8,i), T(8,k), U(2,j), V(j)]");
  const auto why = [&](const char* problem) {
    return why_no_linalg(schedule, computation_of_text(problem), kLanes);
  };
  CHECK(why("g4mb1ic64ih9oc64oh9kh3ph1").has_value());
  for (const char* sliding : {"mb1ic1id34ih1oc64od32oh1kd3kh1", "mb1ic16id9ih1oc64od5oh1kd1kh1sd2",
                              "mb1ic1id5ih1oc64od1oh1kd3kh1dd1dh0"})
    CHECK(why(sliding) == "indices that are not those of a plain matrix product");
  CHECK(why("b4m8n16k8") == "groups and batches of products");
  CHECK(why("m8n24k8") == "a vector that is not full");
}

TEST_CASE("halide: the header has the algorithm once and a function per schedule") {
  const std::string text =
      halide_header({parse_schedule("[T(2,j), T(4,i), R(k), T(3,i), U(2,j), V(j)]")},
                    computation_of_text("m12n64k5"), kLanes);
  CHECK(has(text, "Out(j, i) += A(k, i) * B(j, k);"));
  CHECK(has(text, "{{5, 12}, {64, 5}, {64, 12}}"));
  CHECK(has(text, ".split(p.j, j_0, j_0_in, 32, "));
  CHECK(has(text, ".split(j_0_in, j_1, j_2, 16, "));
  CHECK(has(text, ".split(p.i, i_0, i_1, 3, "));
  CHECK(has(text, ".reorder({j_2, j_1, i_1, p.k, i_0, j_0})"));
  CHECK(has(text, ".unroll(j_1)\n      .vectorize(j_2);"));
  CHECK(has(text, "return {schedule_1};"));
}

TEST_CASE("metaschedule: each line of jsonl also has the loops and what they compute") {
  const WrittenCandidates written =
      write_candidates(list_of("mb1ic16ih12oc32oh12kh3ph1", 20), CandidateFormat::metaschedule);
  std::istringstream lines(written.text);
  int read = 0;
  for (std::string line; std::getline(lines, line); ++read) {
    const nlohmann::json document = nlohmann::json::parse(line);
    std::map<std::string, std::int64_t> covered;
    // The step of a loop is the number of indices that the loops over its dimension inside it
    // cover.
    const nlohmann::json& loops = document.at("loops");
    for (std::size_t i = loops.size(); i-- > 0;) {
      std::int64_t& inside = covered.try_emplace(loops[i].at("dim"), 1).first->second;
      CHECK(loops[i].at("step") == inside);
      inside *= loops[i].at("trips").get<std::int64_t>();
    }
    for (const auto& [dim, extent] : document.at("computation").at("dims").items())
      CHECK((extent == 1 || covered.at(dim) == extent));
    CHECK(document.at("loops").back().at("kind") == "vector");
    CHECK(document.contains("predicted_s"));
  }
  CHECK(read == written.count);
}

TEST_CASE("formats: doubles are named where the format has them, and a reason where it has not") {
  const CandidateList list = list_of("--dt=f64 m48n64k32", 5);
  const std::string mlir = write_candidates(list, CandidateFormat::mlir).text;
  CHECK(has(mlir, "tensor<48x64xf64>"));
  CHECK_FALSE(has(mlir, "f32"));
  const std::string halide = write_candidates(list, CandidateFormat::halide).text;
  CHECK(count(halide, "Halide::Float(64)") == 2);
  CHECK_FALSE(has(halide, "Float(32)"));
  const WrittenCandidates replayed = write_candidates(list, CandidateFormat::metaschedule);
  CHECK(replayed.text.empty());
  CHECK(replayed.skipped.at("tensors of f64") == 5);
}
