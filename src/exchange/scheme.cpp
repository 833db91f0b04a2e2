// SPDX-License-Identifier: Apache-2.0
// Reads both forms alike: a name, then letters and numbers whatever the punctuation.
#include "scheme.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "nest.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {

namespace {

struct Letter {
  std::string_view ours, theirs;
  bool reduction = false;
};

constexpr Letter kConvLetters[] = {{"k", "f"}, {"c", "c", true}, {"w", "x"},
                                   {"h", "y"}, {"s", "w", true}, {"r", "h", true}};
constexpr Letter kGemmLetters[] = {{"i", "i"}, {"j", "j"}, {"k", "k", true}};

std::vector<Letter> letters_of(const Problem& problem) {
  if (std::holds_alternative<ConvShape>(problem))
    return {std::begin(kConvLetters), std::end(kConvLetters)};
  if (std::holds_alternative<GemmShape>(problem))
    return {std::begin(kGemmLetters), std::end(kGemmLetters)};
  return {};
}

const Letter* find_ours(const std::vector<Letter>& letters, std::string_view dim) {
  const auto found = std::find_if(letters.begin(), letters.end(),
                                  [&](const Letter& each) { return each.ours == dim; });
  return found == letters.end() ? nullptr : &*found;
}

/// Adds `item` to a list of the papers' form.
void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : "; ") + item;
}

std::string specifier_text(const Specifier& loop, const std::string& letter) {
  switch (loop.kind) {
    case Kind::vector:
      return "V " + letter;
    case Kind::unroll:
      return loop.count == 0 ? "ULambda " + letter
                             : "U (" + std::to_string(loop.count) + ", " + letter + ")";
    case Kind::lambda: {
      std::string parts;
      for (const Part& part : loop.parts)
        parts += (parts.empty() ? "" : "; ") + std::string("((Iter ") + std::to_string(part.times) +
                 "); (Arg " + std::to_string(part.size) + "))";
      return "Lambda_apply " + letter + " [" + parts + "]";
    }
    default:
      return "T (" + std::to_string(loop.count) + ", " + letter + ")";
  }
}

/// One specifier of a scheme: its name, then words and numbers.
struct Token {
  std::string text, name;
  std::vector<std::string> words;
  std::vector<std::int64_t> numbers;
};

Token parse_token(std::string_view text) {
  Token token{.text = std::string(text), .name = {}, .words = {}, .numbers = {}};
  const auto in_word = [](char c) { return is_letter(c) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    const bool digit = is_digit(text[at]);
    while (end < text.size() && (digit ? is_digit(text[end]) : in_word(text[end]))) ++end;
    const std::string_view piece = text.substr(at, end - at);
    if (digit)
      token.numbers.push_back(number_from(1, "scheme: " + quoted(text), piece));
    else if (end > at && token.name.empty())
      token.name = piece;
    else if (end > at)
      token.words.emplace_back(piece);
    at = std::max(end, at + 1);
  }
  return token;
}

/// Returns by how much `c` changes the depth of brackets.
int depth_change(char c) {
  if (c == '(' || c == '[') return 1;
  return c == ')' || c == ']' ? -1 : 0;
}

/// Splits `[...; ...]` at the semicolons that are in no inner brackets.
std::vector<Token> split_scheme(const std::string& text) {
  std::string_view inside = trimmed(text);
  if (inside.size() < 2 || inside.front() != '[' || inside.back() != ']')
    throw Error("scheme: " + quoted(text) + "; must be specifiers in [ ]");
  inside = inside.substr(1, inside.size() - 2);
  std::vector<Token> tokens;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    depth += depth_change(inside[i]);
    if (inside[i] != ';' || depth != 0) continue;
    tokens.push_back(parse_token(trimmed(inside.substr(start, i - start))));
    start = i + 1;
  }
  if (depth != 0) throw Error("scheme: " + quoted(text) + "; brackets must match");
  tokens.push_back(parse_token(trimmed(inside.substr(start))));
  return tokens;
}

[[noreturn]] void refuse(const Token& token, const std::string& rule) {
  throw Error("scheme: " + quoted(token.text) + "; " + rule);
}

/// Turns specifiers into loops, from the innermost outwards.
class SchemeReader {
 public:
  explicit SchemeReader(const Problem& problem) : letters_(letters_of(problem)) {}

  void read(const Token& token) {
    using Self = SchemeReader;
    static const std::map<std::string, void (Self::*)(const Token&)> kinds{
        {"V", &Self::add_vector},         {"U", &Self::add_unroll},
        {"T", &Self::add_tile},           {"Tpart", &Self::add_part},
        {"Tparal", &Self::add_tile},      {"ULambda", &Self::add_sized_unroll},
        {"UL", &Self::add_listed_unroll}, {"Lambda_apply", &Self::add_lambda},
        {"TL", &Self::add_listed_lambda}, {"Hoist_vars", &Self::ignore},
        {"Hoist_var", &Self::ignore},     {"Seq", &Self::ignore}};
    const auto found = kinds.find(token.name);
    if (found == kinds.end())
      refuse(token, "must be V, U, T, Tpart, Tparal, ULambda, Lambda_apply, UL, TL or a hoist");
    (this->*found->second)(token);
  }

  std::vector<Specifier> outermost_first() const { return {loops_.rbegin(), loops_.rend()}; }

