// As precompiled_messages.hpp, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled_messages.hpp"
