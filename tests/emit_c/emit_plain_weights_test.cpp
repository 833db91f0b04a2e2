// SPDX-License-Identifier: Apache-2.0
// This test compares emitted C and assembled kernels that take plain weights with plain loops.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "emitted_code.h"
#include "emitted_equal.h"
#include "integers.h"
#include "target.h"
#include "tileplan/emit.h"

using namespace tileplan;
using namespace tileplan::test::emitted;
using test::Random;

namespace {

/// Returns the largest error of an element of C = A B.
double error_of(const GemmShape& shape, const Run& run) {
  double largest = 0;
  for (std::int64_t b = 0; b < shape.b; ++b)
    for (std::int64_t i = 0; i < shape.m; ++i)
      for (std::int64_t j = 0; j < shape.n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < shape.k; ++k)
          sum += static_cast<double>(run.input[(b * shape.m + i) * shape.lda + k]) *
                 run.weights[(b * shape.k + k) * shape.ldb + j];
        largest = std::max(largest, std::abs(sum - run.output[(b * shape.m + i) * shape.ldc + j]));
      }
  return largest;
}

void check(const TemporaryFolder& folder, Target target, const std::string& text,
           const std::string& product) {
  if (!host_has(target)) return;
  constexpr double kTolerance = 1e-4;
  const Problem problem = parse_problem(product);
  const Schedule schedule = parse_schedule(text);
  CAPTURE(to_string(target));
  CAPTURE(text);
  Random random(1);
  const std::string source =
      emit_c(problem, schedule, {.target = target, .name = "tileplan"}).source;
  CHECK(source.find("tileplan_pack") == std::string::npos);
  const Compiled code(folder, compilers().front(), source);
  const Run run = run_emitted<float>(random, code, computation_of(problem), schedule, 0);
  CHECK(error_of(std::get<GemmShape>(problem), run) <= kTolerance);
  if (const std::optional<Isa> isa = parse_isa(to_string(target)))
    if (*isa != Isa::neon) check_kernel_equal(problem, schedule, *isa, run);
}

void check(const TemporaryFolder& folder, Target target, const std::string& loops) {
  const std::int64_t vectors = ceil_div(std::int64_t{37}, std::int64_t{lanes_of(target)});
  std::string text = loops;
  text.replace(text.find('#'), 1, std::to_string(vectors));
  check(folder, target, text, "b2m10n37k24");
}

}  // namespace

TEST_CASE("boxes of weights that begin inside a group of another box are read from their start") {
  const TemporaryFolder folder;
  check(folder, Target::avx2,
        "[L(j,[1*2,1*8]), T(2,j), T(2,b), T(5,i), T(24,k), U(2,i), U(j), V(j)] pack=B@0",
        "b2m10n80k24");
}

TEST_CASE("plain weights of products are read in place or packed inside any loop") {
  const TemporaryFolder folder;
  const std::string whole = "[T(2,b), T(5,i), T(#,j), T(24,k), U(2,i), V(j)] ";
  const std::string split = "[T(2,b), T(2,k), P(#,j), T(5,i), T(12,k), U(2,i), V(j)] ";
  for (const Target target : {Target::scalar, Target::avx2, Target::avx512}) {
    for (const char* mark : {"weights=plain", "weights=plain prefetch=4", "pack=B@0", "pack=B@2"})
      check(folder, target, whole + mark);
    for (const char* mark : {"weights=plain", "pack=B@0", "pack=B@1", "pack=B@2 pack=A@1",
                             "weights=plain pack=C@2", "pack=A@3 pack=B@2 pack=C@3"})
      check(folder, target, split + mark);
  }
}
