// SPDX-License-Identifier: Apache-2.0
// This target checks that records which can be read are equal after they were written and read
// again.
#include "fuzz.h"
#include "record_lines.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const std::vector<Record> records = parse_json_lines(text, "file");
    TILEPLAN_CHECK(parse_json_lines(to_json_lines(records), "file") == records,
                   "records are read back");
  });
}
