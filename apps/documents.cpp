// SPDX-License-Identifier: Apache-2.0
// This file turns plans and their parts into JSON and text.
#include "documents.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "files.h"
#include "plan_json.h"
#include "tileplan/error.h"

namespace tileplan {

void print_json(const Json& document) { std::cout << document.dump(2) << '\n'; }

Json candidate_document(const Candidate& candidate, std::size_t rank) {
  const Prediction& prediction = candidate.prediction;
  const auto& measured = candidate.measurement;
  return {{"rank", rank},
          {"schedule", to_string(candidate.schedule)},
          {"layout",
           {{"in", to_string(candidate.schedule.in)}, {"out", to_string(candidate.schedule.out)}}},
          {"predicted_s", prediction.seconds},
          {"compute_s", prediction.compute_seconds},
          {"levels", levels_json(prediction.levels)},
          {"unhidden", unhidden_json(prediction.unhidden)},
          {"bottleneck", prediction.bottleneck},
          {"bound_bytes", prediction.bound_bytes},
          {"measured_s", median_or_null(measured)},
          {"kept", measured ? Json(measured->kept) : Json()},
          {"samples", measured ? Json(measured->samples) : Json()}};
}

Json per_tensor(const Computation& computation, const PerTensor<std::int64_t>& elements) {
  Json document = Json::object();
  for (std::size_t t = 0; t < computation.tensors.size(); ++t)
    document[computation.tensors[t].name] = elements.values[t];
  return document;
}

Json unplanned_json(const std::vector<Unplanned>& unplanned) {
  Json list = Json::array();
  for (const Unplanned& one : unplanned)
    list.push_back({{"node", one.name}, {"reason", one.reason}});
  return list;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      const std::string& sample = rows.back()[i];
      const bool number = !sample.empty() && sample[0] >= '0' && sample[0] <= '9';
      line += (i > 0 ? "  " : "") + (number ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
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

Json plan_document(const Plan& plan) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < plan.candidates.size(); ++i)
    candidates.push_back(candidate_document(plan.candidates[i], i + 1));
  return Json{{"problem", to_string(plan.problem)},
              {"machine", plan.machine.name},
              {"calibrated", !plan.machine.provenance.calibrated.empty()},
              {"threads", plan.options.threads},
              {"regime", to_string(plan.options.regime)},
              {"plan_ms", plan.plan_seconds * 1e3},
              {"measure_s", plan.measure_seconds},
              {"waited_s", plan.waiting_seconds},
              {"candidates", candidates},
              {"rejected", rejected_json(plan.rejected)},
              {"certificate", certificate_json(plan.certificate)}};
}

Json repack_document(const Repack& repack) {
  return {{"in_s", repack.input}, {"out_s", repack.output}};
}

std::string repack_text(const Repack& repack) {
  std::string text;
  if (repack.input > 0)
    text += "repacks the input from nchw: " + format_seconds(repack.input) + " predicted\n";
  if (repack.output > 0)
    text += "repacks the output to nchw: " + format_seconds(repack.output) + " predicted\n";
  return text;
}

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string formatted(const char* format, double value) {
  std::array<char, 400> text{};  // The largest double has 309 digits.
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string format_seconds(double seconds) {
  constexpr double kMilli = 1e-3, kMicro = 1e-6, kNano = 1e-9, kFewNanos = 50e-9;
  if (seconds >= 1) return formatted("%.3f s", seconds);
  if (seconds >= kMilli) return formatted("%.3f ms", seconds / kMilli);
  if (seconds >= kFewNanos || seconds <= 0) return formatted("%.1f us", seconds / kMicro);
  return formatted("%.1f ns", seconds / kNano);
}

std::string time_text(const std::optional<Measurement>& measured) {
  return measured ? format_seconds(measured->median_seconds) : "-";
}

std::string interval_text(const MedianInterval& interval) {
  return formatted("%.3f", interval.median) + formatted(" [%.3f, ", interval.low) +
         formatted("%.3f]", interval.high);
}

std::string mismatch_text(const Check& check) {
  return "output " + std::to_string(check.worst_index) + " is " + formatted("%g", check.got) +
         ", expected " + formatted("%g", check.expected);
}

std::string plan_table(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "predicted", "measured", "peak", "bottleneck", "schedule"}};
  const double peak_seconds = plan.flops / (plan.options.threads * peak_flops(plan.machine));
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const auto& [schedule, prediction, measurement] = plan.candidates[i];
    const double seconds = measurement ? measurement->median_seconds : prediction.seconds;
    rows.push_back({std::to_string(i + 1), format_seconds(prediction.seconds),
                    time_text(measurement), formatted("%.1f%%", 100 * peak_seconds / seconds),
                    prediction.bottleneck, to_string(schedule)});
  }
  return aligned(rows);
}

void require_file_place(const std::string& path) {
  require_replaceable(path);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    throw Error(path + ": cannot be written; the folder must exist and be writable");
}

void write_file(const std::string& path, const std::string& text) {
  require_file_place(path);
  atomic_write(path, text);
}

void write_or_print(const std::string& path, const std::string& text) {
  if (!path.empty()) return write_file(path, text);
  std::cout << text;
}

}  // namespace tileplan
