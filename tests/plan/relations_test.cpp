// SPDX-License-Identifier: Apache-2.0
// This test compares assembled and emitted relations and batched products with the reference. It
// also compiles problems whose rows lie far apart.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apply_epilogue.h"
#include "emitted_code.h"
#include "emitted_equal.h"
#include "random_relation.h"
#include "reference.h"
#include "target.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

using namespace tileplan;
using namespace tileplan::test::emitted;
using test::Random;

namespace {

/// Returns the largest difference between the output of `run` and the reference.
double largest_error(const Computation& computation, const Run& run) {
  const TensorLayout output = layout_of(computation, Operand::output, Layout::plain);
  const auto view = [&](const std::vector<float>& values, Operand operand) {
    return TensorView{std::span<const float>(values),
                      layout_of(computation, operand, Layout::plain)};
  };
  std::vector<double> expected = reference(
      computation, {view(run.input, Operand::input), view(run.weights, Operand::weights)}, output);
  apply_epilogue(computation, run.epilogue,
                 {.start = std::span<const float>(run.start),
                  .bias = std::span<const float>(run.bias),
                  .residual = std::span<const float>(run.residual)},
                 output, expected);
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, test::element_error(run.output[i], expected[i]));
  return largest;
}

/// Describes a problem with a bias. In its schedule, the loops `tiles` are inside the loop over all
/// vectors along `dim`.
struct BiasCase {
  std::string problem, tiles, dim;
};

void check_bias(const TemporaryFolder& folder, const BiasCase& one, Target target) {
  const Problem problem = parse_problem(one.problem);
  const Computation computation = computation_of(problem);
  const std::int64_t vectors =
      ceil_div(computation.extent(computation.dim(one.dim)), lanes_of(target));
  const std::string loop = "T(" + std::to_string(vectors) + "," + one.dim + ")";
  const Schedule schedule = parse_schedule("[" + loop + one.tiles + ", V(" + one.dim + ")]");
  const Epilogue epilogue = parse_epilogue("bias,relu");
  CAPTURE(to_string(schedule));
  CAPTURE(to_string(target));
  const std::string text = emit_c(computation.problem, schedule,
                                  {.target = target, .name = "tileplan", .epilogue = epilogue})
                               .source;
  const Compiled code(folder, compilers().front(), text);
  Random random(1);
  const Run run = run_emitted(random, code, computation, schedule, packed_floats(text), epilogue);
  CHECK(largest_error(computation, run) < 1e-5);
  if (const auto isa = isa_of(target); isa && isa != Isa::neon)
    check_kernel_equal(problem, schedule, *isa, run);
}

/// Checks that every candidate of the plan compiles and computes the right result.
void check_candidates(const Problem& problem, const Options& options, const Machine& machine) {
  CAPTURE(to_string(problem));
  CAPTURE(to_string(options.epilogue));
  const Plan all = plan(problem, machine, options);
  for (std::size_t rank = 0; rank < all.candidates.size(); ++rank) {
    CAPTURE(to_string(all.candidates[rank].schedule));
    CHECK(check_kernel(compile(all, rank)).passed());
  }
}

}  // namespace

TEST_CASE("a bias without the dim of the vectors is one number for all their lanes") {
  const BiasCase cases[] = {
      {"b64m1n1k1", "", "b"},
      {"b19m1n1k1", "", "b"},
      {"{ S[i] : 0 <= i < 37 } reads { S[i] -> A[i]; S[i] -> B[i] } writes { S[i] -> C[i] }", "",
       "i"},
      {"{ S[a,b,c,d] : 0 <= a < 3 and 0 <= b < 4 and 0 <= c < 37 and 0 <= d < 5 } "
       "reads { S[a,b,c,d] -> A[d,a,c]; S[a,b,c,d] -> B[b,a,c] } "
       "writes { S[a,b,c,d] -> C[d,b,c] }",
       ", T(4,b), T(3,a), U(5,d)", "c"}};
  const TemporaryFolder folder;
  for (const Target target :
       {Target::scalar, Target::neon, Target::avx2, Target::avx512, Target::avx512vl})
    for (const BiasCase& one : cases)
      if (host_has(target)) check_bias(folder, one, target);
}

