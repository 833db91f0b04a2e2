// SPDX-License-Identifier: Apache-2.0
// The library is compiled with hidden symbols. Every public header opens its namespace with this
// attribute, which exports what the header declares.
#pragma once

#define TILEPLAN_PUBLIC [[gnu::visibility("default")]]
