// Casts of constants to the supported types, as CAST(x AS t), x::t and DATE 'x' write them.
#pragma once

#include "constant.hpp"
#include "daedalus/semantics/interval_modifier.hpp"

namespace daedalus::aggregator::sql {

/// The type a name stands for. `text` is a varchar of the greatest length, bpchar
/// without a length is a char that is not padded. Errors: 42704 no such type, 0A000 a type
/// outside the supported ones, 22023 a wrong length, precision or scale.
[[nodiscard]] Result<semantics::Type> resolve_type(const Scope& scope, const grammar::TypeName& name);

/// True when a cast leaves a char(n) as it is: a bpchar without a length takes any char(n) unchanged.
[[nodiscard]] bool keeps_length(const semantics::Type& from, const semantics::Type& to);

/// The digits of seconds that are kept: fewer than six, which all SQL timestamps and times have; nothing: all are.
/// Precondition: resolve_type() made `type` of the name.
[[nodiscard]] std::optional<int32_t> precision_of_datetime(const semantics::Type& type, const grammar::TypeName& name);

/// Reads the fields and the precision behind INTERVAL in a type's name: `DAY TO SECOND (3)`. Precondition:
/// resolve_type() made an interval of the name.
[[nodiscard]] semantics::IntervalModifier modifier_of_interval(const grammar::TypeName& name);

/// PostgreSQL's modifier of what is cast to the type of this name: what is declared there. Precondition: resolve_type()
/// made `type` of the name.
[[nodiscard]] int32_t modifier_of(const semantics::Type& type, const grammar::TypeName& name);

/// The constant as `type`, by PostgreSQL's explicit casts: strings are cut to length, anything may become a string and
/// back. Errors: 42846 no such cast, and those of parse_text() and assign().
[[nodiscard]] Result<Constant> cast(const Scope& scope, const Constant& constant, const semantics::Type& type);

}  // namespace daedalus::aggregator::sql
