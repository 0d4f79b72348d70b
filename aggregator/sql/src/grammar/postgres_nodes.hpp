// PostgreSQL's own structures of a parse tree, as libpg_query's parser makes them.
//
// They define macros by the hundred, so this is included last of all.
#pragma once

#include <pg_query.h>

#include <string_view>

namespace daedalus::aggregator::sql {

/// The major version of PostgreSQL that the linked parser comes from; the headers below have to come from the same.
constexpr std::string_view kParserVersion = PG_MAJORVERSION;

}  // namespace daedalus::aggregator::sql

#undef PG_MAJORVERSION
#undef PG_VERSION
#undef PG_VERSION_NUM

extern "C" {
// The others need what the first defines.
// clang-format off
#include <postgres.h>
#include <nodes/parsenodes.h>
#include <nodes/pg_list.h>
#include <nodes/value.h>
// clang-format on
}

namespace daedalus::aggregator::sql {

static_assert(kParserVersion == PG_MAJORVERSION);

}  // namespace daedalus::aggregator::sql
