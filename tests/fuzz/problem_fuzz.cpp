// SPDX-License-Identifier: Apache-2.0
// This target checks that the printed text of a problem which can be parsed is equal after it was
// parsed and printed again.
#include "fuzz.h"
#include "tileplan/problem.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const Problem problem = parse_problem(text);
    const std::string written = to_string(problem);
    TILEPLAN_CHECK(to_string(parse_problem(written)) == written, "a problem is read back");
  });
}
