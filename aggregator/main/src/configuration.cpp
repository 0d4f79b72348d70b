#include "configuration.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "daedalus/configuration/table.hpp"
#include "daedalus/semantics/schema_library.hpp"

namespace daedalus::aggregator {

namespace {

constexpr int64_t kSqlThreadsMax = 64;
/// The parts of a sorted answer take several times their size here.
constexpr int64_t kAnswerMemoryMibDefault = 512;
/// The default for what four nodes may answer together.
constexpr int64_t kAnswerMibDefault = 256;

/// Paths are relative to the file.
PostgresPaths postgres_paths(const configuration::File& file, const configuration::Table& root) {
  const auto path = [&](const char* key) { return root.has(key) ? file.resolve(root.text(key)) : std::string(); };
  return {path("postgres_users"), path("postgres_certificate"), path("postgres_key"), path("postgres_client_ca")};
}

constexpr const char* kPostgresPrograms = "/usr/lib/postgresql/15/bin";
constexpr const char* kRootsFolder = "/run/daedalus-catalogue";
constexpr const char* kPostgresUser = "postgres";

CatalogueOptions catalogue_options(const configuration::File& file, const configuration::Table& root) {
  CatalogueOptions options;
  options.is_on = root.has("postgres_catalogue") && root.choice("postgres_catalogue", {"on", "off"}) == "on";
  const std::string folder = "catalogue-" + root.text("name");
  options.is_temporary = !root.has("postgres_catalogue_directory") && geteuid() == 0;
  if (root.has("postgres_catalogue_directory")) {
    options.directory = file.resolve(root.text("postgres_catalogue_directory"));
  } else if (options.is_temporary) {
    // PostgreSQL's user can hardly enter root's own folders.
    options.directory = fmt::format("{}/{}", kRootsFolder, configuration::content_hash({file.resolve(folder)}));
  } else {
    options.directory = file.resolve(folder);
  }
  options.programs = file.resolve(root.has("postgres_programs") ? root.text("postgres_programs") : kPostgresPrograms);
  options.user = root.has("postgres_catalogue_user") ? root.text("postgres_catalogue_user") : kPostgresUser;
  return options;
}

/// Checks what the keys that concern clients of PostgreSQL's protocol lead to.
Result<void> check_postgres(const Configuration& configuration) {
  const PostgresPaths& paths = configuration.postgres_paths;
  if (paths.certificate.empty() != paths.key.empty()) {
    return Error{ErrorCategory::kFatal, "F0000", "postgres_certificate and postgres_key go together", "give both", 0};
  }
  if (paths.certificate.empty() && (!paths.client_ca.empty() || configuration.postgres_requires_tls)) {
    return Error{ErrorCategory::kFatal, "F0000",
                 "postgres_client_ca and postgres_require_tls are for encrypted connections",
                 "give postgres_certificate and postgres_key, too", 0};
  }
  if (auto users = read_users(paths); !users) {
    return users.error();
  }
  if (auto tls = read_tls(paths); !tls) {
    return tls.error();
  }
  return {};
}

}  // namespace

Result<Configuration> read_configuration(const std::string& path) {
  const auto file = configuration::File::read(path);
  if (!file) {
    return file.error();
  }
  Configuration configuration;
  const configuration::Table root = file->root();
  const std::string cluster_path = file->resolve(root.text("cluster"));
  configuration.name = root.text("name");
  configuration.listen = root.endpoint("listen");
  if (root.has("postgres_listen")) {
    configuration.postgres_listen = root.endpoint("postgres_listen");
  }
  if (root.has("postgres_trust")) {
    configuration.postgres_trusts_loopback = root.choice("postgres_trust", {"loopback", "nobody"}) == "loopback";
  }
  if (root.has("postgres_require_tls")) {
    configuration.postgres_requires_tls = root.choice("postgres_require_tls", {"remote", "nobody"}) == "remote";
  }
  if (root.has("postgres_block_writes")) {
    configuration.postgres_writes_at_once =
        root.choice("postgres_block_writes", {"refuse", "immediate"}) == "immediate";
  }
  configuration.postgres_paths = postgres_paths(*file, root);
  configuration.catalogue = catalogue_options(*file, root);
  configuration.sql_threads = static_cast<uint32_t>(root.integer("sql_threads", {1, kSqlThreadsMax}));
  configuration.answer_bytes = configuration::answer_bytes(root, kAnswerMemoryMibDefault);
  configuration.answer_bytes_max =
      configuration::answer_bytes_of_one(root, configuration.answer_bytes, kAnswerMibDefault);
  if (const auto finished = file->finish(); !finished) {
    return finished.error();
  }
  if (auto checked = check_postgres(configuration); !checked) {
    return checked.error();
  }
  auto cluster = configuration::read_cluster(cluster_path);
  if (!cluster) {
    return cluster.error();
  }
  const auto library = semantics::SchemaLibrary::load(cluster->schema_library);
  if (!library) {
    return library.error();
  }
  configuration.schema = std::make_shared<const semantics::Schema>(library->schema());
  auto map = configuration::partition_map(*cluster, *configuration.schema);
  if (!map) {
    return map.error();
  }
  configuration.map = std::make_shared<const contract::PartitionMap>(std::move(*map));
  configuration.hash = configuration::content_hash({file->content(), cluster->content});
  configuration.cluster = std::move(*cluster);
  return configuration;
}

}  // namespace daedalus::aggregator
