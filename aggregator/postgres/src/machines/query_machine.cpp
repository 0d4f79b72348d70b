#include "query_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "byte_order.hpp"
#include "row_descriptions.hpp"

namespace daedalus::postgres {

Result<void> QueryMachine::check_query() const {
  if (auto may = core_.entrance.check_role(Role::kReader, "SELECT"); !may) {
    return may;
  }
  if (core_.group.has_any()) {
    return rejected("0A000", "a query after a write that has not been submitted yet is not supported",
                    core_.block.is_open() ? "use autocommit, or COMMIT first" : "send it behind a Sync of its own");
  }
  return {};
}

void QueryMachine::start_query(Portal& portal) {
  portal.has_started = true;
  const bool may_go_by_handle = portal.copy_out == nullptr && portal.cursor == nullptr && !portal.is_simple;
  const uint32_t handle = may_go_by_handle ? core_.statements.handle_of(*portal.statement, core_.requests) : 0;
  portal.sequence =
      core_.send_statement(core_.body_of(portal, handle), handle, core_.time_left(portal.cursor != nullptr));
}

Execution& QueryMachine::await_rows(Portal& portal, uint32_t rows_max) {
  return core_.awaited.emplace<awaited::Rows>(Execution(portal, rows_max)).execution;
}

void QueryMachine::take_result(Portal& portal, wire::v1::Result&& result) {
  if (result.has_rows()) {
    return on_rows(portal, *result.mutable_rows());
  }
  portal.has_ended = true;
  portal.sequence = 0;
  if (portal.cursor != nullptr) {
    portal.cursor->moment.reset();
  }
  if (portal.cursor != nullptr && result.has_end()) {
    portal.cursor->rows.end();
  }
  if (result.has_error()) {
    portal.failure = portal.is_cancelled && result.error().sqlstate() == "57014"
                         ? Failure{cancelled_by_user(), {}}
                         : failure_of(result.error(), core_.has_timeout());
    if (portal.copy_out != nullptr) {
      portal.copy_out->place(portal.failure->error);
    }
  } else if (!result.has_end()) {
    portal.failure = Failure{rejected("XX000", "a query was answered with something else"), {}};
  }
  if (portal.cursor != nullptr && portal.failure) {
    portal.failure->error.position = 0;  // In the text of its DECLARE.
  }
}

void QueryMachine::on_rows(Portal& portal, wire::v1::QueryRows& rows) {
  if (portal.encoder == nullptr) {
    if (auto begun = begin_answer(portal, rows); !begun) {
      core_.answers.abort(portal);
      portal.has_ended = true;
      portal.failure = Failure{begun.error(), {}};
      return;
    }
  }
  if (portal.cursor != nullptr || rows.row_count() > 0) {
    core_.answers.add(portal, {std::move(*rows.mutable_rows()), rows.row_count()});
  }
}

Result<void> QueryMachine::begin_answer(Portal& portal, const wire::v1::QueryRows& first) {
  if (first.shape_sequence() != 0) {
    return begin_registered(portal, first.shape_sequence());
  }
  std::vector<semantics::Column> columns = answer_columns(first);
  auto begun = begin_rows(portal, columns);
  if (begun && portal.cursor != nullptr) {
    portal.cursor->columns = std::move(columns);
  }
  return begun;
}

Result<void> QueryMachine::begin_registered(Portal& portal, uint64_t sequence) {
  const auto registered = core_.statements.find_registered(*portal.statement, sequence);
  if (registered == nullptr || !registered->columns) {
    return rejected("XX000", "an answer has come without its columns");
  }
  if (registered->encoder != nullptr && registered->formats == portal.formats &&
      registered->encoder->style() == core_.settings->value_style()) {
    portal.encoder = registered->encoder;
    return {};
  }
  auto begun = begin_rows(portal, *registered->columns);
  registered->encoder = portal.encoder;
  registered->formats = portal.formats;
  return begun;
}

Result<void> QueryMachine::begin_rows(Portal& portal, const std::vector<semantics::Column>& columns) {
  if (portal.copy_out != nullptr) {
    auto encoder =
        portal.copy_out->begin(columns, *core_.options.schema, core_.settings->value_style(), core_.output.text());
    if (!encoder) {
      return encoder.error();
    }
    portal.encoder = std::move(*encoder);
    return {};
  }
  if (portal.is_simple) {
    portal.formats.assign(columns.size(), kTextFormat);
    if (auto told = append_columns(columns, portal.statement->command, {portal.formats, core_.settings->encoding()},
                                   core_.out());
        !told) {
      return told;
    }
  } else if (!std::equal(columns.begin(), columns.end(), portal.statement->columns.begin(),
                         portal.statement->columns.end(),
                         [](const auto& a, const auto& b) { return a.type.kind == b.type.kind; })) {
    return rejected("0A000", "the values change the types of the answer that was described",
                    "declare the parameters' types, or cast them in the statement");
  }
  portal.encoder = std::make_shared<const RowEncoder>(columns, portal.formats, core_.settings->value_style());
  return {};
}

Result<void> QueryMachine::send_rows(const Portal& portal, std::string rows) {
  if (portal.copy_out != nullptr) {
    return portal.copy_out->send(std::move(rows), core_.output);
  }
  if (!core_.group.is_holding()) {
    return core_.output.add_rows(portal.encoder, std::move(rows));
  }
  std::string_view rest = rows;
  while (!rest.empty()) {
    if (auto encoded = portal.encoder->encode(rest, WriteGroup::kHeldBytesMax, core_.group.held()); !encoded) {
      return encoded.error();
    }
    if (core_.group.held().size() >= WriteGroup::kHeldBytesMax) {
      return rejected(
          "54000", fmt::format("RETURNING gives more than {} bytes before they can be sent", WriteGroup::kHeldBytesMax),
          "send a Sync after fewer INSERTs");
    }
  }
  return {};
}

void QueryMachine::pump(Execution& execution) {
  Portal& portal = *execution.portal;
  while (!portal.rows.empty() && execution.wants_rows()) {
    auto taken = core_.answers.take(portal, execution.rows_max());
    if (!taken) {
      return core_.fail(taken.error());
    }
    execution.on_sent(taken->count);
    if (auto sent = send_rows(portal, std::move(taken->bytes)); !sent) {
      return core_.fail(sent.error());
    }
  }
  if (!execution.wants_rows()) {
    append_plain('s', core_.out());
  } else if (!portal.has_ended) {
    return;
  } else if (portal.failure) {
    return core_.fail_or_locate(portal, std::move(*portal.failure));
  } else if (portal.copy_out != nullptr) {
    portal.copy_out->end(core_.output.text());
    append_command_complete(execution.tag(), core_.output.text());
  } else {
    append_command_complete(execution.tag(), core_.out());
  }
  core_.awaited = awaited::Message{};
}

void QueryMachine::answer(Portal& portal, const std::vector<OwnRow>& rows, std::string_view tag) {
  const auto& columns = portal.statement->columns;
  if (portal.is_simple) {
    if (auto told = append_columns(columns, portal.statement->command, {portal.formats, core_.settings->encoding()},
                                   core_.out());
        !told) {
      return core_.fail(told.error());
    }
  }
  std::string messages;
  for (const auto& values : rows) {
    const MessageWriter row('D', messages);
    append_big_endian(static_cast<uint16_t>(values.size()), messages);
    for (size_t column = 0; column < values.size(); ++column) {
      const auto value = encoded(columns[column].type, values[column], core_.settings->encoding());
      if (!value) {
        return core_.fail(value.error());
      }
      append_value(columns[column].type, *value, portal.formats[column], messages, core_.settings->value_style());
    }
  }
  core_.out() += messages;
  append_command_complete(tag, core_.out());
}

}  // namespace daedalus::postgres
