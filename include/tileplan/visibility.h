// SPDX-License-Identifier: Apache-2.0
// The library is compiled with hidden symbols. Public headers open their namespace with the
// attribute TILEPLAN_PUBLIC, which exports what they declare.
#pragma once

#define TILEPLAN_PUBLIC [[gnu::visibility("default")]]
