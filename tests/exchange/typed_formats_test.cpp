// SPDX-License-Identifier: Apache-2.0
// This test lists candidates of each combination of element types except f32 and f64, or of every
// third one with AddressSanitizer or ThreadSanitizer. It checks which formats can express the
// types. The other formats must skip all candidates for a reason that names the types. The test
// also checks how loops over strips become loops over elements.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "element_loops.h"
#include "example_lists.h"
#include "random_types.h"
#include "workload.h"

using namespace tileplan;

namespace {

Machine machine_with_dots() {
  Machine machine = load_machine("xeon-gold-6130");
  machine.vector.dots = {.integers = true, .bf16 = true};
  if (machine.narrow) machine.narrow->vector.dots = machine.vector.dots;
  return machine;
}

/// Returns the candidates of a problem. Each list is made once, because several tests use it.
const CandidateList& typed_list(const std::string& types, const std::string& shape) {
  static std::map<std::string, CandidateList> lists;
  CandidateList& list = lists[types + " " + shape];
  if (list.candidates.empty())
    list =
        candidates(parse_problem("--dt=" + types + " " + shape), machine_with_dots(), {.top = 4});
  return list;
}

/// Returns the reason for which `format` skipped all candidates of `list`, or "" if `format` wrote
/// some or did not give exactly one reason.
std::string refusal_of_all(const CandidateList& list, CandidateFormat format) {
  const WrittenCandidates written = write_candidates(list, format);
  if (written.count > 0 || written.skipped.size() != 1) return "";
  CHECK(written.skipped.begin()->second == static_cast<int>(list.candidates.size()));
  return written.skipped.begin()->first;
}

bool is_in_onednn(const TensorTypes& types) {
  return types.weights != ElementType::u8 && types.input != ElementType::s16 &&
         types.input != ElementType::s32;
}

/// Returns the product of ZigZag's loop sizes for each dimension.
std::map<std::string, std::int64_t> loop_products(const nlohmann::json& line) {
  std::map<std::string, std::int64_t> products;
  const auto multiply = [&](const std::string& dim, std::int64_t trips) {
    products[dim] = trips * (products.contains(dim) ? products[dim] : 1);
  };
  const nlohmann::json& mapping = line.at("mapping").at(0);
  for (const nlohmann::json& loop : mapping.at("temporal_ordering"))
    multiply(loop.at(0), loop.at(1));
  const std::string spatial = mapping.at("spatial_mapping").at("D1").at(0);
  multiply(spatial.substr(0, 1), std::stoll(spatial.substr(spatial.find(' '))));
  return products;
}

void check_zigzag(const CandidateList& list, const TensorTypes& types) {
  const WrittenCandidates written = write_candidates(list, CandidateFormat::zigzag);
  CHECK(written.count > 0);
  std::istringstream lines(written.text);
  for (std::string text; std::getline(lines, text);) {
    const nlohmann::json line = nlohmann::json::parse(text);
    CHECK(loop_products(line) ==
          std::map<std::string, std::int64_t>{{"I", 48}, {"J", 64}, {"K", 40}});
    const nlohmann::json& bits = line.at("workload").at(0).at("operand_precision");
    CHECK(bits.at("I") == 8 * bytes_of(types.input));
    CHECK(bits.at("W") == 8 * bytes_of(types.weights));
    CHECK(bits.at("O") == 32);
    CHECK(bits.at("O_final") == 8 * bytes_of(types.output));
  }
}

void check_jsonl(const CandidateList& list) {
  const WrittenCandidates written = write_candidates(list, CandidateFormat::jsonl);
  CHECK(written.count == static_cast<int>(list.candidates.size()));
  std::istringstream lines(written.text);
  for (std::string text; std::getline(lines, text);) {
    const nlohmann::json line = nlohmann::json::parse(text);
    CHECK(parse_problem(line.at("problem")) == list.problem);
    const Schedule schedule = parse_schedule(line.at("schedule"));
    CHECK(plan_of(list.problem, list.machine, schedule).candidates.front().prediction.seconds ==
          line.at("predicted_s"));
  }
}

void check_benchdnn(const CandidateList& list, const TensorTypes& types) {
  if (!is_in_onednn(types)) {
    CHECK(refusal_of_all(list, CandidateFormat::benchdnn) == "tensors of " + to_string(types));
    return;
  }
  const WrittenCandidates written = write_candidates(list, CandidateFormat::benchdnn);
  CHECK(written.count > 0);
  CHECK(read_workload(written.text, "list").layers.front().problem == list.problem);
}

}  // namespace

