// SPDX-License-Identifier: Apache-2.0
// An SVG document in the making: its frame and its words, for the plots of the studies.
#pragma once

#include <sstream>
#include <string>

namespace tileplan {

/// `text` with the characters that XML reserves replaced.
std::string xml_escaped(const std::string& text);

/// `value` with four digits, as axes name it.
std::string axis_number(double value);

/// Pixels from the top left corner.
struct PagePoint {
  double x = 0, y = 0;
};

/// One self-contained document on white. Numbers are written with one digit after the point.
class SvgPage {
 public:
  /// `size`: of the page, the lower right corner.
  explicit SvgPage(const PagePoint& size);

  /// Where shapes are written.
  std::ostringstream& out() { return out_; }
  /// `anchor`: start, middle or end of the text lies at `at`.
  void words(const PagePoint& at, const char* anchor, const std::string& text);
  /// Centred at `at`, to be read from below upwards.
  void sideways(const PagePoint& at, const std::string& text);
  /// The whole document. Call once, last.
  std::string text();

 private:
  std::ostringstream out_;
};

}  // namespace tileplan
