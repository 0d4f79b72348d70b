// Statements that go by slot: their texts travel to the core once, and so do their columns back.
#include <utility>

#include "daedalus/contract/translate.hpp"
#include "session.hpp"

namespace daedalus::postgres {

std::vector<semantics::Column> PgSession::columns_of(const wire::v1::QueryRows& rows) {
  std::vector<semantics::Column> columns;
  columns.reserve(static_cast<size_t>(rows.columns_size()));
  for (const auto& column : rows.columns()) {
    const auto type = contract::to_type(column.type());
    columns.push_back({column.name(), type ? *type : semantics::Type{semantics::TypeKind::kText}, true, std::nullopt});
  }
  return columns;
}

std::shared_ptr<SlottedStatement> PgSession::make_slotted() {
  if (statement_slots_ == nullptr) {
    statement_slots_ = std::make_unique<StatementSlots>(options_.slots);
  }
  return std::make_shared<SlottedStatement>();
}

std::shared_ptr<SlottedStatement> PgSession::find_slotted(uint64_t sequence) const {
  return statement_slots_ == nullptr ? nullptr : statement_slots_->find(sequence);
}

uint32_t PgSession::slot_of(const Portal& portal) {
  const std::shared_ptr<SlottedStatement>& slotted = portal.statement->slotted;
  if (slotted == nullptr || portal.copy_out != nullptr || portal.cursor != nullptr || portal.is_simple) {
    return 0;
  }
  const std::string& sql = portal.statement->sql;
  if (statement_slots_->use(*slotted, sql) == StatementSlots::Use::kDefine) {
    statement_slots_->define(slotted, sql, requests_.next_sequence());
    wire::v1::ShapeBody shape;
    shape.set_sql(sql);
    wire::v1::Operation operation;
    operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DEFINE);
    operation.mutable_header()->set_shape_slot(slotted->slot);
    shape.SerializeToString(operation.mutable_body());
    requests_.ask(std::move(operation));
  }
  return slotted->slot;
}

void PgSession::drop_slotted(const Prepared& prepared) {
  if (prepared.slotted != nullptr) {
    statement_slots_->drop(*prepared.slotted, prepared.sql);
  }
}

/// Of whatever answer they come with: whoever waited for that may have given up.
void PgSession::learn_columns(const wire::v1::Result& result) {
  const wire::v1::QueryRows& rows = result.rows();
  if (rows.shape_sequence() != 0 && rows.columns_size() > 0) {
    if (const auto slotted = find_slotted(rows.shape_sequence())) {
      slotted->columns = columns_of(rows);
    }
  }
}

Result<void> PgSession::begin_slotted(Portal& portal, uint64_t sequence) {
  const std::shared_ptr<SlottedStatement>& own = portal.statement->slotted;
  const auto slotted = own != nullptr && own->sequence == sequence ? own : find_slotted(sequence);
  if (slotted == nullptr || !slotted->columns) {
    return rejected("XX000", "an answer has come without its columns");
  }
  if (slotted->encoder != nullptr && slotted->formats == portal.formats &&
      slotted->encoder->zone() == settings_.zone()) {
    portal.encoder = slotted->encoder;
    return {};
  }
  auto begun = begin_rows(portal, *slotted->columns);
  slotted->encoder = portal.encoder;
  slotted->formats = portal.formats;
  return begun;
}

}  // namespace daedalus::postgres
