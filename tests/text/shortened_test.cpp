// SPDX-License-Identifier: Apache-2.0
// This test checks that shortened texts keep both ends, that malformed UTF-8 is detected, and that
// control characters are replaced.
#include "shortened.h"

#include <doctest/doctest.h>

using namespace tileplan;

TEST_CASE("shortened: short texts stay, long ones keep their start and their end") {
  CHECK(shortened("0123456789", 10) == "0123456789");
  CHECK(shortened("0123456789A", 10) == "01234 ... 6789A");
  const std::string message = "file: " + std::string(1'000'000, 'x') + "; must be shorter";
  CHECK(shortened(message).size() == 605);
  CHECK(shortened(message).ends_with("; must be shorter"));
}

TEST_CASE("shortened: characters of UTF-8 are not split") {
  const std::string umlauts = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
  for (std::size_t most = 0; most <= umlauts.size(); ++most)
    CHECK(is_utf8(shortened(umlauts, most)));
}

TEST_CASE("UTF-8: overlong forms, surrogates, cut and stray bytes are malformed") {
  for (const char* good : {"", "plain\x1b", "\u00e4", "\u20ac", "\U0001F600", "\xEE\x80\x80"})
    CHECK(is_utf8(good));
  for (const char* bad : {"\xff", "\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xE2\x82", "a\xC3", "\xC3(", "\xF0\x9F\x98("})
    CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("printable: control characters become question marks, text stays") {
  CHECK(printable("a\tb\n\u00e4\u20ac") == "a\tb\n\u00e4\u20ac");
  CHECK(printable("\x1b[31mred\x07\x7f\r") == "?[31mred???");
  CHECK(printable(std::string("\0x", 2)) == "?x");
  // U+009b is a control character that terminals read as ESC [.
  CHECK(printable("\u009b31m") == "?31m");
  CHECK(printable("\x9b"
                  "31m\xff") == "?31m?");
}
