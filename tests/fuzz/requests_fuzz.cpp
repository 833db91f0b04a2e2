// SPDX-License-Identifier: Apache-2.0
// This target checks that requests which can be read have the same text after they were written and
// read again.
#include "fuzz.h"
#include "tileplan/request.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const std::string written = to_json_lines(parse_requests(text, "file"));
    TILEPLAN_CHECK(to_json_lines(parse_requests(written, "file")) == written,
                   "requests are read back");
  });
}
