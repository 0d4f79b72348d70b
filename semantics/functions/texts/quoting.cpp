#include "quoting.hpp"

#include <algorithm>
#include <iterator>

namespace daedalus::semantics::scalar {
namespace {

/// PostgreSQL 15's key words but for those that are unreserved (Appendix C of its manual), in order.
constexpr std::string_view kKeyWords[] = {
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "between",
    "bigint",
    "binary",
    "bit",
    "boolean",
    "both",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "coalesce",
    "collate",
    "collation",
    "column",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "dec",
    "decimal",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "exists",
    "extract",
    "false",
    "fetch",
    "float",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "greatest",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "initially",
    "inner",
    "inout",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "lateral",
    "leading",
    "least",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "national",
    "natural",
    "nchar",
    "none",
    "normalize",
    "not",
    "notnull",
    "null",
    "nullif",
    "numeric",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "overlaps",
    "overlay",
    "placing",
    "position",
    "precision",
    "primary",
    "real",
    "references",
    "returning",
    "right",
    "row",
    "select",
    "session_user",
    "setof",
    "similar",
    "smallint",
    "some",
    "substring",
    "symmetric",
    "table",
    "tablesample",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "treat",
    "trim",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "values",
    "varchar",
    "variadic",
    "verbose",
    "when",
    "where",
    "window",
    "with",
    "xmlattributes",
    "xmlconcat",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlnamespaces",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
};
static_assert(std::is_sorted(std::begin(kKeyWords), std::end(kKeyWords)));

bool is_first_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

bool is_plain(std::string_view name) {
  return !name.empty() && is_first_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_first_letter(c) || (c >= '0' && c <= '9'); }) &&
         !std::binary_search(std::begin(kKeyWords), std::end(kKeyWords), name);
}

}  // namespace

std::string quoted_name(std::string_view name, std::string room) {
  if (is_plain(name)) {
    room.append(name);
    return room;
  }
  room += '"';
  for (const char c : name) {
    room.append(c == '"' ? 2 : 1, c);
  }
  room += '"';
  return room;
}

std::string quoted_literal(std::string_view text, std::string room) {
  room.append(text.find('\\') != std::string_view::npos ? "E'" : "'");
  for (const char c : text) {
    room.append(c == '\'' || c == '\\' ? 2 : 1, c);
  }
  room += '\'';
  return room;
}

}  // namespace daedalus::semantics::scalar
