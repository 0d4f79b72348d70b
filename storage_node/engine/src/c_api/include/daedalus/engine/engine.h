/* The Clock Scan engine as a C library: one segment of one table in memory, swept in cycles that carry thousands of
 * operations along.
 *
 * A program makes an engine, enqueues operations, lets it step (or gives it a thread), and dequeues outputs. Every
 * operation that was taken has exactly one output that is its last. Nothing here blocks but daedalus_engine_destroy()
 * and daedalus_engine_stop(). Constants and results are text, as PostgreSQL writes them; NULL pointers are NULL.
 *
 * Threads: one thread enqueues, one dequeues (they may be the same), one steps, unless the engine has its own thread.
 * No function throws; what a caller can get wrong comes back as a daedalus_error. Without memory for an output the
 * process ends, because an answer cannot be taken back. All pointers given are borrowed for the length of the call.
 * examples/first_cycle.c is a whole program. */
#ifndef DAEDALUS_ENGINE_ENGINE_H_
#define DAEDALUS_ENGINE_ENGINE_H_

#include <stdbool.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): names as C has them. */
#ifdef __cplusplus
extern "C" {
#endif

#define DAEDALUS_ENGINE_ABI_VERSION 1u

/* The numbers are those of the wire. */
typedef enum daedalus_type {
  DAEDALUS_BOOL = 1,
  DAEDALUS_SMALLINT = 2,
  DAEDALUS_INT = 3,
  DAEDALUS_BIGINT = 4,
  DAEDALUS_REAL = 5,
  DAEDALUS_DOUBLE = 6,
  DAEDALUS_NUMERIC = 7,
  DAEDALUS_DATE = 8,
  DAEDALUS_TIMESTAMP = 9,
  DAEDALUS_CHAR = 10,
  DAEDALUS_VARCHAR = 11,
  DAEDALUS_TIME = 14,
  DAEDALUS_UUID = 15,
  DAEDALUS_TIMESTAMPTZ = 16
} daedalus_type;

typedef struct daedalus_column {
  const char* name;
  daedalus_type type;
  uint32_t length;    /* char, varchar: bytes, 1 to 4096 */
  uint32_t precision; /* numeric: 1 to 38 */
  uint32_t scale;     /* numeric: 0 to precision */
  bool not_null;
} daedalus_column;

/* 0 stands for the default. */
typedef struct daedalus_engine_options {
  uint64_t memory_bytes;             /* of rows; 64 MiB */
  uint32_t chunk_rows;               /* a multiple of 64, at most 65,536; 16,384, fewer where rows are wide */
  uint32_t operations_in_flight_max; /* enqueued and not yet dequeued to their last output; 8,192 */
  uint32_t share_factor_max;         /* most queries in one cycle; 1,024 */
  uint32_t updates_per_cycle_max;    /* 1,024 */
  uint64_t answer_bytes_max;         /* of one query; 64 MiB */
  uint64_t answer_part_bytes;        /* from so many on, rows come ahead of the rest; answers come whole */
} daedalus_engine_options;

/* Says what went wrong. sqlstate is PostgreSQL's, empty when nothing did. */
typedef struct daedalus_error {
  char sqlstate[6];
  char message[250];
} daedalus_error;

typedef enum daedalus_operator {
  DAEDALUS_EQUAL = 1,
  DAEDALUS_NOT_EQUAL = 2,
  DAEDALUS_LESS = 3,
  DAEDALUS_LESS_OR_EQUAL = 4,
  DAEDALUS_GREATER = 5,
  DAEDALUS_GREATER_OR_EQUAL = 6,
  DAEDALUS_STARTS_WITH = 9,
  DAEDALUS_IS_NULL = 11, /* takes no value */
  DAEDALUS_IS_NOT_NULL = 12
} daedalus_operator;

/* One comparison of a condition. Comparisons in a row that have or_next set, and the one after them, are a disjunction;
 * a row qualifies when every disjunction holds. */
typedef struct daedalus_comparison {
  const char* column;
  daedalus_operator op;
  const char* value;
  bool or_next;
} daedalus_comparison;

typedef enum daedalus_function {
  DAEDALUS_VALUE = 0,      /* the column itself; beside aggregates: a group of its own for each value */
  DAEDALUS_COUNT_ROWS = 1, /* takes no column */
  DAEDALUS_COUNT = 2,
  DAEDALUS_SUM = 3,
  DAEDALUS_MIN = 4,
  DAEDALUS_MAX = 5,
  DAEDALUS_AVG = 6
} daedalus_function;

typedef struct daedalus_result_column {
  const char* column;
  daedalus_function function;
} daedalus_result_column;

typedef struct daedalus_order_key {
  uint32_t result_column; /* position among the results */
  bool descending;        /* NULLs last ascending, first descending */
} daedalus_order_key;

typedef struct daedalus_assignment {
  const char* column;
  const char* value;
  bool add; /* adds value to a number or a date instead of setting it */
} daedalus_assignment;

typedef enum daedalus_operation_kind {
  DAEDALUS_SELECT = 1,
  DAEDALUS_INSERT = 2,
  DAEDALUS_UPDATE = 3,
  DAEDALUS_DELETE = 4
} daedalus_operation_kind;

/* A kind ignores the members that it does not name below. */
typedef struct daedalus_operation {
  daedalus_operation_kind kind;
  /* SELECT: any number, given back with its outputs. Others: the timestamp of the update, above all earlier ones: its
   * place in the order of updates. A query sees all updates enqueued before it. */
  uint64_t id;
  /* SELECT, UPDATE, DELETE: which rows; none: all. */
  const daedalus_comparison* comparisons;
  uint32_t comparison_count;
  /* SELECT */
  const daedalus_result_column* results;
  uint32_t result_count;
  const daedalus_order_key* order;
  uint32_t order_count;
  uint64_t limit;      /* 0: none */
  int64_t deadline_ns; /* on the clock that steps are told; the query fails past it. 0: none */
  /* INSERT: row_count rows, one after the other, of as many texts as the table has columns. */
  const char* const* values;
  uint32_t row_count;
  /* UPDATE: at most one of each column. */
  const daedalus_assignment* assignments;
  uint32_t assignment_count;
} daedalus_operation;

typedef struct daedalus_engine daedalus_engine;

/* Reserves all memory. Returns NULL and says why when a column or an option is wrong (42P16; rows are at most 2^20
 * bytes) or memory is short (53200), be it memory_bytes, which has to hold 64 rows. `error` may be NULL everywhere. */
daedalus_engine* daedalus_engine_create(const daedalus_column* columns, uint32_t column_count,
                                        const daedalus_engine_options* options, daedalus_error* error);

/* Ends what is under way unanswered and gives everything back. Outputs that were dequeued remain valid. NULL is legal.
 */
void daedalus_engine_destroy(daedalus_engine* engine);

/* Takes an operation, or returns false and says why: nothing was taken then. 53000: operations_in_flight_max are under
 * way; anything else: the operation is wrong. Cost: its parsing; no lock. */
bool daedalus_engine_enqueue(daedalus_engine* engine, const daedalus_operation* operation, daedalus_error* error);

/* Runs at most one cycle, or what is left of one, or `chunks_max` chunks of it (0: no bound); `now_ns` judges
 * deadlines. False when nothing is pending. Not while the engine has its own thread (CHECKed). */
bool daedalus_engine_step(daedalus_engine* engine, int64_t now_ns, uint32_t chunks_max);

/* Gives the engine a thread of its own, pinned to `core` (negative: to none), asleep while nothing is pending;
 * enqueueing wakes it. Deadlines are then on CLOCK_MONOTONIC. `outputs_ready`, which may be NULL, is called from that
 * thread when there is something to dequeue; it must not block. False when there is no thread to be had. */
bool daedalus_engine_start(daedalus_engine* engine, int32_t core, void (*outputs_ready)(void* context), void* context);
/* Finishes the running cycle and ends the thread; steps may follow. */
void daedalus_engine_stop(daedalus_engine* engine);

typedef enum daedalus_output_kind {
  DAEDALUS_ROWS = 1,    /* of a SELECT: all of its rows, or more of them */
  DAEDALUS_UPDATED = 2, /* an INSERT, UPDATE or DELETE has taken effect */
  DAEDALUS_FAILED = 3   /* a SELECT ended without an answer; rows that came ahead of it are void */
} daedalus_output_kind;

typedef struct daedalus_output daedalus_output;

/* The next output, or NULL when there is none. It is the caller's to free. Updates come in the order of their
 * timestamps, a query's last output after all updates that it saw. */
daedalus_output* daedalus_engine_dequeue(daedalus_engine* engine);
void daedalus_output_free(daedalus_output* output);

daedalus_output_kind daedalus_output_get_kind(const daedalus_output* output);
uint64_t daedalus_output_id(const daedalus_output* output);
/* False: more rows of the same query follow. */
bool daedalus_output_is_last(const daedalus_output* output);
/* The timestamp of the last update that a query saw, or of the update itself. */
uint64_t daedalus_output_prefix(const daedalus_output* output);
/* ROWS: rows in this output. UPDATED: rows written or deleted. */
uint64_t daedalus_output_row_count(const daedalus_output* output);
/* UPDATED: rows left as they were, for want of room or because a sum left its column's range. */
uint64_t daedalus_output_refused_count(const daedalus_output* output);
/* FAILED: why; else NULL. */
const daedalus_error* daedalus_output_error(const daedalus_output* output);
/* ROWS: moves to the next row, at first to the first. False behind the last. */
bool daedalus_output_next_row(daedalus_output* output);
/* A result of the row moved to, NULL for NULL; valid until the next move. Precondition (CHECKed): there is such a row
 * and such a result. */
const char* daedalus_output_text(const daedalus_output* output, uint32_t result_column);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* DAEDALUS_ENGINE_ENGINE_H_ */
