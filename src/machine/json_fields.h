// SPDX-License-Identifier: Apache-2.0
// Reads JSON files. Errors name the file, the unknown, missing or ill-typed field, and its rule.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tileplan {

using Json = nlohmann::ordered_json;

/// Parses `text`. Throws Error with `origin`, line and column when `text` is not JSON, and with the
/// rule when check_json_limits() does.
Json parse_json(const std::string& text, const std::string& origin);

/// Refers to one JSON object. Every reader throws Error "ORIGIN: FIELD is VALUE; must be RULE".
class Fields {
 public:
  /// Wraps the top-level object of `origin`. Throws Error unless its fields are `known`.
  Fields(const Json& json, const std::string& origin, std::initializer_list<const char*> known);

  bool has(const char* name) const { return json_->contains(name); }
  std::string text(const char* name) const;
  /// Throws Error unless the text is `expected`, such as the name and version of the format.
  void require(const char* name, const std::string& expected) const;
  bool flag(const char* name) const;
  int whole(const char* name) const { return static_cast<int>(integer(name, 0, kMostInt)); }
  int count(const char* name) const { return static_cast<int>(integer(name, 1, kMostInt)); }
  std::int64_t bytes(const char* name) const { return integer(name, 1, kMostSize); }
  std::int64_t size(const char* name) const { return integer(name, 0, kMostSize); }
  double positive(const char* name) const;
  double non_negative(const char* name) const;
  double at_least_one(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  std::vector<double> non_negatives(const char* name) const;
  /// Reads a list of pairs of whole numbers. In each pair, first <= last.
  std::vector<std::pair<int, int>> ranges(const char* name) const;
  Fields object(const char* name, std::initializer_list<const char*> known) const;
  std::vector<Fields> list(const char* name, std::initializer_list<const char*> known) const;

  /// Throws Error "ORIGIN: NAME is VALUE; must be RULE". Callers check rules on several fields.
  [[noreturn]] void fail(const std::string& name, const std::string& rule) const;

 private:
  static constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
  static constexpr std::int64_t kMostSize = std::numeric_limits<std::int64_t>::max();

  Fields(const Json& json, std::string origin, std::string path,
         std::initializer_list<const char*> known);
  /// Returns the field. Throws Error with `rule` when it is missing or `holds` returns false.
  template <class Holds>
  const Json& checked(const char* name, const std::string& rule, const Holds& holds) const;
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most) const;

  const Json* json_;
  std::string origin_;
  std::string path_;  ///< Errors prepend this text, such as "detected.caches[1].".
};

}  // namespace tileplan
