// SPDX-License-Identifier: Apache-2.0
// Writes and reads rows of machine files by charconv, because a file has thousands of rows.
#include "form_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tileplan {
namespace {

using Size = std::pair<char, int KernelForm::*>;
constexpr std::array<Size, 6> kSizes{{{'w', &KernelForm::w},
                                      {'h', &KernelForm::h},
                                      {'k', &KernelForm::k},
                                      {'r', &KernelForm::r},
                                      {'s', &KernelForm::s},
                                      {'c', &KernelForm::c}}};

template <typename Number>
void append(std::string& text, Number value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

/// Removes the number at the start of `rest` and one blank behind it, and returns the number.
template <typename Number>
std::optional<Number> take(std::string_view& rest) {
  Number value{};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.size() > 1 && rest.front() == ' ') rest.remove_prefix(1);
  return value;
}

}  // namespace

std::string to_string(const FormRate& rate) {
  std::string row;
  for (const auto& [letter, size] : kSizes) {
    row += letter;
    append(row, rate.form.*size);
    row += ' ';
  }
  append(row, rate.cycles_per_step);
  row += ' ';
  append(row, rate.cycles_per_call);
  return row;
}

std::optional<FormRate> parse_form_rate(std::string_view row) {
  FormRate rate;
  for (const auto& [letter, size] : kSizes) {
    if (row.empty() || row.front() != letter) return std::nullopt;
    row.remove_prefix(1);
    const std::optional<int> value = take<int>(row);
    if (!value || *value < 1) return std::nullopt;
    rate.form.*size = *value;
  }
  const std::optional<double> step = take<double>(row), call = take<double>(row);
  if (!step || !call || !row.empty()) return std::nullopt;
  if (!std::isfinite(*step) || !std::isfinite(*call) || *step <= 0 || *call < 0)
    return std::nullopt;
  rate.cycles_per_step = *step;
  rate.cycles_per_call = *call;
  return rate;
}

}  // namespace tileplan
