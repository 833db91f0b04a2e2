// SPDX-License-Identifier: Apache-2.0
// This file binds records.h and request.h to Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/error.h"
#include "tileplan/request.h"
#include "tileplan/text.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

std::optional<double> median_of(const Record& record) {
  if (record.samples.empty()) return std::nullopt;
  return median_seconds(record);
}

std::string repr_of(const Record& record) {
  const auto median = median_of(record);
  return "Record(" + record.problem + ", " + (median ? format_seconds(*median) : record.failure) +
         ", " + record.schedule + ")";
}

void bind_record(nb::module_& module) {
  bind_struct<&Record::problem, &Record::schedule, &Record::machine, &Record::regime,
              &Record::version, &Record::taken, &Record::samples, &Record::failure>(
      module, "The measurement of one candidate.")
      .def_prop_ro("median_seconds", &median_of, "The median of the samples, or None.")
      .def_prop_ro("lasting", &is_lasting, "False if another machine may measure the schedule.")
      .def("__repr__", &repr_of);
  nb::class_<Records>(module, "Records",
                      "A database of records, which several processes may write.")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def(
          "add",
          [](Records& self, const std::vector<Record>& records) { return self.add(records); },
          nb::arg("records"), "Add the records that are new and return their number.")
      .def(
          "find",
          [](const Records& self, const std::string& problem, const std::string& machine,
             const std::string& since) {
            return self.find({.problem = problem, .machine = machine, .since = since});
          },
          nb::kw_only(), nb::arg("problem") = "", nb::arg("machine") = "", nb::arg("since") = "",
          "Return the records whose fields equal these texts, oldest first.")
      .def(
          "merge", [](Records& self, const std::string& path) { return self.merge(path); },
          nb::arg("path"), "Add the records of another database and return their number.")
      .def(
          "find_record",
          [](const Records& self, const MeasureRequest& request) {
            return find_record(self, request);
          },
          nb::arg("request"), "Return the newest record of the last week that answers a request.");
}

std::string line_of(const MeasureRequest& request) {
  std::string line = to_json_lines(std::vector{request});
  line.pop_back();
  return line;
}

void bind_request(nb::module_& module) {
  bind_struct<&MeasureRequest::problem, &MeasureRequest::schedule, &MeasureRequest::machine,
              &MeasureRequest::options>(module, "Asks for the measurement of a schedule.")
      .def("to_json", &line_of, "Return the line of JSON that measure() takes.")
      .def("__repr__", [](const MeasureRequest& request) {
        return "MeasureRequest(" + line_of(request) + ")";
      });
  bind_struct<&MeasureResult::record, &MeasureResult::disturbed, &MeasureResult::waiting_seconds,
              &MeasureResult::seconds>(module, "Answers a request.")
      .def("to_json", [](const MeasureResult& result) { return to_json_line(result); })
      .def("__repr__", [](const MeasureResult& result) {
        return "MeasureResult(" + repr_of(result.record) + ", " + std::to_string(result.disturbed) +
               " samples disturbed)";
      });
}

std::string answer_to(const std::string& line) {
  const std::vector<MeasureRequest> requests = parse_requests(line, "measure");
  if (requests.size() != 1)
    throw Error("measure: " + std::to_string(requests.size()) + " requests; must be one");
  return interruptible([&] { return to_json_line(measure(requests.front())); });
}

}  // namespace

void bind_requests(nb::module_& module) {
  bind_record(module);
  bind_request(module);
  module.def("records_path", &records_path, "Return the path of this user's database.");
  module.def(
      "plan_with_records",
      [](const Problem& problem, const Machine& machine, const Options& options, Records& records) {
        return interruptible([&] { return plan_with_records(problem, machine, options, records); });
      },
      nb::arg("problem"), nb::arg("machine"), nb::arg("options"), nb::arg("records"));
  module.def("machine_type", &machine_type, nb::arg("machine"),
             "Return the text that tells machines of different types apart.");
  module.def("requests_of", &requests_of, nb::arg("plan"),
             "Return a request for each of the first options.verify candidates, or for all.");
  module.def("measure_request", &answer_to, nb::arg("line"));
  module.def("parse_result", &parse_result, nb::arg("line"), nb::arg("request"),
             "Return the result in a line, which must answer the request.");
  module.def(
      "lost_result",
      [](const MeasureRequest& request, const std::string& reason) {
        return MeasureResult{.record = lost_record(request, reason)};
      },
      nb::arg("request"), nb::arg("reason"));
  module.def(
      "known_result", [](const Record& record) { return MeasureResult{.record = record}; },
      nb::arg("record"));
}

}  // namespace tileplan::python
