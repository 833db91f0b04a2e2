// SPDX-License-Identifier: Apache-2.0
// This file splits texts into leading options, keys and numbers.
#include "descriptor.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

std::string_view take(std::string_view& rest, std::size_t length) {
  const std::string_view front = rest.substr(0, length);
  rest.remove_prefix(front.size());
  return front;
}

/// Removes all characters before the next letter, underscore or double quote and returns them,
/// including wrong ones, so that an error message can show them.
std::string_view take_number(std::string_view& rest) {
  const auto end = std::find_if(rest.begin(), rest.end(),
                                [](char c) { return is_letter(c) || c == '_' || c == '"'; });
  return take(rest, static_cast<std::size_t>(end - rest.begin()));
}

std::string name_entry(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  if (text.size() < 2 || text.find('"', 1) != text.size() - 1)
    throw Error("the name " + in_quotes(text) + " must end with its closing quote");
  return std::string(text.substr(1, text.size() - 2));
}

std::string list_of(std::span<const Key> keys) {
  std::string list;
  for (const Key& key : keys) list += " " + std::string(key.name);
  return list;
}

void read_entry(std::string_view& rest, std::span<const Key> keys, Descriptor& descriptor) {
  const std::string_view key = take(rest, leading_key(rest).size());
  if (key.empty()) throw Error(in_quotes(rest) + " stands where a key was expected");
  const auto known = std::ranges::find(keys, key, &Key::name);
  if (known == keys.end())
    throw Error("unknown key " + in_quotes(key) + "; the keys are" + list_of(keys) +
                ", and n\"NAME\" at the end");
  if (descriptor.find(key)) throw Error("key " + std::string(key) + " is given more than once");
  descriptor.numbers.emplace(key, number_from(known->least, key, take_number(rest)));
}

/// Returns the types that `option`, in lower case, selects, or nothing when it selects none. Throws
/// Error for unknown types and for types that no kernel combines.
std::optional<TensorTypes> types_asked(std::string_view option) {
  constexpr std::string_view kTypes = "--dt=";
  if (option == "--cfg=f32") return ElementType::f32;
  if (!option.starts_with(kTypes)) return std::nullopt;
  return parse_types(std::string(option.substr(kTypes.size())));
}

bool is_standard(std::string_view option) {
  constexpr std::string_view kStandard[] = {
      "--dir=fwd_b",           "--dir=fwd_d", "--dir=fwd_i",
      "--alg=direct",          "--alg=auto",  "--alg=convolution_direct",
      "--alg=convolution_auto"};
  return std::ranges::find(kStandard, option) != std::end(kStandard);
}

/// Throws Error for an `option` of benchdnn that is not supported. `lower` is the option in lower
/// case.
[[noreturn]] void refuse_option(const std::string& option, const std::string& lower) {
  if (lower == "--alg=wino" || lower == "--alg=convolution_winograd")
    throw Error(option +
                " is not supported; must be direct or auto, and --algorithm winograd or any "
                "considers Winograd convolutions");
  throw Error(option +
              " is not supported; forward and direct is (--dt=TYPES, --cfg=f32, "
              "--dir=FWD_B|FWD_D|FWD_I, --alg=direct|auto)");
}

}  // namespace

std::optional<std::int64_t> Descriptor::find(std::string_view key) const {
  const auto entry = numbers.find(key);
  return entry == numbers.end() ? std::nullopt : std::optional(entry->second);
}

std::int64_t required(const std::optional<std::int64_t>& number, std::string_view key) {
  if (!number) throw Error(std::string(key) + " is missing; it must be given");
  return *number;
}

std::string_view leading_key(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

Descriptor read_descriptor(std::string_view text, std::span<const Key> keys) {
  const bool n_is_key = std::ranges::count(keys, "n", &Key::name) > 0;
  Descriptor descriptor;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.starts_with('_')) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("n\"") || (rest.starts_with('n') && !n_is_key)) {
      descriptor.name = name_entry(rest.substr(1));
      break;
    } else {
      read_entry(rest, keys, descriptor);
    }
  }
  return descriptor;
}

TextWithTypes take_options(std::string_view text) {
  TextWithTypes typed{.text = trimmed(text)};
  std::optional<TensorTypes> asked;
  while (typed.text.starts_with("--")) {
    const auto end = std::find_if(typed.text.begin(), typed.text.end(), is_space);
    const std::string_view option =
        take(typed.text, static_cast<std::size_t>(end - typed.text.begin()));
    const std::string lower =  // benchdnn ignores case.
        boost::to_lower_copy(std::string(option), std::locale::classic());
    if (const auto types = types_asked(lower)) {
      if (asked && *asked != *types)
        throw Error(std::string(option) + " after an option that asks for " + to_string(*asked) +
                    "; they must agree");
      typed.types = asked.emplace(*types);
    } else if (!is_standard(lower)) {
      refuse_option(std::string(option), lower);
    }
    typed.text = trimmed(typed.text);
  }
  return typed;
}

}  // namespace tileplan
