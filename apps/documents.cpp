// SPDX-License-Identifier: Apache-2.0
// This file writes JSON fields and short texts that several commands print, and finds the width of
// the terminal.
#include "documents.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

#include "tileplan/file.h"

namespace tileplan {

void print_json(const Json& document) {
  std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json median_or_null(const std::optional<Measurement>& measured) {
  return measured ? Json(measured->median_seconds) : Json();
}

void add_ratio(Json& document, const std::optional<MedianInterval>& ratio) {
  document["ratio"] = ratio ? Json(ratio->median) : Json();
  document["ratio_low"] = ratio ? Json(ratio->low) : Json();
  document["ratio_high"] = ratio ? Json(ratio->high) : Json();
}

Json repack_document(const RepackSeconds& repack) {
  return {{"in_s", repack.input}, {"out_s", repack.output}};
}

std::string weights_text(const Schedule& schedule) {
  if (schedule.weights_in_place) return "read in place";
  return schedule.pack_weights ? "packed in each run" : "packed beforehand";
}

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string time_text(const std::optional<Measurement>& measured) {
  return measured ? format_seconds(measured->median_seconds) : "-";
}

std::string interval_text(const MedianInterval& interval) {
  return fixed(interval.median, 3) + " [" + fixed(interval.low, 3) + ", " +
         fixed(interval.high, 3) + "]";
}

std::string mismatch_text(const Check& check) {
  std::ostringstream text;
  text << "output " << check.worst_index << " is " << check.got << ", expected " << check.expected;
  return text.str();
}

void write_or_print(const std::string& path, const std::string& text) {
  if (!path.empty()) return write_file(path, text);
  std::cout << text;
}

void print_written(const std::string& what) { std::cerr << "wrote " << message_line(what) << '\n'; }

TextStyle terminal_style() {
  constexpr int kPipe = 100, kUsual = 80;
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  winsize size{};
  const bool known = is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const char* columns = std::getenv("COLUMNS");
  const int wanted = columns == nullptr ? 0 : std::atoi(columns);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return {.width = wanted > 0 ? wanted
                   : known    ? size.ws_col
                              : (is_terminal ? kUsual : kPipe),
          .colour = is_terminal && !dumb && (no_colour == nullptr || *no_colour == '\0')};
}

}  // namespace tileplan
