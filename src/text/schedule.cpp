// SPDX-License-Identifier: Apache-2.0
// This file reads and writes schedules as text: `[T(16,k), L(h,[2*11,1*12]), U(h), V(k)] in=nhwc`.
#include "tileplan/schedule.h"

#include <limits>
#include <set>

#include "names.h"
#include "tileplan/error.h"
#include "winograd_text.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr Names<Layout, 5> kLayouts{{{Layout::plain, "plain"},
                                     {Layout::nhwc, "nhwc"},
                                     {Layout::nchw, "nchw"},
                                     {Layout::nChw16c, "nChw16c"},
                                     {Layout::nChw8c, "nChw8c"}}};

constexpr Names<Kind, 6> kLetters{{{Kind::tile, "T"},
                                   {Kind::rest, "R"},
                                   {Kind::lambda, "L"},
                                   {Kind::parallel, "P"},
                                   {Kind::unroll, "U"},
                                   {Kind::vector, "V"}}};

struct Token {
  std::string_view text;
  std::size_t position = 0;
};

[[noreturn]] void fail(const Token& token, const std::string& rule) {
  throw Error("schedule: " + (token.text.empty() ? "the end" : in_quotes(token.text)) +
              " at character " + std::to_string(token.position + 1) + ": " + rule);
}

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Reads the text from left to right. The position is always at the start of a token or at the end.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip_space(); }

  bool at_end() const { return position_ == text_.size(); }

  /// Returns the next word, signed number or single character, or empty text at the end.
  Token peek() const {
    std::size_t end = position_;
    if (end < text_.size() && text_[end] == '-') ++end;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == position_ && end < text_.size()) ++end;
    return {text_.substr(position_, end - position_), position_};
  }

  Token take() {
    const Token token = peek();
    position_ += token.text.size();
    skip_space();
    return token;
  }

  Token take_mark() {
    const std::size_t start = position_;
    while (!at_end() && !is_space(text_[position_])) ++position_;
    const Token token{text_.substr(start, position_ - start), start};
    skip_space();
    return token;
  }

  void expect(std::string_view text) {
    const Token token = take();
    if (token.text != text) fail(token, "must be '" + std::string(text) + "'");
  }

  bool take_if(std::string_view text) {
    if (peek().text != text) return false;
    take();
    return true;
  }

 private:
  void skip_space() {
    while (!at_end() && is_space(text_[position_])) ++position_;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Returns the result of `read`. If `read` throws Error, adds `token` and its position to the
/// message.
template <class Read>
auto read_at(const Token& token, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    fail(token, error.what());
  }
}

std::int64_t take_count(Cursor& cursor, const std::string& what) {
  const Token token = cursor.take();
  return read_at(token, [&] { return number_from(1, what, token.text); });
}

std::string take_dim(Cursor& cursor) {
  const Token token = cursor.take();
  if (token.text.empty() || !is_letter(token.text.front()))
    fail(token, "must be the name of a dimension, such as k");
  return std::string(token.text);
}

std::vector<Part> take_parts(Cursor& cursor) {
  cursor.expect(",");
  cursor.expect("[");
  std::vector<Part> parts;
  do {
    Part& part = parts.emplace_back();
    part.times = take_count(cursor, "the number of blocks");
    cursor.expect("*");
    part.size = take_count(cursor, "the size of a block");
  } while (cursor.take_if(","));
  cursor.expect("]");
  return parts;
}

Kind take_kind(Cursor& cursor) {
  const Token token = cursor.take();
  const std::optional<Kind> kind = find_in(kLetters, token.text);
  if (!kind) fail(token, "must be a specifier: T R L P U or V");
  return *kind;
}

/// Returns true when a trip count must come next. U(d) has no count, because the enclosing L
/// determines it. P(d,[...]) has parts instead of a count.
bool has_count(Kind kind, const Cursor& cursor) {
  const std::string_view next = cursor.peek().text;
  return kind == Kind::tile || ((kind == Kind::unroll || kind == Kind::parallel) &&
                                (next.empty() || !is_letter(next.front())));
}

