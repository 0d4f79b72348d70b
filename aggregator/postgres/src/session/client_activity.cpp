#include "client_activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/text.hpp"
#include "lower.hpp"

namespace daedalus::postgres {

namespace {

/// PostgreSQL's, for what is not the asker's to know.
constexpr std::string_view kWithheld = "<insufficient privilege>";
/// No other version is spoken.
constexpr std::string_view kTlsVersion = "TLSv1.3";
/// As much of a query is shown (PostgreSQL's track_activity_query_size).
constexpr size_t kQuerySizeMax = 1023;

std::string json_text(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') {
      fmt::format_to(std::back_inserter(made), "\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    made.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  }
  return made + "\"";
}

std::string sql_timestamp(Instant instant, int64_t epoch_us) {
  const semantics::Type type{semantics::TypeKind::kTimestampTz};
  return json_text(semantics::format_text(type, semantics::Value(epoch_us + instant.ns / kMicrosecond)));
}

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }

  /// A value as JSON has it.
  JsonObject& add(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "{}\"{}\":{}", out_.back() == '{' ? "" : ",", name, value);
    return *this;
  }
  JsonObject& add_text(std::string_view name, std::string_view text) { return add(name, json_text(text)); }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
};

void add_place(std::string_view address, JsonObject& object) {
  const size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  if (colon != std::string_view::npos && !host.empty()) {
    object.add_text("client_addr", host).add("client_port", address.substr(colon + 1));
  }
}

}  // namespace

void append_activity(const ClientActivity& client, int64_t epoch_us, bool is_told_all, std::string& out) {
  JsonObject object(out);
  object.add("pid", fmt::format("{}", client.process_id))
      .add_text("datname", client.database)
      .add_text("usename", client.user)
      .add_text("application_name", client.application_name);
  if (!is_told_all) {
    object.add_text("query", kWithheld).close();
    return;
  }
  add_place(client.address, object);
  object.add("backend_start", sql_timestamp(client.connected, epoch_us))
      .add("state_change", sql_timestamp(client.changed, epoch_us))
      .add_text("state", client.state)
      .add_text("backend_type", "client backend")
      .add("gss_authenticated", "false")
      .add("encrypted", "false")
      .add("ssl", client.is_encrypted ? "true" : "false");
  if (client.is_encrypted) {
    object.add_text("version", kTlsVersion);
  }
  if (client.query) {
    object.add("query_start", sql_timestamp(client.changed, epoch_us))
        .add_text("query", semantics::first_bytes(*client.query, kQuerySizeMax));
  }
  object.close();
}

bool may_show_clients(std::string_view sql) { return lower(sql).find("pg_stat_") != std::string::npos; }

}  // namespace daedalus::postgres
