// SPDX-License-Identifier: Apache-2.0
// This file reads JSON files. Errors name the file, the unknown, missing or invalid field, and the
// rule.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tileplan {

using Json = nlohmann::ordered_json;

/// Parses `text`. Throws Error with `origin` when `text` exceeds the limits of check_json_limits(),
/// when a number exceeds the range of f64, or, with line and column, when `text` is not JSON.
Json parse_json(const std::string& text, const std::string& origin);

/// Reads the fields of a JSON object, which must outlive the reader. Functions that read a field
/// throw Error "ORIGIN: FIELD is VALUE; must be RULE". whole() and size() accept integers of at
/// least 0, count() and bytes() those of at least 1.
class Fields {
 public:
  /// Wraps the top-level object of the file `origin`. Throws Error if `json` is not an object or a
  /// field is not among `known`.
  Fields(const Json& json, const std::string& origin, std::initializer_list<const char*> known);

  bool has(const char* name) const { return json_->contains(name); }
  std::string text(const char* name) const;
  /// Throws Error unless the field is the text `expected`, such as the version of a format.
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

  /// Throws Error "ORIGIN: NAME is VALUE; must be RULE". The rule may concern several fields.
  [[noreturn]] void fail(const std::string& name, const std::string& rule) const;

 private:
  static constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
  static constexpr std::int64_t kMostSize = std::numeric_limits<std::int64_t>::max();

  Fields(const Json& json, std::string origin, std::string path,
         std::initializer_list<const char*> known);
  /// Returns the field. Throws Error with `rule` if the field is missing or `holds` returns false
  /// for its value.
  template <class Holds>
  const Json& checked(const char* name, const std::string& rule, const Holds& holds) const;
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most) const;

  const Json* json_;
  std::string origin_;
  /// In messages, the names of fields begin with this path, such as "detected.caches[1].".
  std::string path_;
};

}  // namespace tileplan
