// SPDX-License-Identifier: Apache-2.0
// `tileplan classes` lists one loop order of each class of equal data movement.
#include <iostream>
#include <map>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/movement.h"
#include "tileplan/text.h"
#include "verbs.h"

namespace tileplan {
namespace {

/// Returns a small problem with the operator that the text names, or the text itself when it names
/// no operator. Each loop that belongs to the operator has more than one iteration, because the
/// classes ignore loops of one iteration.
std::string problem_text(const std::string& operator_or_problem) {
  static const std::map<std::string, std::string> operators{
      {"gemm", "m4n4k4"},
      {"bmm", "b2m4n4k4"},
      {"conv", "mb2ic4ih6oc4oh4kh3ph0"},
      {"gconv", "g2mb2ic4ih6oc4oh4kh3ph0"},
      {"depthwise", "g4mb2ic4ih6oc4oh4kh3ph0"},
      {"conv1x1", "mb2ic4ih4oc4oh4kh1ph0"}};
  const auto found = operators.find(operator_or_problem);
  return found == operators.end() ? operator_or_problem : found->second;
}

/// Parses the name of an operator or the text of a problem. Messages of errors list the operators.
Problem problem_with(const std::string& operator_or_problem) {
  try {
    return parse_problem(problem_text(operator_or_problem));
  } catch (const Error& error) {
    throw Error(std::string(error.what()) +
                "; the operators are gemm, bmm, conv, gconv, depthwise and conv1x1");
  }
}

Json classes_document(const LoopOrderClasses& found) {
  Json list = Json::array();
  for (const LoopOrderClass& one : found.classes)
    list.push_back({{"name", one.name}, {"order", one.order}});
  return Json{{"signatures", found.signatures}, {"classes", list}};
}

void print_text(const LoopOrderClasses& found) {
  std::cout << fitted(
      std::to_string(found.classes.size()) + " classes, " + std::to_string(found.signatures) +
          " signatures (a class is named by its innermost loops, innermost first)\n",
      terminal_style());
  std::vector<std::vector<std::string>> rows{{"class", "order, outermost first"}};
  for (const LoopOrderClass& one : found.classes) {
    std::string order;
    for (const std::string& loop : one.order) order.append(order.empty() ? "" : ",").append(loop);
    rows.push_back({one.name, order});
  }
  std::cout << table_text(rows, terminal_style());
}

}  // namespace

void add_classes(CLI::App& app) {
  auto flags = std::make_shared<PlanFlags>();
  CLI::App* verb =
      app.add_subcommand("classes", "List one loop order of each class of equal data movement.");
  add_problem(
      *verb, flags->problem,
      "The operator is gemm, bmm, conv, gconv, depthwise or conv1x1, or that of a descriptor, "
      "layer name or relation, whose dimensions of extent 1 do not count.")
      ->required();
  add_flags(*verb, *flags, {"--json"});
  verb->callback([flags] {
    const LoopOrderClasses found = loop_order_classes(problem_with(flags->problem));
    if (flags->json)
      print_json(classes_document(found));
    else
      print_text(found);
  });
}

}  // namespace tileplan
