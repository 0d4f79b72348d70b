// The table of all run-time parameters: those that are honoured, and those that change no answer and are kept.
#include "setting_entries.hpp"

#include <algorithm>
#include <cfloat>
#include <iterator>

#include "lower.hpp"
#include "settings.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kLevels =
    "debug5|debug4|debug3|debug2|debug1|debug|log|notice|warning|error|fatal|panic|info";
constexpr std::string_view kIsolations = "read committed|read uncommitted|repeatable read|serializable";

// Why a parameter that is kept changes no answer.
constexpr std::string_view kPlanned = "Kept; no plan is chosen by costs.";
constexpr std::string_view kMemory = "Kept; what a statement may take is the cluster's business.";
constexpr std::string_view kLogged = "Kept; what is logged is the operator's business.";
constexpr std::string_view kConnections = "Kept; the operating system looks after connections.";
constexpr std::string_view kStored = "Kept; rows are not stored as PostgreSQL stores them.";
constexpr std::string_view kNoTextSearch = "Kept; there is no text search.";
constexpr std::string_view kNoTriggers = "Kept; there are no triggers.";
constexpr std::string_view kNoDefinitions = "Kept; there are no definitions to be shown.";
constexpr double kDoubleMax = DBL_MAX;

constexpr SettingEntry kept_bool(std::string_view name, std::string_view why, std::string_view value) {
  return {.name = name, .description = why, .kind = SettingKind::kBool, .value = value};
}

constexpr SettingEntry kept_choice(std::string_view name, std::string_view why, std::string_view value,
                                   std::string_view choices) {
  return {.name = name, .description = why, .kind = SettingKind::kChoice, .value = value, .choices = choices};
}

constexpr SettingEntry kept_text(std::string_view name, std::string_view why, std::string_view value) {
  return {.name = name, .description = why, .kind = SettingKind::kText, .value = value};
}

constexpr SettingEntry kept_integer(std::string_view name, std::string_view why, std::string_view value, double low,
                                    double high, SettingUnit unit = SettingUnit::kNone) {
  return {.name = name,
          .description = why,
          .kind = SettingKind::kInteger,
          .value = value,
          .low = low,
          .high = high,
          .unit = unit};
}

constexpr SettingEntry kept_real(std::string_view name, std::string_view why, std::string_view value, double low,
                                 double high, SettingUnit unit = SettingUnit::kNone) {
  return {.name = name,
          .description = why,
          .kind = SettingKind::kReal,
          .value = value,
          .low = low,
          .high = high,
          .unit = unit};
}

constexpr SettingEntry fixed(std::string_view name, std::string_view description, std::string_view value,
                             bool is_reported = false) {
  return {.name = name,
          .description = description,
          .kind = SettingKind::kFixed,
          .value = value,
          .is_reported = is_reported};
}

