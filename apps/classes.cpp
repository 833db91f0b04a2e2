// SPDX-License-Identifier: Apache-2.0
// `tileplan classes` lists one loop order of each class of equal data movement.
#include <iostream>
#include <map>

#include "computation.h"
#include "documents.h"
#include "flags.h"
#include "orders.h"

namespace tileplan {
namespace {

/// Returns a problem of the operator in which every dim has more than one iteration.
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

Json names_of(const Computation& computation, const LoopOrder& order) {
  Json names = Json::array();
  for (const Dim dim : order) names.push_back(computation.name(dim));
  return names;
}

Json classes_document(const Computation& computation, const OrderClasses& classes) {
  Json list = Json::array();
  for (const OrderClass& one : classes.classes)
    list.push_back({{"name", one.name}, {"order", names_of(computation, one.order)}});
  return Json{{"signatures", classes.signatures}, {"classes", list}};
}

void print_text(const Computation& computation, const OrderClasses& classes) {
  std::cout << classes.classes.size() << " classes, " << classes.signatures
            << " signatures (a class is named by its innermost loops, innermost first)\n";
  std::vector<std::vector<std::string>> rows{{"class", "order, outermost first"}};
  for (const OrderClass& one : classes.classes) {
    std::string order;
    for (const Dim dim : one.order) order += (order.empty() ? "" : ",") + computation.name(dim);
    rows.push_back({one.name, order});
  }
  std::cout << aligned(rows);
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
    const Computation computation = computation_of(parse_problem(problem_text(flags->problem)));
    const OrderClasses classes = order_classes(computation);
    flags->json ? print_json(classes_document(computation, classes))
                : print_text(computation, classes);
  });
}

}  // namespace tileplan
