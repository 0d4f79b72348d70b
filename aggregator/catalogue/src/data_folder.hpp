// The folder that a catalogue's server has its data in: made as a whole, or not at all.
//
//   DIRECTORY/current   the data, with daedalus.sql, the script that they were made by
//   DIRECTORY/new       data that are being made
//   DIRECTORY/input.sql what a program reads
//   DIRECTORY/log       what the programs wrote
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/private_server.hpp"

namespace daedalus::catalogue {

class DataFolder {
 public:
  DataFolder(const PrivateServerOptions& options, std::optional<RunAs> run_as) : options_(options), run_as_(run_as) {}

  /// Makes the folder itself, for nobody but who the server runs as. Errors: 58000, also where it is somebody else's.
  [[nodiscard]] Result<void> prepare() const;
  /// Returns whether the folder has data that this very script made.
  [[nodiscard]] bool is_current() const;
  /// Makes data and puts them in place of those there were. Given up once `stop` can be read. Cost: about two seconds.
  /// Errors: 58000, with what went wrong at the end of the log.
  [[nodiscard]] Result<void> make(int stop) const;
  /// The table's OID. 0: it cannot be read.
  [[nodiscard]] uint32_t table_oid() const;
  [[nodiscard]] std::string current() const { return options_.directory + "/current"; }
  [[nodiscard]] std::string log() const { return options_.directory + "/log"; }
  /// Its last lines.
  [[nodiscard]] std::string end_of_log() const;

 private:
  struct Step {
    const char* program;
    std::vector<std::string> arguments;
    std::string input;  ///< Text; empty: it reads nothing.
  };
  /// Returns the steps that make data in this folder.
  [[nodiscard]] std::vector<Step> steps(const std::string& made) const;
  [[nodiscard]] Result<void> run(const Step& step, int stop) const;
  [[nodiscard]] Result<void> write(const std::string& path, const std::string& text) const;
  [[nodiscard]] std::string whole_script() const;
  [[nodiscard]] Result<void> change_owner(const std::string& path) const;

  const PrivateServerOptions& options_;
  const std::optional<RunAs> run_as_;
};

}  // namespace daedalus::catalogue
