// SPDX-License-Identifier: Apache-2.0
// This file reads and writes epilogues as words between commas.
#include "tileplan/epilogue.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kAlpha = "alpha=", kBeta = "beta=", kClamp = "clamp=", kLeaky = "leaky=",
                           kHardSigmoid = "hard-sigmoid=";
// ONNX defines HardSwish with these numbers.
constexpr double kSwishSlope = 1.0 / 6, kSwishMiddle = 0.5;

/// Describes a word without a number. `place` orders the words, and words with equal places exclude
/// each other.
struct EpilogueWord {
  std::string_view word;
  int place;
  void (*set)(Epilogue& epilogue);
  bool (*is_set)(const Epilogue& epilogue);
};

// These are the places of the words that have numbers. The words `accumulate` and `relu` and some
// activations share these places, but have no number.
constexpr int kAlphaPlace = 2, kBetaPlace = 3, kActivationPlace = 7, kLimitsPlace = 8;

template <Granularity Quantisation::*member, Granularity value>
constexpr EpilogueWord per(std::string_view word, int place) {
  return {word, place, [](Epilogue& e) { e.quantisation.*member = value; },
          [](const Epilogue& e) { return e.quantisation.*member == value; }};
}

template <bool Quantisation::*member>
constexpr EpilogueWord flag(std::string_view word, int place) {
  return {word, place, [](Epilogue& e) { e.quantisation.*member = true; },
          [](const Epilogue& e) { return e.quantisation.*member; }};
}

constexpr EpilogueWord kAccumulate{"accumulate", kBetaPlace, [](Epilogue& e) { e.beta = 1; },
                                   [](const Epilogue& e) { return e.beta == 1; }};
constexpr EpilogueWord kBias{"bias", 4, [](Epilogue& e) { e.bias = true; },
                             [](const Epilogue& e) { return e.bias; }};
constexpr EpilogueWord kScaledAdd{
    "add=scaled", 6, [](Epilogue& e) { e.add = e.quantisation.scaled_residual = true; },
    [](const Epilogue& e) { return e.quantisation.scaled_residual; }};
constexpr EpilogueWord kPlainAdd{
    "add", 6, [](Epilogue& e) { e.add = true; },
    [](const Epilogue& e) { return e.add && !e.quantisation.scaled_residual; }};

template <ActivationKind kind>
constexpr EpilogueWord activation(std::string_view word) {
  // Only hard-swish has numbers that its word does not tell.
  return {word, kActivationPlace,
          [](Epilogue& e) {
            e.activation = {.kind = kind};
            if (kind == ActivationKind::hard_swish)
              e.activation = {.kind = kind, .alpha = kSwishSlope, .beta = kSwishMiddle};
          },
          [](const Epilogue& e) { return e.activation.kind == kind; }};
}

constexpr std::array<EpilogueWord, 13> kParts{
    {flag<&Quantisation::input_zero_point>("input-zero", 0),
     per<&Quantisation::weights_zero_points, Granularity::tensor>("weights-zero", 1),
     per<&Quantisation::weights_zero_points, Granularity::channel>("weights-zero=channel", 1),
     kAccumulate, kBias, per<&Quantisation::scales, Granularity::tensor>("scale", 5),
     per<&Quantisation::scales, Granularity::channel>("scale=channel", 5), kPlainAdd, kScaledAdd,
     activation<ActivationKind::sigmoid>("sigmoid"), activation<ActivationKind::silu>("silu"),
     activation<ActivationKind::hard_swish>("hard-swish"),
     flag<&Quantisation::output_zero_point>("output-zero", kLimitsPlace + 1)}};

[[noreturn]] void refuse(std::string_view word, const std::string& rule) {
  throw Error("epilogue: " + in_quotes(word) + "; " + rule);
}

double limit(std::string_view word, std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error != std::errc{} || std::isnan(value))
    refuse(word, "must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  return value;
}

double finite(std::string_view word, std::string_view text, const char* rule) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error != std::errc{} || !std::isfinite(value)) refuse(word, rule);
  return value;
}

