// SPDX-License-Identifier: Apache-2.0
// This file lists the products, and takes the first candidate of each setting from plans, which
// list candidates in the order of the model.
#include "gemm_settings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "csv.h"
#include "embedded.h"
#include "gemm_order.h"
#include "text_table.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// In the table of ResNet-50, batches have this many images.
constexpr std::int64_t kTableBatch = 128;
/// A plan gets room for this many candidates, so that settings with slow schedules have one too.
constexpr int kCandidates = 2000;
constexpr GemmVariant kVariants[] = {GemmVariant::b3a2c0, GemmVariant::a3b2c0};
constexpr const char* kAnyOrder = "any order";

std::vector<GemmShape> products_in(const std::string& file) {
  std::vector<GemmShape> products;
  for (const EmbeddedFile& table : embedded_layers())
    if (table.name == file)
      for (const CsvFields& row : parse_csv(table.content, table.name).rows) {
        const Problem problem = parse_problem(row.back());
        const auto* const shape = std::get_if<GemmShape>(&problem);
        if (shape != nullptr && shape->b == 1) products.push_back(*shape);
      }
  return products;
}

/// Returns the number of loops over the dimension `letter` that are inside position `outer` and
/// outside the microkernel. Loops of one trip do not count.
std::ptrdiff_t loops_inside(const Computation& computation, const Schedule& schedule,
                            std::size_t outer, char letter) {
  return std::count_if(schedule.loops.begin() + static_cast<std::ptrdiff_t>(outer) + 1,
                       schedule.loops.end(), [&](const Specifier& loop) {
                         return loop.kind != Kind::unroll && loop.kind != Kind::vector &&
                                loop.count != 1 &&
                                gemm_letter(computation, computation.dim(loop.dim)) == letter;
                       });
}

/// Returns the names of the parallel loops, or "none". The innermost loop over a dimension is named
/// ir or jr, and loops outside it ic or jc, as in gemm_order().
std::string parallel_loops(const Computation& computation, const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.loops.size(); ++i) {
    const Specifier& loop = schedule.loops[i];
    if (loop.kind != Kind::parallel) continue;
    const char letter = gemm_letter(computation, computation.dim(loop.dim));
    const bool outer = loops_inside(computation, schedule, i, letter) > 0;
    text += joined(text.empty() ? "" : " ", letter, outer ? 'c' : 'r');
  }
  return text.empty() ? "none" : text;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

Plan only(const Plan& plan, const Candidate& candidate) {
  Plan one = plan;
  one.candidates = {candidate};
  return one;
}

/// Returns the plan of `shape` in the order of a variant, or nothing when no schedule has this
/// order, as for some products of few rows.
std::optional<Plan> plan_of_variant(const GemmShape& shape, const Machine& machine,
                                    const Options& options) {
  try {
    return plan(shape, machine, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Adds to `cases` the first candidate of each setting in `plan`. All have the variant `variant`.
void append_cases(const Plan& plan, const std::string& variant, std::vector<GemmCase>& cases) {
  const Computation computation = computation_of(plan.problem);
  bool first = true;
  for (const Candidate& candidate : plan.candidates) {
    GemmSetting setting = setting_of(computation, candidate.schedule, plan.machine.vector.lanes);
    setting.variant = variant;
    const bool is_choice = std::exchange(first, false) && variant == kAnyOrder;
    if (std::ranges::find(cases, setting, &GemmCase::setting) != cases.end()) continue;
    cases.push_back(
        {.setting = std::move(setting), .plan = only(plan, candidate), .is_choice = is_choice});
  }
}

}  // namespace

std::vector<Problem> gemm_family_products() {
  std::vector<Problem> products;
  for (const std::int64_t batch : {1, 8})
    for (GemmShape shape : products_in("resnet50_gemm.csv")) {
      shape.m = shape.m * batch / kTableBatch;
      products.emplace_back(std::move(shape));
    }
  for (GemmShape& shape : products_in("opevo.csv")) products.emplace_back(std::move(shape));
  for (const int size : {64, 128, 256, 512, 1024, 2000})
    products.emplace_back(parse_gemm(joined('m', size, 'n', size, 'k', size)));
  for (GemmShape& shape : products_in("thin_gemm.csv")) products.emplace_back(std::move(shape));
  std::vector<Problem> different;
  for (Problem& problem : products) {
    std::get<GemmShape>(problem).name = "";
    if (std::ranges::find(different, problem) == different.end())
      different.push_back(std::move(problem));
  }
  return different;
}

GemmSetting setting_of(const Computation& computation, const Schedule& schedule, int lanes) {
  const GemmOrder order = gemm_order(computation, resolve(schedule, computation, lanes));
  GemmSetting setting{.variant = order.variant ? to_string(*order.variant) : kAnyOrder,
                      .a = schedule.pack_input ? "packed inside" : "in place",
                      .b = "packed before",
                      .parallel = parallel_loops(computation, schedule)};
  if (schedule.pack_weights) setting.b = "packed inside";
  if (schedule.weights_in_place) setting.b = "in place";
  return setting;
}

std::vector<GemmCase> gemm_cases(const GemmShape& shape, const Machine& machine) {
  std::vector<GemmCase> cases;
  for (const WeightsChoice weights : {WeightsChoice::plain, WeightsChoice::packed}) {
    Options options{.top = kCandidates, .weights = weights};
    append_cases(plan(shape, machine, options), kAnyOrder, cases);
    for (const GemmVariant variant : kVariants) {
      options.variant = variant;
      if (const auto found = plan_of_variant(shape, machine, options))
        append_cases(*found, to_string(variant), cases);
    }
  }
  return cases;
}

std::vector<GemmCase> parallel_gemm_cases(const GemmShape& shape, const Machine& machine) {
  std::vector<GemmCase> all;
  for (const GemmVariant variant : kVariants) {
    const Options options{.top = kCandidates,
                          .weights = WeightsChoice::plain,
                          .threads = machine.cores,
                          .variant = variant};
    if (const auto found = plan_of_variant(shape, machine, options))
      append_cases(*found, to_string(variant), all);
  }
  std::vector<GemmCase> cases;
  for (GemmCase& each : all) {
    const auto is_same = [&](const GemmCase& other) {
      return other.setting.variant == each.setting.variant &&
             first_word(other.setting.parallel) == first_word(each.setting.parallel);
    };
    if (each.setting.parallel != "none" && std::ranges::none_of(cases, is_same))
      cases.push_back(std::move(each));
  }
  return cases;
}

}  // namespace tileplan
