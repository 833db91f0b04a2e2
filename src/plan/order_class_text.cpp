// SPDX-License-Identifier: Apache-2.0
// This file prints order classes and rivals.
#include <cmath>
#include <tuple>

#include "order_class.h"
#include "plan_members.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

/// Returns the part whose time in `more` exceeds its time in `less` by most, as in "2.50 kB more
/// into L1", or nothing if no part takes longer. `word` is " more" or " less".
std::string largest_change(const Prediction& more, const Prediction& less, double hertz,
                           const std::string& word) {
  double largest = 0;
  std::string text;
  const auto compare = [&](double seconds, const std::string& part) {
    if (seconds > largest) std::tie(largest, text) = std::pair(seconds, part);
  };
  const double computing = more.compute_seconds - less.compute_seconds;
  compare(computing, fixed(computing * hertz, 0) + (word == " less" ? " fewer" : word) +
                         " cycles of computing");
  for (std::size_t i = 0; i < more.levels.size(); ++i) {
    const double bytes = more.levels[i].bytes - less.levels[i].bytes;
    const double seconds = more.levels[i].burst_seconds - less.levels[i].burst_seconds;
    compare(seconds, (bytes > 0 ? with_prefix(bytes, "B") : format_seconds(seconds)) + word +
                         " into " + more.levels[i].name);
  }
  const double unhidden = more.unhidden.sum() - less.unhidden.sum();
  compare(unhidden, format_seconds(unhidden) + word + " that nothing hides");
  return text;
}

}  // namespace

std::string class_text(const Explanation& explanation) {
  const auto& [classes, rival] = explanation.order;
  if (classes.empty()) return "";
  std::string text = "order class, innermost cache first: " + classes + '\n';
  if (!rival) return text;
  const Prediction& own = explanation.candidate.prediction;
  const Prediction& other = rival->candidate.prediction;
  const bool is_slower = other.seconds >= own.seconds;
  const std::string word = is_slower ? " more" : " less";
  const std::string change = largest_change(is_slower ? other : own, is_slower ? own : other,
                                            explanation.machine.clock.hertz, word);
  return text + "nearest rival of another class: " + rival->classes + ", predicted " +
         format_seconds(other.seconds) + " (" +
         fixed(100 * std::abs(other.seconds / own.seconds - 1), 1) + " %" + word +
         (change.empty() ? "" : ", mostly by " + change) +
         "): " + to_string(rival->candidate.schedule) + '\n';
}

nlohmann::ordered_json rival_json(const std::optional<Rival>& rival) {
  if (!rival) return nullptr;
  const Prediction& prediction = rival->candidate.prediction;
  return {{"order_class", rival->classes},
          {"schedule", to_string(rival->candidate.schedule)},
          {"predicted_s", prediction.seconds},
          {"compute_s", prediction.compute_seconds},
          {"levels", members_json(kLevelMembers, prediction.levels)}};
}

}  // namespace tileplan
