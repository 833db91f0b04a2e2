// SPDX-License-Identifier: Apache-2.0
// This target checks that a schedule which can be parsed is equal after it was printed and parsed
// again.
#include "fuzz.h"
#include "tileplan/schedule.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const Schedule schedule = parse_schedule(text);
    TILEPLAN_CHECK(parse_schedule(to_string(schedule)) == schedule, "a schedule is read back");
  });
}