/// In the order of their names, whatever their case.
constexpr SettingEntry kEntries[] = {
    {.name = "application_name",
     .description = "The client's name for itself.",
     .kind = SettingKind::kText,
     .value = "",
     .is_reported = true},
    {.name = "array_nulls",
     .description = "NULL in the text of an array is no value.",
     .kind = SettingKind::kBool,
     .value = "on",
     .refused = "off"},
    kept_integer("backend_flush_after", kStored, "0", 0, 256, SettingUnit::kBlocks),
    {.name = "backslash_quote",
     .description = "Backslashes in strings mean themselves.",
     .kind = SettingKind::kChoice,
     .value = "safe_encoding",
     .choices = "safe_encoding|on|off",
     .refused = "on|off"},
    fixed("block_size", "The bytes of a page of PostgreSQL's; there are none.", "8192"),
    {.name = "bytea_output",
     .description = "How bytes are shown.",
     .kind = SettingKind::kChoice,
     .value = "hex",
     .choices = "hex|escape",
     .refused = "escape"},
    kept_bool("check_function_bodies", "Kept; there are no functions to be checked.", "on"),
    kept_integer("client_connection_check_interval", kConnections, "0", 0, INT32_MAX, SettingUnit::kMilliseconds),
    {.name = "client_encoding",
     .description = "The encoding of texts on the wire.",
     .kind = SettingKind::kEncoding,
     .value = "UTF8",
     .is_reported = true},
    kept_choice("client_min_messages", "Kept; the messages there are, are sent.", "notice", kLevels),
    kept_integer("commit_delay", kStored, "0", 0, 100000),
    kept_integer("commit_siblings", kStored, "5", 0, 1000),
    kept_choice("compute_query_id", kPlanned, "auto", "auto|regress|on|off"),
    kept_choice("constraint_exclusion", kPlanned, "partition", "partition|on|off"),
    kept_real("cpu_index_tuple_cost", kPlanned, "0.005", 0, kDoubleMax),
    kept_real("cpu_operator_cost", kPlanned, "0.0025", 0, kDoubleMax),
    kept_real("cpu_tuple_cost", kPlanned, "0.01", 0, kDoubleMax),
    kept_real("cursor_tuple_fraction", kPlanned, "0.1", 0, 1),
    {.name = "daedalus.block_writes",
     .description =
         "Whether UPDATE and DELETE are refused in a block, or each write takes effect at its own statement.",
     .kind = SettingKind::kChoice,
     .value = "refuse",
     .choices = "refuse|immediate"},
    {.name = "daedalus.compute_ms",
     .description = "How long a query may compute in a segment; 0: as long as the nodes allow.",
     .kind = SettingKind::kInteger,
     .value = "0",
     .low = 0,
     .high = INT32_MAX,
     .unit = SettingUnit::kMilliseconds},
    {.name = "daedalus.copy",
     .description = "Whether a COPY is one update, or batches that follow each other.",
     .kind = SettingKind::kChoice,
     .value = "atomic",
     .choices = "atomic|batches"},
    {.name = "daedalus.freshness",
     .description = "How long ago the aggregator may have heard last which updates are confirmed; 0: any time.",
     .kind = SettingKind::kInteger,
     .value = "0",
     .low = 0,
     .high = INT32_MAX,
     .unit = SettingUnit::kMilliseconds},
    fixed("daedalus.moment", "The timestamp at which the last query was answered; 0: none has been.", "0"),
    {.name = "daedalus.read_at",
     .description = "The timestamp at which queries are answered; 0: the newest.",
     .kind = SettingKind::kMoment,
     .value = "0"},
    {.name = "DateStyle",
     .description = "How dates are shown and read.",
     .kind = SettingKind::kDateStyle,
     .value = "ISO, MDY",
     .is_reported = true},
    kept_integer("deadlock_timeout", kStored, "1s", 1, INT32_MAX, SettingUnit::kMilliseconds),
    kept_bool("debug_pretty_print", kLogged, "on"),
    kept_bool("debug_print_parse", kLogged, "off"),
    kept_bool("debug_print_plan", kLogged, "off"),
    kept_bool("debug_print_rewritten", kLogged, "off"),
    kept_integer("default_statistics_target", kPlanned, "100", 1, 10000),
    kept_text("default_table_access_method", kStored, "heap"),
    kept_text("default_tablespace", kStored, ""),
    kept_text("default_text_search_config", kNoTextSearch, "pg_catalog.simple"),
    kept_choice("default_toast_compression", kStored, "pglz", "pglz|lz4"),
    kept_bool("default_transaction_deferrable", "Kept; no block has anything to wait for.", "off"),
    {.name = "default_transaction_isolation",
     .description = "The isolation of blocks to come.",
     .kind = SettingKind::kChoice,
     .value = "read committed",
     .choices = kIsolations},
    {.name = "default_transaction_read_only",
     .description = "Whether blocks to come take no writes.",
     .kind = SettingKind::kBool,
     .value = "off",
     .is_reported = true},
    kept_integer("effective_cache_size", kPlanned, "4GB", 1, INT32_MAX, SettingUnit::kBlocks),
    kept_integer("effective_io_concurrency", kPlanned, "1", 0, 1000),
    kept_bool("enable_async_append", kPlanned, "on"),
    kept_bool("enable_bitmapscan", kPlanned, "on"),
    kept_bool("enable_gathermerge", kPlanned, "on"),
    kept_bool("enable_hashagg", kPlanned, "on"),
    kept_bool("enable_hashjoin", kPlanned, "on"),
    kept_bool("enable_incremental_sort", kPlanned, "on"),
    kept_bool("enable_indexonlyscan", kPlanned, "on"),
    kept_bool("enable_indexscan", kPlanned, "on"),
    kept_bool("enable_material", kPlanned, "on"),
    kept_bool("enable_memoize", kPlanned, "on"),
    kept_bool("enable_mergejoin", kPlanned, "on"),
    kept_bool("enable_nestloop", kPlanned, "on"),
    kept_bool("enable_parallel_append", kPlanned, "on"),
    kept_bool("enable_parallel_hash", kPlanned, "on"),
    kept_bool("enable_partition_pruning", kPlanned, "on"),
    kept_bool("enable_partitionwise_aggregate", kPlanned, "off"),
    kept_bool("enable_partitionwise_join", kPlanned, "off"),
    kept_bool("enable_seqscan", kPlanned, "on"),
    kept_bool("enable_sort", kPlanned, "on"),
    kept_bool("enable_tidscan", kPlanned, "on"),
    kept_bool("escape_string_warning", "Kept; backslashes in strings mean themselves.", "on"),
    kept_bool("exit_on_error", kStored, "off"),
    {.name = "extra_float_digits",
     .description = "Floating values are shown so that they can be read back exactly.",
     .kind = SettingKind::kInteger,
     .value = "1",
     .refused = "-15|-14|-13|-12|-11|-10|-9|-8|-7|-6|-5|-4|-3|-2|-1|0",
     .low = -15,
     .high = 3},
    kept_choice("force_parallel_mode", kPlanned, "off", "off|on|regress"),
    kept_integer("from_collapse_limit", kPlanned, "8", 1, INT32_MAX),
    kept_bool("geqo", kPlanned, "on"),
    kept_integer("geqo_effort", kPlanned, "5", 1, 10),
    kept_integer("geqo_generations", kPlanned, "0", 0, INT32_MAX),
    kept_integer("geqo_pool_size", kPlanned, "0", 0, INT32_MAX),
    kept_real("geqo_seed", kPlanned, "0", 0, 1),
    kept_real("geqo_selection_bias", kPlanned, "2", 1.5, 2),
    kept_integer("geqo_threshold", kPlanned, "12", 2, INT32_MAX),
    kept_integer("gin_fuzzy_search_limit", kPlanned, "0", 0, INT32_MAX),
    kept_integer("gin_pending_list_limit", kPlanned, "4MB", 64, INT32_MAX, SettingUnit::kKilobytes),
    kept_real("hash_mem_multiplier", kPlanned, "2", 1, 1000),
    {.name = "idle_in_transaction_session_timeout",
     .description = "How long a client may ask for nothing within a block; 0: as long as it likes.",
     .kind = SettingKind::kInteger,
     .value = "0",
     .low = 0,
     .high = INT32_MAX,
     .unit = SettingUnit::kMilliseconds},
    {.name = "idle_session_timeout",
     .description = "How long a client may ask for nothing outside a block; 0: as long as it likes.",
     .kind = SettingKind::kInteger,
     .value = "0",
     .low = 0,
     .high = INT32_MAX,
     .unit = SettingUnit::kMilliseconds},
    fixed("in_hot_standby", "Whether writes are taken elsewhere only.", "off", true),
    fixed("integer_datetimes", "Times are whole microseconds.", "on", true),
    {.name = "IntervalStyle",
     .description = "How intervals are shown.",
     .kind = SettingKind::kChoice,
     .value = "postgres",
     .choices = "postgres|postgres_verbose|sql_standard|iso_8601",
     .is_reported = true},
    fixed("is_superuser", "There are none.", "off", true),
    kept_bool("jit", "Kept; statements are not compiled to machine code.", "off"),
    kept_real("jit_above_cost", kPlanned, "100000", -1, kDoubleMax),
    kept_bool("jit_expressions", kPlanned, "on"),
    kept_real("jit_inline_above_cost", kPlanned, "500000", -1, kDoubleMax),
    kept_real("jit_optimize_above_cost", kPlanned, "500000", -1, kDoubleMax),
    kept_bool("jit_tuple_deforming", kPlanned, "on"),
    kept_integer("join_collapse_limit", kPlanned, "8", 1, INT32_MAX),
    fixed("lc_collate", "The order of texts: by their bytes.", "C"),
    fixed("lc_ctype", "Which characters are letters: those of ASCII.", "C"),
    {.name = "lc_messages", .description = "The language of messages.", .kind = SettingKind::kLocale, .value = "C"},
    {.name = "lc_monetary",
     .description = "How amounts of money are shown.",
     .kind = SettingKind::kLocale,
     .value = "C"},
    {.name = "lc_numeric", .description = "How numbers are shown.", .kind = SettingKind::kLocale, .value = "C"},
    {.name = "lc_time", .description = "The names of days and months.", .kind = SettingKind::kLocale, .value = "C"},
    kept_text("local_preload_libraries", kStored, ""),
    kept_integer("lock_timeout", "Kept; nothing waits for a lock.", "0", 0, INT32_MAX, SettingUnit::kMilliseconds),
    kept_bool("log_duration", kLogged, "off"),
    kept_choice("log_error_verbosity", kLogged, "default", "terse|default|verbose"),
    kept_bool("log_executor_stats", kLogged, "off"),
    kept_bool("log_lock_waits", kLogged, "off"),
    kept_integer("log_min_duration_sample", kLogged, "-1", -1, INT32_MAX, SettingUnit::kMilliseconds),
    kept_integer("log_min_duration_statement", kLogged, "-1", -1, INT32_MAX, SettingUnit::kMilliseconds),
    kept_choice("log_min_error_statement", kLogged, "error",
                "debug5|debug4|debug3|debug2|debug1|info|notice|warning|error|log|fatal|panic"),
    kept_choice("log_min_messages", kLogged, "warning",
                "debug5|debug4|debug3|debug2|debug1|info|notice|warning|error|log|fatal|panic"),
    kept_integer("log_parameter_max_length", kLogged, "-1", -1, 1073741823, SettingUnit::kBytes),
    kept_integer("log_parameter_max_length_on_error", kLogged, "0", -1, 1073741823, SettingUnit::kBytes),
    kept_bool("log_parser_stats", kLogged, "off"),
    kept_bool("log_planner_stats", kLogged, "off"),
    kept_bool("log_replication_commands", kLogged, "off"),
    kept_choice("log_statement", kLogged, "none", "none|ddl|mod|all"),
    kept_real("log_statement_sample_rate", kLogged, "1", 0, 1),
    kept_bool("log_statement_stats", kLogged, "off"),
    kept_integer("log_temp_files", kLogged, "-1", -1, INT32_MAX, SettingUnit::kKilobytes),
    kept_real("log_transaction_sample_rate", kLogged, "0", 0, 1),
    kept_integer("logical_decoding_work_mem", kMemory, "64MB", 64, INT32_MAX, SettingUnit::kKilobytes),
    kept_integer("maintenance_io_concurrency", kStored, "10", 0, 1000),
    kept_integer("maintenance_work_mem", kMemory, "64MB", 1024, INT32_MAX, SettingUnit::kKilobytes),
    fixed("max_function_args", "Most arguments of a function.", "100"),
    fixed("max_identifier_length", "Most bytes of a name.", "63"),
    fixed("max_index_keys", "Most columns of an index; there are none.", "32"),
    kept_integer("max_parallel_maintenance_workers", kPlanned, "2", 0, 1024),
    kept_integer("max_parallel_workers", kPlanned, "8", 0, 1024),
    kept_integer("max_parallel_workers_per_gather", kPlanned, "2", 0, 1024),
    fixed("max_prepared_transactions", "There are none.", "0"),
    kept_integer("min_parallel_index_scan_size", kPlanned, "512kB", 0, 715827882, SettingUnit::kBlocks),
    kept_integer("min_parallel_table_scan_size", kPlanned, "8MB", 0, 715827882, SettingUnit::kBlocks),
    kept_bool("parallel_leader_participation", kPlanned, "on"),
    kept_real("parallel_setup_cost", kPlanned, "1000", 0, kDoubleMax),
    kept_real("parallel_tuple_cost", kPlanned, "0.1", 0, kDoubleMax),
    kept_choice("password_encryption", kStored, "scram-sha-256", "md5|scram-sha-256"),
    kept_choice("plan_cache_mode", kPlanned, "auto", "auto|force_generic_plan|force_custom_plan"),
    kept_bool("quote_all_identifiers", kNoDefinitions, "off"),
    kept_real("random_page_cost", kPlanned, "4", 0, kDoubleMax),
    kept_real("recursive_worktable_factor", kPlanned, "10", 0.001, 1e+06),
    kept_text("restrict_nonsystem_relation_kind", "Kept; there are no views and no foreign tables.", ""),
    {.name = "role",
     .description = "Whose rights hold: those of the user.",
     .kind = SettingKind::kIdentity,
     .value = "none"},
    kept_bool("row_security", "Kept; every reader sees every row.", "on"),
    kept_text("search_path", "Kept; the table is found without it.", "\"$user\", public"),
    kept_real("seq_page_cost", kPlanned, "1", 0, kDoubleMax),
    fixed("server_encoding", "The encoding of texts in the table.", "UTF8", true),
    fixed("server_version", "The server that clients speak to.", kServerVersion, true),
    fixed("server_version_num", "The same as a number.", "150000"),
    {.name = "session_authorization",
     .description = "The user that has logged in.",
     .kind = SettingKind::kIdentity,
     .value = "",
     .is_reported = true},
    kept_choice("session_replication_role", kNoTriggers, "origin", "origin|replica|local"),
    {.name = "standard_conforming_strings",
     .description = "Backslashes in strings mean themselves.",
     .kind = SettingKind::kBool,
     .value = "on",
     .refused = "off",
     .is_reported = true},
    {.name = "statement_timeout",
     .description = "How long a statement may take; 0: ten minutes.",
     .kind = SettingKind::kInteger,
     .value = "0",
     .low = 0,
     .high = INT32_MAX,
     .unit = SettingUnit::kMilliseconds},
    kept_choice("stats_fetch_consistency", kPlanned, "cache", "none|cache|snapshot"),
    kept_bool("synchronize_seqscans", "Kept; who scans alone begins where scans begin.", "on"),
    kept_choice("synchronous_commit", "Kept; what confirmed means is the cluster's business (durability).", "on",
                "on|off|local|remote_write|remote_apply"),
    kept_integer("tcp_keepalives_count", kConnections, "0", 0, INT32_MAX),
    kept_integer("tcp_keepalives_idle", kConnections, "0", 0, INT32_MAX),
    kept_integer("tcp_keepalives_interval", kConnections, "0", 0, INT32_MAX),
    kept_integer("tcp_user_timeout", kConnections, "0", 0, INT32_MAX),
    kept_integer("temp_buffers", kMemory, "8MB", 100, 1073741823, SettingUnit::kBlocks),
    kept_integer("temp_file_limit", kMemory, "-1", -1, INT32_MAX, SettingUnit::kKilobytes),
    kept_text("temp_tablespaces", kMemory, ""),
    {.name = "TimeZone",
     .description = "The zone of the session's clocks.",
     .kind = SettingKind::kTimeZone,
     .value = "UTC",
     .is_reported = true},
    {.name = "timezone_abbreviations",
     .description = "The short names of zones.",
     .kind = SettingKind::kChoice,
     .value = "Default",
     .choices = "default|australia|india",
     .refused = "australia|india"},
    kept_bool("trace_notify", kLogged, "off"),
    kept_bool("trace_sort", kLogged, "off"),
    kept_bool("track_activities", kLogged, "on"),
    kept_bool("track_counts", kLogged, "on"),
    kept_choice("track_functions", kLogged, "none", "none|pl|all"),
    kept_bool("track_io_timing", kLogged, "off"),
    kept_bool("track_wal_io_timing", kLogged, "off"),
    kept_bool("transaction_deferrable", "Kept; no block has anything to wait for.", "off"),
    {.name = "transaction_isolation",
     .description = "The isolation of this block.",
     .kind = SettingKind::kChoice,
     .value = "read committed",
     .choices = kIsolations},
    {.name = "transaction_read_only",
     .description = "Whether this block takes no writes.",
     .kind = SettingKind::kBool,
     .value = "off"},
    {.name = "transform_null_equals",
     .description = "Nothing equals NULL.",
     .kind = SettingKind::kBool,
     .value = "off",
     .refused = "on"},
    kept_integer("vacuum_cost_limit", kStored, "200", 1, 10000),
    kept_integer("vacuum_cost_page_dirty", kStored, "20", 0, 10000),
    kept_integer("vacuum_cost_page_hit", kStored, "1", 0, 10000),
    kept_integer("vacuum_cost_page_miss", kStored, "2", 0, 10000),
    kept_integer("vacuum_failsafe_age", kStored, "1600000000", 0, 2100000000),
    kept_integer("vacuum_freeze_min_age", kStored, "50000000", 0, 1000000000),
    kept_integer("vacuum_freeze_table_age", kStored, "150000000", 0, 2000000000),
    kept_integer("vacuum_multixact_failsafe_age", kStored, "1600000000", 0, 2100000000),
    kept_integer("vacuum_multixact_freeze_min_age", kStored, "5000000", 0, 1000000000),
    kept_integer("vacuum_multixact_freeze_table_age", kStored, "150000000", 0, 2000000000),
    kept_integer("wal_sender_timeout", kStored, "1min", 0, INT32_MAX, SettingUnit::kMilliseconds),
    kept_integer("wal_skip_threshold", kStored, "2MB", 0, INT32_MAX, SettingUnit::kKilobytes),
    kept_integer("work_mem", kMemory, "4MB", 64, INT32_MAX, SettingUnit::kKilobytes),
    kept_choice("xmlbinary", "Kept; there are no values of XML.", "base64", "base64|hex"),
    kept_choice("xmloption", "Kept; there are no values of XML.", "content", "content|document"),
};

