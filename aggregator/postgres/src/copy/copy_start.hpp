// A COPY begins here: it is found out whether it is of the table, and who reads what its client sends.
#pragma once

#include <cstddef>
#include <memory>

#include "copy_options.hpp"
#include "copy_reader.hpp"
#include "daedalus/aggregator/copy_statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// Errors: 42501 a file, 42P01 another table, 0A000 one of the catalogue.
[[nodiscard]] Result<void> check_copy_place(const aggregator::CopyStatement& copy, const semantics::Schema& schema);

/// A COPY … FROM STDIN that may begin.
struct CopyStart {
  std::shared_ptr<CopyReader> reader;
  CopyFormat format = CopyFormat::kText;
  size_t column_count = 0;
};

/// Errors: those of read_copy_options(), copy_columns() and CopyReader::make(); 0A000 WHERE; 55000 FREEZE.
[[nodiscard]] Result<CopyStart> start_copy_from(const aggregator::CopyStatement& copy,
                                                const std::shared_ptr<const semantics::Schema>& schema,
                                                const ValueStyle& style, CopyBound bound);

}  // namespace daedalus::postgres
