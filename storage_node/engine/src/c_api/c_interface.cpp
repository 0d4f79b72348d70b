// The C interface: an engine as an opaque object, its outputs as text.
//
// Decides what may cross: no exception, no C++ type. Refuses to know how anything is done.
#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "c_operations.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/engine/engine.h"
#include "daedalus/engine/segment.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "daedalus/engine/segment_thread.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::engine {
namespace {

using semantics::Schema;
using semantics::Selection;
using semantics::Type;

template <size_t size>
void copy_text(const std::string& text, char (&out)[size]) {
  const size_t length = std::min(text.size(), size - 1);
  std::memcpy(out, text.data(), length);
  std::memset(out + length, 0, size - length);
}

void set_error(daedalus_error* out, const Error& error) {
  if (out != nullptr) {
    copy_text(error.sqlstate, out->sqlstate);
    copy_text(error.message, out->message);
  }
}

const Error& no_memory() {
  static const Error error{ErrorCategory::kRetry, "53200", "out of memory", {}, 0};
  return error;
}

/// Holds what is known of a query from its enqueueing to its last output. Its address is its handle.
struct PreparedQuery {
  uint64_t id = 0;
  Selection selection;
  std::vector<Type> types;                        ///< The types of its results.
  std::optional<semantics::AnswerMerger> merger;  ///< Absent: the segment's rows are the results.
  std::optional<Error> failure;                   ///< The merger's error; reported at the end.
};

SegmentOptions make_options(const daedalus_engine_options* given) {
  SegmentOptions made;
  if (given == nullptr) {
    return made;
  }
  const auto take = [](auto value, auto& option) {
    if (value != 0) {
      option = value;
    }
  };
  take(given->memory_bytes, made.memory_bytes);
  take(given->chunk_rows, made.chunk_rows);
  take(given->operations_in_flight_max, made.operations_in_flight_max);
  take(given->share_factor_max, made.share_factor_max);
  take(given->updates_per_cycle_max, made.updates_per_cycle_max);
  take(given->answer_bytes_max, made.answer_bytes_max);
  take(given->answer_part_bytes, made.answer_part_bytes);
  return made;
}

Result<void> check_options(const Schema& schema, const SegmentOptions& options) {
  if (options.chunk_rows % 64 != 0 || options.chunk_rows > kChunkRowsMax) {
    return rejected("42P16", "chunk_rows is a multiple of 64, at most " + std::to_string(kChunkRowsMax));
  }
  if (std::max(options.operations_in_flight_max, options.share_factor_max) > (1u << 24)) {
    return rejected("42P16", "operations_in_flight_max is at most 2^24");
  }
  if (options.chunk_rows == 0) {
    if (const Result<SegmentShape> shape = segment_shape(schema, options.memory_bytes); !shape) {
      return shape.error();
    }
  }
  return {};
}

Result<std::unique_ptr<PreparedQuery>> prepare(const Schema& schema, const daedalus_operation& operation) {
  Result<Selection> selection = read_selection(schema, operation);
  if (!selection) {
    return selection.error();
  }
  auto query = std::make_unique<PreparedQuery>();
  query->id = operation.id;
  query->selection = std::move(*selection);
  for (const semantics::Column& column : semantics::final_columns(query->selection)) {
    query->types.push_back(column.type);
  }
  if (!semantics::can_stream(query->selection)) {
    query->merger.emplace(query->selection, semantics::AnswerForm::kFinal);
  }
  return query;
}

}  // namespace
}  // namespace daedalus::engine

namespace engine = daedalus::engine;
namespace semantics = daedalus::semantics;

struct daedalus_engine {
  daedalus_engine(semantics::Schema table, const engine::SegmentOptions& options)
      : schema(std::move(table)), codec(schema), segment(schema, codec.codec(), options) {}

  const semantics::Schema schema;
  const semantics::GenericRowCodec codec;
  engine::Segment segment;
  std::unique_ptr<engine::SegmentThread> thread;
  daedalus::Timestamp enqueued{};
  /// Set to let go of everything under way.
  const std::shared_ptr<std::atomic<bool>> is_closing = std::make_shared<std::atomic<bool>>(false);
};

struct daedalus_output {
  daedalus_output_kind kind = DAEDALUS_ROWS;
  uint64_t id = 0;
  uint64_t prefix = 0;
  uint64_t row_count = 0;
  uint64_t refused_count = 0;
  bool is_last = true;
  daedalus_error error{};
  std::string rows;
  std::optional<semantics::PackedRows> walk;
  std::vector<semantics::Type> types;
  std::vector<std::optional<std::string>> texts;  ///< The values of the row moved to.
};