 private:
  std::string dim_of(const Token& token) const {
    for (const Letter& each : letters_)
      if (!token.words.empty() && each.theirs == token.words.front()) return std::string(each.ours);
    refuse(token, "must name a dim of the problem");
  }
  std::int64_t count_of(const Token& token) const {
    if (token.numbers.size() != 1) refuse(token, "must have one number");
    return token.numbers.front();
  }
  void add(Kind kind, const std::string& dim, std::int64_t count, std::vector<Part> parts = {}) {
    loops_.push_back({.kind = kind, .dim = dim, .count = count, .parts = std::move(parts)});
  }

  void add_vector(const Token& token) { add(Kind::vector, dim_of(token), 0); }
  void add_unroll(const Token& token) {
    sizes_[dim_of(token)] = size(dim_of(token)) * count_of(token);
    add(Kind::unroll, dim_of(token), count_of(token));
  }
  void add_tile(const Token& token) {
    sizes_[dim_of(token)] = size(dim_of(token)) * count_of(token);
    add(token.name == "Tparal" ? Kind::parallel : Kind::tile, dim_of(token), count_of(token));
  }
  /// XTC gives the whole extent of a dim, with everything inside.
  void add_part(const Token& token) {
    const std::string dim = dim_of(token);
    if (is_vectorised(dim)) refuse(token, "the size of a vectorised dim depends on the machine");
    const std::int64_t inside = size(dim);
    if (count_of(token) % inside != 0)
      refuse(token, "must be a multiple of the " + std::to_string(inside) + " inside it");
    add(Kind::tile, dim, count_of(token) / inside);
    sizes_[dim] = count_of(token);
  }
  void add_sized_unroll(const Token& token) { add(Kind::unroll, dim_of(token), 0); }
  void add_listed_unroll(const Token& token) {
    unrolls_[dim_of(token)] = token.numbers;
    add(Kind::unroll, dim_of(token), 0);
  }
  void add_lambda(const Token& token) {
    if (token.numbers.empty() || token.numbers.size() % 2 != 0)
      refuse(token, "must have pairs of Iter and Arg");
    std::vector<Part> parts;
    for (std::size_t i = 0; i < token.numbers.size(); i += 2)
      parts.push_back({.times = token.numbers[i], .size = token.numbers[i + 1]});
    add_parts(dim_of(token), std::move(parts));
  }
  void add_listed_lambda(const Token& token) {
    const std::string dim = dim_of(token);
    const std::vector<std::int64_t>& unrolls = unrolls_[dim];
    if (token.numbers.size() != unrolls.size() || unrolls.empty())
      refuse(token, "must have as many numbers as the UL of its dim");
    std::vector<Part> parts;
    for (std::size_t i = 0; i < unrolls.size(); ++i)
      parts.push_back({.times = token.numbers[i], .size = unrolls[i]});
    add_parts(dim, std::move(parts));
  }
  void ignore(const Token&) {}

  void add_parts(const std::string& dim, std::vector<Part> parts) {
    sizes_[dim] = covered(parts);
    add(Kind::lambda, dim, 0, std::move(parts));
  }
  std::int64_t size(const std::string& dim) const {
    const auto found = sizes_.find(dim);
    return found == sizes_.end() ? 1 : found->second;
  }
  bool is_vectorised(const std::string& dim) const {
    return std::any_of(loops_.begin(), loops_.end(), [&](const Specifier& each) {
      return each.kind == Kind::vector && each.dim == dim;
    });
  }

  std::vector<Letter> letters_;
  std::vector<Specifier> loops_;  ///< innermost first
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, std::vector<std::int64_t>> unrolls_;
};

}  // namespace

std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem) {
  if (schedule.pack_input) return "packing the input";
  const std::vector<Letter> letters = letters_of(problem);
  for (const Specifier& loop : schedule.loops) {
    if (!find_ours(letters, loop.dim)) return "a loop over " + loop.dim + ", which has no letter";
    if (loop.kind == Kind::parallel) return "a parallel loop";
    if (loop.kind == Kind::rest) return "a loop over the rest of " + loop.dim;
  }
  return std::nullopt;
}

std::string to_scheme(const Schedule& schedule, const Problem& problem) {
  const std::vector<Letter> letters = letters_of(problem);
  const std::vector<Specifier> loops(schedule.loops.rbegin(),
                                     schedule.loops.rend());  // innermost first
  const auto letter_of = [&](const Specifier& loop) { return *find_ours(letters, loop.dim); };
  std::string text, hoisted;
  std::size_t i = 0;
  for (; i < loops.size(); ++i) {  // the register tile and the reduction loops around it
    const Letter letter = letter_of(loops[i]);
    const bool in_tile = loops[i].kind == Kind::unroll || loops[i].kind == Kind::vector;
    const bool is_sum = letter.reduction && loops[i].kind == Kind::tile;
    if (!in_tile && !is_sum) break;
    if (!in_tile) append(hoisted, std::string(letter.theirs));
    append(text, specifier_text(loops[i], std::string(letter.theirs)));
  }
  if (!hoisted.empty()) append(text, "Hoist_vars [" + hoisted + "]");
  for (; i < loops.size(); ++i)
    append(text, specifier_text(loops[i], std::string(letter_of(loops[i]).theirs)));
  return "[" + text + "]";
}

Schedule read_scheme(const std::string& text, const Problem& problem) {
  SchemeReader reader(problem);
  for (const Token& token : split_scheme(text)) reader.read(token);
  const bool conv = std::holds_alternative<ConvShape>(problem);
  return {.loops = reader.outermost_first(),
          .in = conv ? Layout::nhwc : Layout::plain,
          .out = conv ? Layout::nhwc : Layout::plain};
}

}  // namespace tileplan