TEST_CASE("relations: every candidate compiles and is right where no vectors fit as they are") {
  const char* const problems[] = {
      "{ S[i,r] : 0 <= i < 30 and 0 <= r < 3 } reads { S[i,r] -> A[i+r]; S[i,r] -> B[r] } "
      "writes { S[i,r] -> C[i] }",
      "{ S[i,r] : 0 <= i < 30 and 0 <= r < 3 } reads { S[i,r] -> A[2i+r]; S[i,r] -> B[r] } "
      "writes { S[i,r] -> C[i] }",
      "{ S[i,j,r,s] : 0 <= i < 10 and 0 <= j < 40 and 0 <= r,s < 3 } "
      "reads { S[i,j,r,s] -> A[i+r,j+s]; S[i,j,r,s] -> B[r,s] } writes { S[i,j,r,s] -> C[i,j] }",
      "{ S[k,w,s] : 0 <= k < 32 and 0 <= w < 60 and 0 <= s < 3 } "
      "reads { S[k,w,s] -> Z[2w + 3s]; S[k,w,s] -> X[k,s] } writes { S[k,w,s] -> Y[k,w] }",
      "{ S[i,j,k] : 0 <= i < 6 and 0 <= j < 40 and 0 <= k < 3 } "
      "reads { S[i,j,k] -> A[i,j,k]; S[i,j,k] -> B[i,j,k] } writes { S[i,j,k] -> C[i,j] }",
      "{ S[a] : 0 <= a < 25 } reads { S[a] -> A[a - 1]; S[a] -> B[a] } writes { S[a] -> C[a] }",
      "{ S[a,b] : 0 <= a < 9 and 0 <= b < 40 } reads { S[a,b] -> A[a,b - 3]; S[a,b] -> B[a,b] } "
      "writes { S[a,b] -> C[a,b] }",
      "{ S[i,j,k] : 0 <= i < 12 and 0 <= j < 32 and 0 <= k < 8 } "
      "reads { S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k+2,j] } writes { S[i,j,k] -> C[i,j] }",
      "{ S[i,j,k] : 0 <= i < 12 and 0 <= j < 40 and 0 <= k < 48 } "
      "reads { S[i,j,k] -> A[i,k+1]; S[i,j,k] -> B[k-32,j] } writes { S[i,j,k] -> C[i,j] }",
      "{ S[i,j,k] : 0 <= i < 12 and 0 <= j < 40 and 0 <= k < 48 } "
      "reads { S[i,j,k] -> A[i-2,k+1]; S[i,j,k] -> B[3,k,j-5] } writes { S[i,j,k] -> C[i,j] }"};
  for (const char* const problem : problems)
    check_candidates(parse_problem(problem), {.epilogue = parse_epilogue("bias,relu")},
                     detect_machine());
}

TEST_CASE("random relations and batched products: every candidate compiles and is right") {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    Machine machine = detect_machine();
    machine.cores = 2;
    Options options;
    options.threads = static_cast<int>(test::pick(random, 1, 2));
    const Epilogue epilogue = test::random_epilogue(random);
    for (const Problem& problem :
         {Problem(test::random_relation(random)), Problem(test::random_product(random))}) {
      options.epilogue = test::with_factors_for(types_of(problem), epilogue);
      check_candidates(problem, options, machine);
    }
  }
}

TEST_CASE("relations: at most four indices of the input lie in padding") {
  const auto relation = [](const std::string& padded) {
    return parse_problem(
        "{ S[a,b,c,d,e,j] : 0 <= a < 3 and 0 <= b < 3 and 0 <= c < 3 and 0 <= d < 3 and "
        "0 <= e < 3 and 0 <= j < 16 } reads { S[a,b,c,d,e,j] -> A[a-1,b-1,c-1,d-1," +
        padded + "]; S[a,b,c,d,e,j] -> B[a,j] } writes { S[a,b,c,d,e,j] -> C[b,c,d,e,j] }");
  };
  const Machine machine = detect_machine();
  CHECK_NOTHROW(compile(plan(relation("e"), machine, {.top = 1})));
  CHECK_THROWS_WITH_AS(plan(relation("e-1"), machine),
                       doctest::Contains("more than 4 indices of the input lie in padding"), Error);
}

TEST_CASE("rows that lie further apart than instructions reach are planned one by one") {
  for (const char* const problem : {"m40n64k32lda268435456", "m40n64k32ldc268435456",
                                    "mb1ic16iw134217729oc16ow2kw1sw134217728pw0"}) {
    CAPTURE(problem);
    const Plan all = plan(parse_problem(problem), detect_machine());
    for (std::size_t rank = 0; rank < all.candidates.size(); ++rank) {
      CAPTURE(to_string(all.candidates[rank].schedule));
      CHECK_NOTHROW(compile(all, rank));
    }
  }
}
