// SPDX-License-Identifier: Apache-2.0
// This file converts rows to fields and back, and summarises rows per product and over all
// products.
#include "gemm_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "text_table.h"

namespace tileplan {
namespace {

constexpr const char* kBefore = "packed before";
/// The study allows the model's choice to be slower than the best case by this factor.
constexpr double kWithin = 1.05;
constexpr TextColumns kText{.name = 22, .cell = 12};

std::optional<MedianInterval> read_interval(CsvRow& row) {
  const std::optional<double> median = row.optional_number();
  const double low = row.number(), high = row.number();
  if (!median) return std::nullopt;
  return MedianInterval{.median = *median, .low = low, .high = high};
}

std::optional<double> median_of(const std::optional<MedianInterval>& interval) {
  return interval ? std::optional(interval->median) : std::nullopt;
}

std::optional<double> low_of(const std::optional<MedianInterval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<MedianInterval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

bool packs_before(const GemmRow& row) { return row.setting.b == kBefore; }

/// Summarises the rows of one product whose B is packed before the measured time, or those of its
/// other rows.
struct FormResult {
  std::optional<double> share;  ///< The choice reaches this share of the peak.
  std::string choice;           ///< This text names the variant and the packings of the choice.
  /// Holds the time of the choice divided by the time of the fastest case, at least 1. This is
  /// empty when there is no time of the choice and of any pair, or when a pair with a case that
  /// seemed faster was disturbed, unless another pair shows that the choice is too slow.
  std::optional<double> loss;
  /// Holds the time of the fastest peer divided by the time of the choice.
  std::optional<double> peer;
  std::string peer_name;
};

std::string letter_of(const std::string& packing) {
  if (packing == "in place") return "-";
  return packing == kBefore ? "b" : "i";
}

bool has_disturbed_rival(const std::vector<GemmRow>& rows, bool before) {
  return std::ranges::any_of(rows, [&](const GemmRow& row) {
    return packs_before(row) == before && row.role == "rival" && !row.ratio;
  });
}

FormResult result_of(const std::vector<GemmRow>& rows, bool before) {
  FormResult result;
  for (const GemmRow& row : rows) {
    if (packs_before(row) != before) continue;
    if (row.role == "choice" && row.seconds) {
      result.share = row.share_of_peak;
      result.choice =
          row.setting.variant + " A" + letter_of(row.setting.a) + " B" + letter_of(row.setting.b);
      result.loss = std::max(result.loss.value_or(1), 1.0);
    }
    if (row.role == "rival" && row.ratio)
      result.loss = std::max(result.loss.value_or(1), 1 / row.ratio->median);
    if (row.role == "peer" && row.ratio && row.ratio->median < result.peer.value_or(INFINITY)) {
      result.peer = row.ratio->median;
      result.peer_name = row.setting.variant;
    }
  }
  if (result.loss <= kWithin && has_disturbed_rival(rows, before)) result.loss.reset();
  return result;
}

/// Returns the rows of each product, in the order of the table.
std::vector<std::vector<GemmRow>> products_of(const std::vector<GemmRow>& rows) {
  std::vector<std::vector<GemmRow>> products;
  for (const GemmRow& row : rows) {
    if (products.empty() || products.back().front().problem != row.problem) products.emplace_back();
    products.back().push_back(row);
  }
  return products;
}

std::string totals_of(const std::vector<FormResult>& results, const std::string& form) {
  int chosen = 0, within = 0, compared = 0;
  double logs = 0, least = INFINITY, worst = 1;
  for (const FormResult& result : results) {
    if (result.loss) {
      ++chosen;
      within += *result.loss <= kWithin ? 1 : 0;
      worst = std::max(worst, *result.loss);
    }
    if (!result.peer) continue;
    ++compared;
    logs += std::log(*result.peer);
    least = std::min(least, *result.peer);
  }
  std::string text =
      joined(form, ": the model's choice is within 5 % of the fastest case for ", within, " of ",
             chosen, " products, and takes at most ", decimals(worst, 3), " of its time");
  if (compared > 0)
    text += joined("; best peer / choice: geometric mean ", decimals(std::exp(logs / compared), 3),
                   ", least ", decimals(least, 3), " (", compared, " products)");
  return text + '\n';
}

}  // namespace

std::string gemm_columns() {
  return "problem,role,variant,A,B,parallel,predicted,seconds,seconds low,seconds high,"
         "share of peak,ratio,ratio low,ratio high,code bytes,C bytes,note,schedule";
}

CsvFields to_fields(const GemmRow& row) {
  return fields_of(row.problem, row.role, row.setting.variant, row.setting.a, row.setting.b,
                   row.setting.parallel, row.predicted, median_of(row.seconds), low_of(row.seconds),
                   high_of(row.seconds), row.share_of_peak, median_of(row.ratio), low_of(row.ratio),
                   high_of(row.ratio), row.code_bytes, row.c_bytes, row.note, row.schedule);
}

GemmRow read_gemm_row(const CsvFields& fields) {
  CsvRow row(fields);
  GemmRow read{.problem = row.text(), .role = row.text(), .setting = {}};
  read.setting = {.variant = row.text(), .a = row.text(), .b = row.text(), .parallel = row.text()};
  read.predicted = row.optional_number();
  read.seconds = read_interval(row);
  read.share_of_peak = row.number();
  read.ratio = read_interval(row);
  read.code_bytes = static_cast<std::size_t>(row.whole());
  read.c_bytes = static_cast<std::size_t>(row.whole());
  read.note = row.text();
  read.schedule = row.text();
  return read;
}

std::string gemm_line_head() {
  return "peak: share of the peak that the model's choice reaches; loss: its time over that of the "
         "fastest case, measured in pairs;\npeer: time of the fastest peer over that of the "
         "choice. A and B are read in place (-), packed inside the time (i) or before it (b).\n" +
         text_row(kText, "problem",
                  {"peak [%]", "loss", "peer", "peak, Bb", "loss, Bb", "peer, Bb", "  choice"});
}

std::string gemm_line(const std::vector<GemmRow>& rows) {
  const FormResult inside = result_of(rows, false), before = result_of(rows, true);
  std::vector<std::string> cells;
  for (const FormResult& form : {inside, before}) {
    cells.push_back(decimals(form.share, 1, kPercent));
    cells.push_back(decimals(form.loss, 3));
    cells.push_back(decimals(form.peer, 3));
  }
  cells.push_back("  " + inside.choice + "; " + before.choice +
                  (inside.peer_name.empty() ? "" : "; best peer " + inside.peer_name));
  std::string text = text_row(kText, rows.front().problem, cells);
  std::map<std::string, int> notes;
  for (const GemmRow& row : rows)
    if (!row.note.empty()) ++notes[row.role + ": " + row.note];
  for (const auto& [note, count] : notes) text += joined("  ", count, ' ', note, '\n');
  return text;
}

std::string gemm_totals(const std::vector<GemmRow>& rows) {
  std::vector<FormResult> inside, before;
  for (const std::vector<GemmRow>& product : products_of(rows)) {
    inside.push_back(result_of(product, false));
    before.push_back(result_of(product, true));
  }
  return totals_of(inside, "packing inside") + totals_of(before, "B packed before");
}

}  // namespace tileplan
