// SPDX-License-Identifier: Apache-2.0
// Texts of schedules are read back from what they are written as.
#include "fuzz.h"
#include "tileplan/schedule.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const Schedule schedule = parse_schedule(text);
    TILEPLAN_CHECK(parse_schedule(to_string(schedule)) == schedule, "a schedule is read back");
  });
}
