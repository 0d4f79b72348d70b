// A session awaits one thing at a time. Each alternative holds all that the session goes on with once that thing has
// come, so that nothing is awaited whose state is not there, and nothing stays behind what is not awaited any longer.
//
// Refuses to know what is done then. Portals are borrowed: one that is executed is not dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "copy_in.hpp"
#include "daedalus/aggregator/plan.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/semantics/types.hpp"
#include "description_run.hpp"
#include "execution.hpp"
#include "failure.hpp"
#include "frontend.hpp"
#include "portal.hpp"

namespace daedalus::postgres {

/// The texts of one Query message, and how far it has come.
struct SimpleRun {
  std::shared_ptr<const std::string> text;
  TextPieces pieces;
  size_t next = 0;
};

namespace awaited {

// ---- from the client ----
struct FirstMessage {};
struct LoginMessage {};
struct Message {};

// ---- from the clock: the session may tell whether a password was right ----
struct Verdict {};

// ---- from a worker ----
struct Pieces {
  std::unique_ptr<SimpleRun> run;
  bool is_cancelled = false;
};
struct Description {
  std::unique_ptr<DescriptionRun> run;
  bool is_cancelled = false;
};
/// The worker finds out whether a statement is one over the catalogue: one that is executed, or one to be described.
struct Home {
  using Statement = std::variant<Portal*, std::unique_ptr<DescriptionRun>>;
  Statement statement;
  std::unique_ptr<Failure> refusal;  ///< The client is told this of a statement that is not.
  bool is_cancelled = false;
};
struct Compilation {
  Execution execution;
  bool is_cancelled = false;
};
struct Plan {
  Portal* portal;
  bool is_cancelled = false;
};

// ---- from the core ----
/// The aggregator computes the values of an EXECUTE.
struct Values {
  struct Run {
    std::shared_ptr<const Prepared> statement;
    uint32_t rows_max = 0;
    uint64_t sequence = 0;
    std::vector<semantics::Type> types = {};  ///< As they come.
    std::string row = {};
  };
  Portal* portal;
  std::unique_ptr<Run> run;
  bool is_cancelled = false;
};
/// A moment is held, at which all of a block of REPEATABLE READ reads: the portal is executed once it is.
struct Moment {
  Portal* portal = nullptr;
  uint32_t rows_max = 0;
};
struct Rows {
  Execution execution;
};
/// The nodes say how many rows the table of an EXPLAIN has.
struct TableSize {
  Portal* portal;
  std::unique_ptr<const aggregator::Plan> plan;
  uint64_t sequence = 0;
  bool is_cancelled = false;
};
/// The writer's, of a submission.
struct Outcome {
  /// The submission ends this.
  enum class Ends : uint8_t { kSimple, kSync, kFlush, kBlock, kWriteInBlock };
  Ends ends;
};

// ---- from the catalogue ----
struct CatalogueDescription {
  std::unique_ptr<DescriptionRun> run;
};
struct CatalogueCursor {
  Portal* portal;
};
struct CatalogueRows {
  Execution execution;
};

// ---- from whomever CopyIn::next() names: the client, a worker or the writer ----
struct Copy {
  std::unique_ptr<CopyIn> copy;
};

// ---- from nobody ----
struct Over {
  std::optional<std::string> reason;
};

}  // namespace awaited

using Awaited =
    std::variant<awaited::FirstMessage, awaited::LoginMessage, awaited::Message, awaited::Verdict, awaited::Pieces,
                 awaited::Description, awaited::Home, awaited::Compilation, awaited::Plan, awaited::Values,
                 awaited::Moment, awaited::Rows, awaited::TableSize, awaited::Outcome, awaited::CatalogueDescription,
                 awaited::CatalogueCursor, awaited::CatalogueRows, awaited::Copy, awaited::Over>;

/// Returns the kind of frame that the client may send now; nothing where somebody else is awaited.
[[nodiscard]] std::optional<FrameKind> wanted_frame(const Awaited& awaited);
[[nodiscard]] bool is_of_login(const Awaited& awaited);
[[nodiscard]] bool is_of_catalogue(const Awaited& awaited);
/// The client wants it no longer: the session says so once it has come. Where that cannot be, nothing changes.
void cancel(Awaited& awaited);
[[nodiscard]] bool is_cancelled(const Awaited& awaited);
/// Returns the text of the statement that awaits it; empty where it is no statement's.
[[nodiscard]] std::string_view sql_of(const Awaited& awaited);

}  // namespace daedalus::postgres
