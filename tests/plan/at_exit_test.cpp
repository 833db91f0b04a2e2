// SPDX-License-Identifier: Apache-2.0
// This test checks that a program may use the library while its static objects are destroyed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tileplan/tileplan.h"

using namespace tileplan;

namespace {

/// Plans four products with k from `first` to `first` + 3. If the ranges of k of two calls do not
/// overlap, the second call finds none of its plans in the plan cache.
void plan_some(const Machine& machine, int first) {
  for (int i = first; i < first + 4; ++i)
    plan_gemm(parse_gemm("m8n16k" + std::to_string(i)), machine);
}

/// Plans in its destructor. The object `last` is constructed before the first call of the library,
/// so it is destroyed after the static objects that this call constructs.
struct Last {
  std::optional<Machine> machine;
  ~Last() {
    if (!machine) return;
    try {
      plan_some(*machine, 1);
      plan_some(*machine, 5);
      if (parse_problem("resnet18-9") == Problem(parse_conv("resnet18-9")) &&
          shipped_machines().size() > 1 && detect_machine() == *machine)
        return;
    } catch (const std::exception&) {
      std::_Exit(2);
    }
    std::_Exit(1);
  }
};
Last last;

}  // namespace

TEST_CASE("at exit: a static object made before the first call plans when it is destroyed") {
  last.machine = detect_machine();
  CHECK_NOTHROW(parse_problem("resnet18-9"));
  // The exit status tells whether planning in the destructor failed.
  CHECK_NOTHROW(plan_some(*last.machine, 1));
}
