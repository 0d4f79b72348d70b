// The calendar, where the sources of this folder look for it.
#pragma once

#include "daedalus/semantics/calendar.hpp"