TEST_CASE("typed candidates: each combination is listed, and read back with its types") {
  const std::size_t untyped = typed_list("f32", "m48n64k40").candidates.size();
  for (const std::string& names : test::combinations_to_plan()) {
    CAPTURE(names);
    const TensorTypes types = parse_types(names);
    const CandidateList& product = typed_list(names, "m48n64k40");
    // A list has only one of several direct schedules that move equal bytes at every cache level,
    // so the list of this small product may be shorter than Options::top.
    CHECK(product.candidates.size() == untyped);
    check_jsonl(product);
    check_benchdnn(product, types);
    check_zigzag(product, types);
    CHECK(write_candidates(product, CandidateFormat::ttile).count > 0);
    const CandidateList& layer = typed_list(names, "mb1ic24ih9oc32oh9kh3ph1");
    check_jsonl(layer);
    check_benchdnn(layer, types);
  }
}

TEST_CASE("typed candidates: formats whose clients lack the types name them") {
  for (const std::string& names : test::combinations_to_plan()) {
    CAPTURE(names);
    const TensorTypes types = parse_types(names);
    const CandidateList& list = typed_list(names, "m48n64k40");
    using enum CandidateFormat;
    for (const CandidateFormat format : {iree, inductor, xtc, metaschedule, mlir})
      CHECK(refusal_of_all(list, format) == "tensors of " + to_string(types));
    if (types.output == accumulator_of(types))
      CHECK(write_candidates(list, halide).count > 0);
    else
      CHECK(refusal_of_all(list, halide).starts_with("outputs of " + to_string(types.output)));
  }
}

TEST_CASE("typed candidates: Halide converts the factors to the type of the sums") {
  const std::string text =
      write_candidates(typed_list("u8:s8:s32", "m48n64k40"), CandidateFormat::halide).text;
  CHECK(text.find("ImageParam A{Halide::UInt(8), 2}, B{Halide::Int(8), 2};") != text.npos);
  CHECK(text.find("Out(j, i) = 0;") != text.npos);
  CHECK(text.find("Out(j, i) += Halide::cast(Halide::Int(32), A(k, i)) * "
                  "Halide::cast(Halide::Int(32), B(j, k));") != text.npos);
}

TEST_CASE("typed candidates: a loop over the elements of a strip is inside the others") {
  const Problem problem = parse_problem("--dt=u8:s8:s32 m48n64k40");
  const Machine machine = machine_for(machine_with_dots(), types_of(problem));
  const Schedule schedule = parse_schedule("[T(48,i), T(10,k), U(4,j), V(j)]");
  const StripLoops loops = strip_loops(problem, schedule, machine.vector);
  CHECK(why_no_element_loops(loops) == std::nullopt);
  CHECK(to_string(element_schedule(schedule, loops)) == "[T(48,i), T(10,k), T(4,k), U(4,j), V(j)]");
}

TEST_CASE("typed candidates: strips that are not full, or join filter columns, are named") {
  const auto refusal = [](const char* text, const char* schedule) {
    const Problem problem = parse_problem(text);
    const Machine machine = machine_for(machine_with_dots(), types_of(problem));
    return why_no_element_loops(strip_loops(problem, parse_schedule(schedule), machine.vector));
  };
  CHECK(refusal("--dt=u8:s8:s32 m48n64k42", "[T(48,i), T(11,k), U(4,j), V(j)]") ==
        "a strip that is not full");
  CHECK(refusal("--dt=u8:s8:s32 mb1ic1ih9oc16oh9kh3ph1", "[T(9,h), T(3,r), T(9,w), V(k)]") ==
        "strips that join filter columns");
}
