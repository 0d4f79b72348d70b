// aggregator.toml and everything it leads to, checked (docs/configuration.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/configuration/cluster.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/types.hpp"
#include "postgres_access.hpp"

namespace daedalus::aggregator {

/// The options of the private PostgreSQL that answers statements over the catalogue.
struct CatalogueOptions {
  bool is_on = false;
  std::string directory;
  bool is_temporary = false;  ///< The directory goes with the process.
  std::string programs;
  std::string user;  ///< The user that runs it where this process is root.
};

struct Configuration {
  configuration::Cluster cluster;
  std::string name;
  std::string listen;           ///< host:port
  std::string postgres_listen;  ///< host:port; empty: clients of PostgreSQL's protocol are not served.
  bool postgres_trusts_loopback = false;
  /// Says whether clients of other machines have to use TLS.
  bool postgres_requires_tls = false;
  bool postgres_writes_at_once = false;  ///< In blocks of clients that say nothing of it.
  PostgresPaths postgres_paths;
  CatalogueOptions catalogue;
  uint32_t sql_threads = 1;
  uint64_t answer_bytes = 0;      ///< The most bytes of all answers together, until they have left.
  uint64_t answer_bytes_max = 0;  ///< The most bytes of one answer.
  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  std::string hash;  ///< The hash of all files read.
};

/// Reads the file at `path`, the cluster file it names and the compiled schema that one names.
/// Errors (F0000) name file, key and remedy.
[[nodiscard]] Result<Configuration> read_configuration(const std::string& path);

}  // namespace daedalus::aggregator
