// Statements as clients ask them: by their text, or by the handle that they have put it into.
//
// Decides whether a statement is known well enough to be bound here and now instead of being compiled. Refuses to know
// SQL.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "client_handles.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/merging/gather.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::aggregator {

class Statements {
 public:
  /// `known` may be null: then every statement is compiled.
  Statements(const ClientHandles& handles, std::shared_ptr<KnownStatements> known);

  /// A statement as it was asked: text or handle.
  struct Asked {
    wire::v1::StatementBody* statement;  ///< Until the next read(); without its text, where that is in a handle.
    std::shared_ptr<const Definition> definition;  ///< Null where it is not.

    [[nodiscard]] std::shared_ptr<merging::ShapeColumns> columns() const {
      return definition == nullptr ? nullptr : definition->columns;
    }
  };
  /// Errors: 08P01 it does not parse, has a text beside its handle, or its handle has none.
  [[nodiscard]] Result<Asked> read(rpc::PeerId client, const wire::v1::Operation& operation);
  /// Makes of `bound` the statement with its values, when it is a known one; false when it has to be compiled.
  [[nodiscard]] bool bind(const Asked& asked, CompiledSelect& bound);

 private:
  const ClientHandles& handles_;
  std::shared_ptr<KnownStatements> known_;
  /// A parameter is three messages: for one statement they lie side by side. What a large one took stays until the
  /// next.
  alignas(std::max_align_t) std::array<char, 8u << 10> first_block_{};
  google::protobuf::Arena arena_;
};

}  // namespace daedalus::aggregator
