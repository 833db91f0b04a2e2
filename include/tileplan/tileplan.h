// SPDX-License-Identifier: Apache-2.0
// This header includes the whole public interface.
#pragma once

#include "tileplan/candidate.h"
#include "tileplan/element.h"
#include "tileplan/epilogue.h"
#include "tileplan/error.h"
#include "tileplan/isa.h"
#include "tileplan/kernel.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/plan.h"
#include "tileplan/prediction.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"
#include "tileplan/verify.h"