void read_clamp(std::string_view word, Epilogue& epilogue) {
  const std::string_view limits = word.substr(kClamp.size());
  const std::size_t colon = limits.find(':');
  if (colon == std::string_view::npos)
    refuse(word, "must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  epilogue.low = limit(word, limits.substr(0, colon));
  epilogue.high = limit(word, limits.substr(colon + 1));
  if (epilogue.low > epilogue.high) refuse(word, "the first limit must not be above the second");
}

double factor(std::string_view word, std::string_view text) {
  return finite(word, text,
                "must be alpha=NUMBER or beta=NUMBER with a finite number, e.g. alpha=2,beta=0.5");
}

Activation leaky(std::string_view word) {
  return {ActivationKind::leaky,
          finite(word, word.substr(kLeaky.size()),
                 "must be leaky=ALPHA with a finite number, e.g. leaky=0.1")};
}

Activation hard_sigmoid(std::string_view word) {
  const char* const rule =
      "must be hard-sigmoid=ALPHA:BETA with finite numbers, e.g. hard-sigmoid=0.2:0.5";
  const std::string_view numbers = word.substr(kHardSigmoid.size());
  const std::size_t colon = numbers.find(':');
  if (colon == std::string_view::npos) refuse(word, rule);
  return {ActivationKind::hard_sigmoid, finite(word, numbers.substr(0, colon), rule),
          finite(word, numbers.substr(colon + 1), rule)};
}

void read_word(std::string_view word, Epilogue& epilogue) {
  const auto* const part = std::ranges::find(kParts, word, &EpilogueWord::word);
  if (part != kParts.end())
    part->set(epilogue);
  else if (word == "relu")
    epilogue.low = 0;
  else if (word.starts_with(kAlpha))
    epilogue.alpha = factor(word, word.substr(kAlpha.size()));
  else if (word.starts_with(kBeta))
    epilogue.beta = factor(word, word.substr(kBeta.size()));
  else if (word.starts_with(kLeaky))
    epilogue.activation = leaky(word);
  else if (word.starts_with(kHardSigmoid))
    epilogue.activation = hard_sigmoid(word);
  else if (word.starts_with(kClamp))
    read_clamp(word, epilogue);
  else
    refuse(word,
           "must be alpha=X, accumulate, beta=Y, bias, add, leaky=ALPHA, sigmoid, silu, "
           "hard-sigmoid=ALPHA:BETA, hard-swish, relu or clamp=LOW:HIGH, or for quantised tensors "
           "also input-zero, weights-zero, scale, add=scaled or output-zero");
}

/// Returns the place of `word` in the order in which the operations are applied. Requires that
/// read_word() accepts `word`.
int place_of(std::string_view word) {
  const auto* const part = std::ranges::find(kParts, word, &EpilogueWord::word);
  if (part != kParts.end()) return part->place;
  if (word.starts_with(kAlpha)) return kAlphaPlace;
  if (word.starts_with(kLeaky) || word.starts_with(kHardSigmoid)) return kActivationPlace;
  return word.starts_with(kBeta) ? kBetaPlace : kLimitsPlace;
}

/// Returns the reason why two words of one place exclude each other.
std::string why_not_both(std::string_view word, std::string_view last) {
  const auto both_start = [&](std::string_view with) {
    return word.starts_with(with) && last.starts_with(with);
  };
  if (word == last || both_start(kAlpha) || both_start(kBeta) || both_start(kClamp) ||
      both_start(kLeaky) || both_start(kHardSigmoid))
    return "each part may be given once";
  if (place_of(word) == kBetaPlace) return "only one of accumulate and beta=Y may be given";
  if (place_of(word) == kLimitsPlace) return "only one of relu and clamp=LOW:HIGH may be given";
  return "stands beside " + in_quotes(last) + "; only one of them may be given";
}

void check_order(std::string_view word, std::string_view last) {
  if (last.empty() || place_of(word) > place_of(last)) return;
  if (place_of(word) < place_of(last))
    refuse(word,
           "stands after " + in_quotes(last) +
               "; parts must be in the order in which they are applied: input-zero, "
               "weights-zero, alpha=X, accumulate or beta=Y, bias, scale, add, an activation, "
               "relu or clamp=LOW:HIGH, then output-zero");
  refuse(word, why_not_both(word, last));
}

std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

/// Returns the word of a leaky or hard-sigmoid activation, which shows its numbers, or an empty
/// text for other activations.
std::string activation_word(const Activation& activation) {
  const std::string alpha = shortest(activation.alpha);
  if (activation.kind == ActivationKind::leaky) return std::string(kLeaky) + alpha;
  if (activation.kind != ActivationKind::hard_sigmoid) return "";
  return std::string(kHardSigmoid) + alpha + ":" + shortest(activation.beta);
}

/// Returns the word for the limits, or an empty text if there are none.
std::string limits_word(const Epilogue& epilogue) {
  const bool relu = epilogue.low == 0 && !std::signbit(epilogue.low) && epilogue.high == kInfinity;
  if (relu) return "relu";
  if (epilogue.low == -kInfinity && epilogue.high == kInfinity) return "";
  return std::string(kClamp) + shortest(epilogue.low) + ":" + shortest(epilogue.high);
}

}  // namespace

Epilogue parse_epilogue(const std::string& text) {
  Epilogue epilogue;
  if (text == "none") return epilogue;
  std::string_view last, rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    read_word(word, epilogue);
    check_order(word, last);
    last = word;
    if (comma == std::string_view::npos) return epilogue;
    rest.remove_prefix(comma + 1);
  }
}

std::string to_string(const Epilogue& epilogue) {
  std::string text;
  const auto add = [&](std::string_view word) {
    if (!text.empty()) text += ',';
    text += word;
  };
  const auto add_parts = [&](int from, int to) {
    for (const EpilogueWord& part : kParts)
      if (from <= part.place && part.place < to && part.is_set(epilogue)) add(part.word);
  };
  add_parts(0, kAlphaPlace);
  if (epilogue.alpha != 1) add(std::string(kAlpha) + shortest(epilogue.alpha));
  if (epilogue.beta != 0 && epilogue.beta != 1) add(std::string(kBeta) + shortest(epilogue.beta));
  add_parts(kBetaPlace, kLimitsPlace);
  for (const std::string& word : {activation_word(epilogue.activation), limits_word(epilogue)})
    if (!word.empty()) add(word);
  add_parts(kLimitsPlace + 1, kLimitsPlace + 2);
  return text.empty() ? "none" : text;
}

}  // namespace tileplan