Specifier take_specifier(Cursor& cursor) {
  Specifier specifier;
  specifier.kind = take_kind(cursor);
  cursor.expect("(");
  const bool counted = has_count(specifier.kind, cursor);
  if (counted) {
    specifier.count = take_count(cursor, "the trip count");
    cursor.expect(",");
  }
  specifier.dim = take_dim(cursor);
  if (specifier.kind == Kind::lambda || (specifier.kind == Kind::parallel && !counted))
    specifier.parts = take_parts(cursor);
  cursor.expect(")");
  return specifier;
}

std::vector<Specifier> take_loops(Cursor& cursor) {
  std::vector<Specifier> loops;
  cursor.expect("[");
  if (cursor.take_if("]")) return loops;
  do {
    loops.push_back(take_specifier(cursor));
  } while (cursor.take_if(","));
  const Token token = cursor.take();
  if (token.text != "]") fail(token, "must be ',' or ']'");
  return loops;
}

int small_number(const Token& token, std::string_view text, const std::string& what) {
  const std::int64_t number = read_at(token, [&] { return number_from(0, what, text); });
  if (number > std::numeric_limits<int>::max()) fail(token, what + " must be at most 2^31 - 1");
  return static_cast<int>(number);
}

int loop_position(const Token& token, std::string_view value, const std::string& what,
                  std::size_t loops) {
  const int position = small_number(token, value, what);
  if (static_cast<std::size_t>(position) >= loops)
    fail(token, "must name one of the " + std::to_string(loops) + " loops, the outermost is 0");
  return position;
}

using Position = std::optional<int> Schedule::*;

/// The tensors of matrix products have a second name.
constexpr Names<Position, 6> kPacked{{{&Schedule::pack_input, "in"},
                                      {&Schedule::pack_weights, "weights"},
                                      {&Schedule::pack_output, "out"},
                                      {&Schedule::pack_input, "A"},
                                      {&Schedule::pack_weights, "B"},
                                      {&Schedule::pack_output, "C"}}};

/// Reads the mark pack=in@POS, pack=weights@POS or pack=out@POS.
void read_pack(const Token& token, std::string_view value, Schedule& schedule) {
  const std::size_t at = value.find('@');
  const std::optional<Position> packed = find_in(kPacked, value.substr(0, at));
  if (at == std::string_view::npos || !packed)
    fail(token, "must be pack=in@POS, pack=weights@POS or pack=out@POS");
  if (schedule.**packed) fail(token, "is given more than once; must be given once");
  schedule.** packed =
      loop_position(token, value.substr(at + 1), "the loop to pack in", schedule.loops.size());
}

void read_weights(const Token& token, std::string_view value, Schedule& schedule) {
  if (value != "plain") fail(token, "must be weights=plain; packed weights have no mark");
  schedule.weights_in_place = true;
}

/// Reads a mark whose `key` is pack, weights, winograd or points. Returns false for another `key`.
bool reads_stage(const Token& token, std::string_view key, std::string_view value,
                 Schedule& schedule) {
  if (key == "pack") read_pack(token, value, schedule);
  if (key == "weights") read_weights(token, value, schedule);
  if (key != "winograd" && key != "points") return key == "pack" || key == "weights";
  if (!schedule.winograd) schedule.winograd.emplace();
  read_at(token, [&] {
    key == "points" ? read_points(value, *schedule.winograd)
                    : read_outputs(value, *schedule.winograd);
  });
  return true;
}

/// Returns the part of a mark that must be unique in a schedule: its name and, for `pack`, the
/// tensor.
std::string_view name_of(const Token& token) {
  const bool is_pack = token.text.starts_with("pack=");
  return token.text.substr(0, token.text.find(is_pack ? '@' : '='));
}

