// SPDX-License-Identifier: Apache-2.0
// Text of SVG elements.
#include "svg_page.h"

#include <iomanip>

namespace tileplan {

std::string xml_escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else
      result += letter;
  }
  return result;
}

std::string axis_number(double value) {
  std::ostringstream text;
  text << std::setprecision(4) << value;
  return text.str();
}

SvgPage::SvgPage(const PagePoint& size) {
  out_ << std::fixed << std::setprecision(1);
  out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << size.x << ' ' << size.y
       << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
}

void SvgPage::words(const PagePoint& at, const char* anchor, const std::string& text) {
  out_ << "<text x=\"" << at.x << "\" y=\"" << at.y << "\" text-anchor=\"" << anchor << "\">"
       << xml_escaped(text) << "</text>\n";
}

void SvgPage::sideways(const PagePoint& at, const std::string& text) {
  out_ << "<g transform=\"translate(" << at.x << ' ' << at.y << ") rotate(-90)\">\n";
  words({}, "middle", text);
  out_ << "</g>\n";
}

std::string SvgPage::text() {
  out_ << "</svg>\n";
  return out_.str();
}

}  // namespace tileplan
