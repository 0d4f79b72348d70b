#include "statements.hpp"

#include <utility>

#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

google::protobuf::ArenaOptions options_of(char* first_block, size_t size) {
  google::protobuf::ArenaOptions options;
  options.initial_block = first_block;
  options.initial_block_size = size;
  return options;
}

}  // namespace

Statements::Statements(const ClientHandles& handles, std::shared_ptr<KnownStatements> known)
    : handles_(handles), known_(std::move(known)), arena_(options_of(first_block_.data(), first_block_.size())) {}

Result<Statements::Asked> Statements::read(rpc::PeerId client, const wire::v1::Operation& operation) {
  arena_.Reset();
  Asked asked{google::protobuf::Arena::CreateMessage<wire::v1::StatementBody>(&arena_), nullptr};
  if (!asked.statement->ParseFromString(operation.body())) {
    return malformed("the body of a STATEMENT does not parse");
  }
  if (const uint32_t handle = operation.header().shape_handle(); handle != 0) {
    auto definition = handles_.statement(client, handle);
    if (!definition) {
      return definition.error();
    }
    if (!asked.statement->sql().empty()) {
      return malformed("a STATEMENT has its text in a slot and beside it");
    }
    asked.definition = std::move(*definition);
  }
  return asked;
}

bool Statements::bind(const Asked& asked, CompiledSelect& bound) {
  if (known_ == nullptr) {
    return false;
  }
  if (asked.definition == nullptr) {
    return known_->bind(*asked.statement, bound);
  }
  const DefinedStatement& defined = *asked.definition->statement;
  if (defined.known != nullptr && defined.known->bind(*asked.statement, bound)) {
    return true;
  }
  // More may be known by now.
  auto latest = known_->find(defined.sql);
  const bool is_news = latest != nullptr && latest != defined.known;
  defined.known = std::move(latest);
  return is_news && defined.known->bind(*asked.statement, bound);
}

}  // namespace daedalus::aggregator
