// A session of PostgreSQL's protocol asks these things of the process that it is in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/aggregator/plan.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/aggregator/statement_home.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/semantics/date_order.hpp"

namespace daedalus::postgres {

/// A text as its pieces: offset and size of each statement.
using TextPieces = std::vector<std::pair<uint32_t, uint32_t>>;

class CopyReader;

/// Rows that came with a COPY, packed, as far as they have been converted.
struct CopyRows {
  struct Failure {
    Error error;
    std::string context;  ///< Which line and column it is about, as PostgreSQL says it.
  };
  std::string rows;
  uint32_t row_count = 0;
  uint64_t last_line = 0;   ///< The last of them came from it.
  bool is_drained = false;  ///< For more rows more bytes are needed.
  std::optional<Failure> failure;
};

/// A piece of work that takes too long for the network's thread. The session waits for it, and has at most one under
/// way.
struct Work {
  struct Split {
    std::shared_ptr<const std::string> text;
  };
  struct Describe {
    std::string sql;
    std::vector<std::optional<aggregator::ParameterKind>> declared;
    semantics::DateOrder dates = semantics::DateOrder::kMonthDayYear;  ///< In which its texts are read.
  };
  struct Compile {
    wire::v1::StatementBody statement;
  };
  struct Convert {
    std::shared_ptr<CopyReader> reader;  ///< Nobody else looks at it meanwhile.
    std::string bytes;
    bool is_last = false;
  };
  /// Finds out whether a statement that the compiler refuses is the catalogue's.
  struct Locate {
    std::string sql;
    bool has_table = true;  ///< The client's database has the table.
  };
  /// How a statement would be carried out.
  struct Explain {
    wire::v1::StatementBody statement;
  };
  uint64_t id = 0;  ///< The session counts them.
  std::variant<Split, Describe, Compile, Convert, Locate, Explain> what;
};
using WorkDone = std::variant<TextPieces, Result<aggregator::StatementDescription>, Result<aggregator::Compiled>,
                              CopyRows, aggregator::StatementHome, Result<aggregator::Plan>>;

/// A statement for the catalogue. A session has at most one under way.
struct CatalogueWork {
  uint64_t id = 0;  ///< The session counts them.
  catalogue::Statement statement;
};

/// Who asks for a running statement to be stopped.
struct CancelKey {
  uint32_t process_id = 0;
  uint32_t secret = 0;
  friend bool operator==(const CancelKey&, const CancelKey&) = default;
};

/// Called by sessions, never from within their calls but deliver(). A session is up once its client has logged in; it
/// sends operations and work only then, and is down afterwards.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  virtual void on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) = 0;
  virtual void on_session_down(rpc::PeerId session, const std::string& reason) = 0;
  virtual void on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) = 0;
  virtual void on_session_work(rpc::PeerId session, Work&& work) = 0;
  virtual void on_session_catalogue(rpc::PeerId session, CatalogueWork&& work) = 0;
  /// The session waits no longer for the catalogue.
  virtual void on_session_catalogue_abandoned(rpc::PeerId session) = 0;
  virtual void on_cancel_request(const CancelKey& key) = 0;
};

}  // namespace daedalus::postgres