void read_choice(const Token& token, std::string_view key, std::string_view value,
                 Schedule& schedule) {
  if (key == "in" || key == "out") {
    (key == "in" ? schedule.in : schedule.out) =
        read_at(token, [&] { return parse_layout(std::string(value)); });
  } else if (key == "prefetch") {
    schedule.prefetch = small_number(token, value, "the prefetch distance");
  } else if (key == "ahead") {
    schedule.ahead = loop_position(token, value, "the loop to prefetch for", schedule.loops.size());
  } else if (key == "isa") {
    schedule.isa = parse_isa(std::string(value));
    if (!schedule.isa) fail(token, "must be isa=avx2, avx512, avx512vl, neon or amx");
  } else if (token.text == "nt") {
    schedule.nontemporal = true;
  } else if (token.text == "widen") {
    schedule.widen = true;
  } else {
    fail(token,
         "must be a mark: in=LAYOUT out=LAYOUT weights=plain winograd=MxM points=LIST pack=in@POS "
         "pack=weights@POS pack=out@POS prefetch=N ahead=POS nt isa=ISA widen");
  }
}

void read_mark(const Token& token, Schedule& schedule, std::set<std::string_view>& seen) {
  const std::size_t equals = token.text.find('=');
  const std::string_view key = token.text.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? "" : token.text.substr(equals + 1);
  if (!reads_stage(token, key, value, schedule)) read_choice(token, key, value, schedule);
  if (!seen.insert(name_of(token)).second)
    fail(token, "is given more than once; must be given once");
}

}  // namespace

std::string to_string(Layout layout) {
  const std::string name = name_in(kLayouts, layout);
  return name.empty() ? "unknown layout" : name;
}

Layout parse_layout(const std::string& text) {
  if (const auto layout = find_in(kLayouts, text)) return *layout;
  throw Error("layout is " + in_quotes(text) + "; must be " + list_of(kLayouts));
}

Schedule parse_schedule(const std::string& text) {
  Cursor cursor(text);
  Schedule schedule;
  schedule.loops = take_loops(cursor);
  std::set<std::string_view> seen;
  while (!cursor.at_end()) read_mark(cursor.take_mark(), schedule, seen);
  if (seen.contains("points") && !seen.contains("winograd"))
    throw Error("schedule: points=, but no winograd=MxM; must have both");
  if (schedule.weights_in_place && schedule.pack_weights)
    throw Error("schedule: weights=plain and pack=weights@" +
                std::to_string(*schedule.pack_weights) +
                "; must be one, weights are read in place or packed");
  return schedule;
}

std::string to_string(const Specifier& specifier) {
  std::string text = name_in(kLetters, specifier.kind) + "(";
  if (specifier.count != 0) text += std::to_string(specifier.count) + ",";
  text += specifier.dim;
  if (specifier.is_lambda()) {
    std::string parts;
    for (const Part& part : specifier.parts) {
      parts += parts.empty() ? "" : ",";
      parts += std::to_string(part.times) + "*" + std::to_string(part.size);
    }
    text += ",[" + parts + "]";
  }
  return text + ")";
}

std::string to_string(const Schedule& schedule) {
  std::string loops;
  for (const Specifier& specifier : schedule.loops)
    loops += (loops.empty() ? "" : ", ") + to_string(specifier);
  std::string text = "[" + loops + "]";
  if (schedule.in != Layout::plain) text += " in=" + to_string(schedule.in);
  if (schedule.out != Layout::plain) text += " out=" + to_string(schedule.out);
  if (schedule.weights_in_place) text += " weights=plain";
  if (schedule.winograd) text += text_of(*schedule.winograd);
  if (schedule.pack_input) text += " pack=in@" + std::to_string(*schedule.pack_input);
  if (schedule.pack_weights) text += " pack=weights@" + std::to_string(*schedule.pack_weights);
  if (schedule.pack_output) text += " pack=out@" + std::to_string(*schedule.pack_output);
  if (schedule.prefetch != 0) text += " prefetch=" + std::to_string(schedule.prefetch);
  if (schedule.ahead) text += " ahead=" + std::to_string(*schedule.ahead);
  if (schedule.nontemporal) text += " nt";
  if (schedule.isa) text += " isa=" + to_string(*schedule.isa);
  if (schedule.widen) text += " widen";
  return text;
}

}  // namespace tileplan