namespace {

using engine::PreparedQuery;

daedalus::Result<void> enqueue_select(daedalus_engine& engine, const daedalus_operation& operation) {
  daedalus::Result<std::unique_ptr<PreparedQuery>> prepared = engine::prepare(engine.schema, operation);
  if (!prepared) {
    return prepared.error();
  }
  engine::Query query;
  query.handle = engine::QueryHandle{reinterpret_cast<uintptr_t>(prepared->get())};
  // Not owning: it lives until its last output has been dequeued.
  query.selection = std::shared_ptr<const semantics::Selection>(std::shared_ptr<void>(), &(*prepared)->selection);
  query.deadline = operation.deadline_ns == 0 ? daedalus::kNever : daedalus::Instant{operation.deadline_ns};
  query.aborted = engine.is_closing;
  if (!engine.segment.enqueue(std::move(query))) {
    return daedalus::rejected("53000", "as many operations are under way as there may be");
  }
  static_cast<void>(prepared->release());
  return {};
}

daedalus::Result<void> enqueue_update(daedalus_engine& engine, const daedalus_operation& operation) {
  if (daedalus::Timestamp{operation.id} <= engine.enqueued) {
    return daedalus::rejected("08P01", "an update has a timestamp above all earlier ones");
  }
  daedalus::Result<engine::Update> update = engine::read_update(engine.schema, operation);
  if (!update) {
    return update.error();
  }
  if (!engine.segment.enqueue(std::move(*update))) {
    return daedalus::rejected("53000", "as many operations are under way as there may be");
  }
  engine.enqueued = daedalus::Timestamp{operation.id};
  return {};
}

daedalus::Result<void> enqueue(daedalus_engine& engine, const daedalus_operation& operation) {
  switch (operation.kind) {
    case DAEDALUS_SELECT:
      return enqueue_select(engine, operation);
    case DAEDALUS_INSERT:
    case DAEDALUS_UPDATE:
    case DAEDALUS_DELETE:
      return enqueue_update(engine, operation);
  }
  return daedalus::rejected("08P01", "there is no such kind of operation");
}

void fail(daedalus_output& output, const daedalus::Error& error) {
  output.kind = DAEDALUS_FAILED;
  output.row_count = 0;
  output.rows.clear();
  engine::set_error(&output.error, error);
}

/// All rows of a query that is merged, at its end.
void finish_merged(PreparedQuery& query, daedalus_output& output) {
  if (query.failure.has_value()) {
    return fail(output, *query.failure);
  }
  daedalus::Result<semantics::MergedRows> merged = semantics::merge_all(*query.merger);
  if (!merged) {
    return fail(output, merged.error());
  }
  output.rows = std::move(merged->rows);
  output.row_count = merged->row_count;
}

/// False: the consumer has nothing from it yet.
bool fill(engine::QueryOutput& from, daedalus_output& output) {
  auto* query = reinterpret_cast<PreparedQuery*>(static_cast<uintptr_t>(from.handle));
  const std::unique_ptr<PreparedQuery> owned(from.is_last ? query : nullptr);
  output.id = query->id;
  output.prefix = raw(from.prefix);
  output.is_last = from.is_last;
  output.types = query->types;
  if (from.error.has_value()) {
    fail(output, *from.error);
  } else if (!query->merger.has_value()) {
    output.rows = std::move(from.rows);
    output.row_count = from.row_count;
  } else {
    if (!query->failure.has_value()) {
      if (const auto added = query->merger->add(0, {std::move(from.rows), from.row_count}); !added) {
        query->failure = added.error();
      }
    }
    if (!from.is_last) {
      return false;
    }
    finish_merged(*query, output);
  }
  output.walk.emplace(output.rows);
  return true;
}

bool fill(const engine::UpdateOutput& from, daedalus_output& output) {
  output.kind = DAEDALUS_UPDATED;
  output.id = raw(from.timestamp);
  output.prefix = output.id;
  output.row_count = from.rows_applied;
  output.refused_count = from.refused_no_room + from.refused_overflow;
  return true;
}

bool move_to_next_row(daedalus_output& output) {
  output.texts.clear();
  if (!output.walk.has_value()) {
    return false;
  }
  const auto row = output.walk->next();
  CHECK(row);  // The engine made it.
  if (!row->has_value()) {
    return false;
  }
  const auto values = semantics::read_packed_row(output.types, **row);
  CHECK(values);
  for (size_t place = 0; place < values->size(); ++place) {
    const semantics::Value& value = (*values)[place];
    output.texts.push_back(
        semantics::is_null(value) ? std::nullopt : std::optional(semantics::format_text(output.types[place], value)));
  }
  return true;
}

}  // namespace