/// PostgreSQL 15's parameters that are about its own server.
constexpr std::string_view kServerNames =
    "allow_in_place_tablespaces|allow_system_table_mods|archive_cleanup_command|archive_command|"
    "archive_library|archive_mode|archive_timeout|authentication_timeout|autovacuum|"
    "autovacuum_analyze_scale_factor|autovacuum_analyze_threshold|autovacuum_freeze_max_age|"
    "autovacuum_max_workers|autovacuum_multixact_freeze_max_age|autovacuum_naptime|"
    "autovacuum_vacuum_cost_delay|autovacuum_vacuum_cost_limit|autovacuum_vacuum_insert_scale_factor|"
    "autovacuum_vacuum_insert_threshold|autovacuum_vacuum_scale_factor|autovacuum_vacuum_threshold|"
    "autovacuum_work_mem|backtrace_functions|bgwriter_delay|bgwriter_flush_after|bgwriter_lru_maxpages|"
    "bgwriter_lru_multiplier|bonjour|bonjour_name|checkpoint_completion_target|checkpoint_flush_after|"
    "checkpoint_timeout|checkpoint_warning|cluster_name|composite_type_mismatch|config_file|data_checksums|"
    "data_directory|data_directory_mode|data_sync_retry|db_user_namespace|debug_assertions|"
    "debug_discard_caches|dynamic_library_path|dynamic_shared_memory_type|event_source|extension_destdir|"
    "external_pid_file|fsync|full_page_writes|hba_file|hot_standby|hot_standby_feedback|huge_page_size|"
    "huge_pages|ident_file|ignore_checksum_failure|ignore_invalid_pages|ignore_system_indexes|"
    "jit_debugging_support|jit_dump_bitcode|jit_profiling_support|jit_provider|krb_caseins_users|"
    "krb_server_keyfile|listen_addresses|lo_compat_privileges|log_autovacuum_min_duration|log_checkpoints|"
    "log_connections|log_destination|log_directory|log_disconnections|log_file_mode|log_filename|"
    "log_hostname|log_line_prefix|log_recovery_conflict_waits|log_rotation_age|log_rotation_size|"
    "log_startup_progress_interval|log_timezone|log_truncate_on_rotation|logging_collector|max_connections|"
    "max_files_per_process|max_locks_per_transaction|max_logical_replication_workers|max_pred_locks_per_page|"
    "max_pred_locks_per_relation|max_pred_locks_per_transaction|max_replication_slots|max_slot_wal_keep_size|"
    "max_stack_depth|max_standby_archive_delay|max_standby_streaming_delay|max_sync_workers_per_subscription|"
    "max_wal_senders|max_wal_size|max_worker_processes|min_dynamic_shared_memory|min_wal_size|"
    "old_snapshot_threshold|output_plugin_libraries|port|post_auth_delay|pre_auth_delay|primary_conninfo|"
    "primary_slot_name|promote_trigger_file|recovery_end_command|recovery_init_sync_method|"
    "recovery_min_apply_delay|recovery_prefetch|recovery_target|recovery_target_action|"
    "recovery_target_inclusive|recovery_target_lsn|recovery_target_name|recovery_target_time|"
    "recovery_target_timeline|recovery_target_xid|remove_temp_files_after_crash|restart_after_crash|"
    "restore_command|segment_size|session_preload_libraries|shared_buffers|shared_memory_size|"
    "shared_memory_size_in_huge_pages|shared_memory_type|shared_preload_libraries|ssl|ssl_ca_file|"
    "ssl_cert_file|ssl_ciphers|ssl_crl_dir|ssl_crl_file|ssl_dh_params_file|ssl_ecdh_curve|ssl_key_file|"
    "ssl_library|ssl_max_protocol_version|ssl_min_protocol_version|ssl_passphrase_command|"
    "ssl_passphrase_command_supports_reload|ssl_prefer_server_ciphers|superuser_reserved_connections|"
    "synchronous_standby_names|syslog_facility|syslog_ident|syslog_sequence_numbers|syslog_split_messages|"
    "trace_recovery_messages|track_activity_query_size|track_commit_timestamp|unix_socket_directories|"
    "unix_socket_group|unix_socket_permissions|update_process_title|vacuum_cost_delay|"
    "vacuum_defer_cleanup_age|wal_block_size|wal_buffers|wal_compression|wal_consistency_checking|"
    "wal_decode_buffer_size|wal_init_zero|wal_keep_size|wal_level|wal_log_hints|"
    "wal_receiver_create_temp_slot|wal_receiver_status_interval|wal_receiver_timeout|wal_recycle|"
    "wal_retrieve_retry_interval|wal_segment_size|wal_sync_method|wal_writer_delay|wal_writer_flush_after|"
    "zero_damaged_pages";

/// Orders like strcmp() of both names in lower case. `key` is in lower case.
bool is_before(std::string_view name, std::string_view key) {
  return std::lexicographical_compare(name.begin(), name.end(), key.begin(), key.end(),
                                      [](char one, char other) { return lower(one) < other; });
}

}  // namespace

std::span<const SettingEntry> setting_entries() { return kEntries; }

const SettingEntry* find_setting(std::string_view key) {
  const auto* const found = std::lower_bound(
      std::begin(kEntries), std::end(kEntries), key,
      [](const SettingEntry& entry, std::string_view wanted) { return is_before(entry.name, wanted); });
  return found != std::end(kEntries) && lower(found->name) == key ? found : nullptr;
}

bool is_server_setting(std::string_view key) { return is_choice(kServerNames, key); }

}  // namespace daedalus::postgres
