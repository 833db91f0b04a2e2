// SPDX-License-Identifier: Apache-2.0
// No other file of the library calls the C functions of isl.
#include "isl_raw.h"

#include <isl/aff.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>
#include <isl/version.h>

#include <limits>

#include "check.h"
#include "isl_version.h"
#include "words.h"

namespace tileplan {

static_assert(sizeof(long) == sizeof(std::int64_t), "isl hands numbers over as long");

std::string version_of_isl() { return std::string(trimmed(isl_version())); }

IslContext::IslContext(unsigned long most_operations) : context_(isl_ctx_alloc()) {
  TILEPLAN_CHECK(context_ != nullptr, "isl context");
  isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context_, most_operations);
}

IslContext::~IslContext() { isl_ctx_free(context_); }

std::optional<std::int64_t> integer(const isl::val& value) {
  // isl_val_get_num_si returns 0 without an exception when the number does not fit into a long.
  using Limits = std::numeric_limits<long>;
  if (!value.is_int() || isl_val_cmp_si(value.get(), Limits::max()) > 0 ||
      isl_val_cmp_si(value.get(), Limits::min()) < 0)
    return std::nullopt;
  return isl_val_get_num_si(value.get());
}

isl::val coefficient(const isl::aff& form, int dim) {
  return isl::manage(isl_aff_get_coefficient_val(form.get(), isl_dim_in, dim));
}

std::vector<std::string> dim_names(const isl::set& set) {
  std::vector<std::string> names(set.tuple_dim());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* name = isl_set_get_dim_name(set.get(), isl_dim_set, static_cast<unsigned>(i));
    if (name != nullptr) names[i] = name;
  }
  return names;
}

std::string tuple_name(const isl::set& set) {
  const char* name = isl_set_get_tuple_name(set.get());
  return name == nullptr ? "" : name;
}

bool has_parameters(const isl::set& set) { return isl_set_dim(set.get(), isl_dim_param) > 0; }

bool is_plain_box(const isl::set& set) { return isl_set_is_box(set.get()) == isl_bool_true; }

isl::set within_box(const isl::set& set, const std::vector<std::int64_t>& lower,
                    const std::vector<std::int64_t>& size) {
  isl_ctx* context = isl_set_get_ctx(set.get());
  isl_set* box = set.copy();
  for (std::size_t i = 0; i < size.size(); ++i) {
    const auto at = static_cast<unsigned>(i);
    box = isl_set_lower_bound_val(box, isl_dim_set, at, isl_val_int_from_si(context, lower[i]));
    box = isl_set_upper_bound_val(box, isl_dim_set, at,
                                  isl_val_int_from_si(context, lower[i] + size[i] - 1));
  }
  return isl::manage(box);
}

std::int64_t count_points(const isl::set& set) {
  const std::optional<std::int64_t> count = integer(isl::manage(isl_set_count_val(set.get())));
  TILEPLAN_CHECK(count.has_value(), "isl counts bounded sets");
  return *count;
}

}  // namespace tileplan