extern "C" {

daedalus_engine* daedalus_engine_create(const daedalus_column* columns, uint32_t column_count,
                                        const daedalus_engine_options* options, daedalus_error* error) {
  try {
    daedalus::Result<semantics::Schema> schema = engine::read_schema(columns, column_count);
    if (!schema) {
      engine::set_error(error, schema.error());
      return nullptr;
    }
    const engine::SegmentOptions made = engine::make_options(options);
    if (const auto checked = engine::check_options(*schema, made); !checked) {
      engine::set_error(error, checked.error());
      return nullptr;
    }
    return new daedalus_engine(std::move(*schema), made);
  } catch (const std::bad_alloc&) {
    engine::set_error(error, engine::no_memory());
    return nullptr;
  }
}

void daedalus_engine_destroy(daedalus_engine* engine) {
  if (engine == nullptr) {
    return;
  }
  daedalus_engine_stop(engine);
  engine->is_closing->store(true);
  do {
    while (daedalus_output* output = daedalus_engine_dequeue(engine)) {
      daedalus_output_free(output);
    }
  } while (engine->segment.step({0}));
  while (daedalus_output* output = daedalus_engine_dequeue(engine)) {
    daedalus_output_free(output);
  }
  delete engine;
}

bool daedalus_engine_enqueue(daedalus_engine* engine, const daedalus_operation* operation, daedalus_error* error) {
  try {
    if (const auto taken = enqueue(*engine, *operation); !taken) {
      engine::set_error(error, taken.error());
      return false;
    }
  } catch (const std::bad_alloc&) {
    engine::set_error(error, engine::no_memory());
    return false;
  }
  if (engine->thread != nullptr) {
    engine->thread->wake();
  }
  return true;
}

bool daedalus_engine_step(daedalus_engine* engine, int64_t now_ns, uint32_t chunks_max) {
  CHECK(engine->thread == nullptr);
  return engine->segment.step({now_ns}, {.chunks_max = chunks_max == 0 ? UINT32_MAX : chunks_max});
}

bool daedalus_engine_start(daedalus_engine* engine, int32_t core, void (*outputs_ready)(void* context), void* context) {
  CHECK(engine->thread == nullptr);
  try {
    engine::SegmentThreadOptions options;
    if (core >= 0) {
      options.core = static_cast<uint32_t>(core);
    }
    if (outputs_ready != nullptr) {
      options.outputs_ready = [=] { outputs_ready(context); };
    }
    engine->thread = std::make_unique<engine::SegmentThread>(engine->segment, std::move(options));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void daedalus_engine_stop(daedalus_engine* engine) { engine->thread.reset(); }

daedalus_output* daedalus_engine_dequeue(daedalus_engine* engine) {
  try {
    while (std::optional<engine::Output> taken = engine->segment.dequeue()) {
      auto output = std::make_unique<daedalus_output>();
      if (std::visit([&](auto& from) { return fill(from, *output); }, *taken)) {
        return output.release();
      }
    }
    return nullptr;
  } catch (const std::bad_alloc&) {
    daedalus::check_failed("memory for an output", __FILE__, __LINE__);
  }
}

void daedalus_output_free(daedalus_output* output) { delete output; }

daedalus_output_kind daedalus_output_get_kind(const daedalus_output* output) { return output->kind; }
uint64_t daedalus_output_id(const daedalus_output* output) { return output->id; }
bool daedalus_output_is_last(const daedalus_output* output) { return output->is_last; }
uint64_t daedalus_output_prefix(const daedalus_output* output) { return output->prefix; }
uint64_t daedalus_output_row_count(const daedalus_output* output) { return output->row_count; }
uint64_t daedalus_output_refused_count(const daedalus_output* output) { return output->refused_count; }

const daedalus_error* daedalus_output_error(const daedalus_output* output) {
  return output->kind == DAEDALUS_FAILED ? &output->error : nullptr;
}

bool daedalus_output_next_row(daedalus_output* output) {
  try {
    return move_to_next_row(*output);
  } catch (const std::bad_alloc&) {
    daedalus::check_failed("memory for a row", __FILE__, __LINE__);
  }
}

const char* daedalus_output_text(const daedalus_output* output, uint32_t result_column) {
  CHECK(result_column < output->texts.size());
  const std::optional<std::string>& text = output->texts[result_column];
  return text.has_value() ? text->c_str() : nullptr;
}

}  // extern "C"
