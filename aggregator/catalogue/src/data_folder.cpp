#include "data_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "daedalus/base/units.hpp"

namespace daedalus::catalogue {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kStepNsMax = 120 * kSecond;
/// The most bytes of the log's end that are shown.
constexpr size_t kLogEndSize = 1000;
constexpr mode_t kFolderMode = 0700;
/// The first number that is not PostgreSQL's own (FirstNormalObjectId). Single-user mode would go on below it, and
/// tools would take the table for PostgreSQL's.
constexpr const char* kFirstOid = "16384";

Error failed(const std::string& what) { return rejected("58000", what); }

Error failed(const std::string& what, const std::string& path) {
  return failed(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Result<void> DataFolder::prepare() const {
  std::error_code problem;
  fs::create_directories(fs::path(options_.directory).parent_path(), problem);
  if (mkdir(options_.directory.c_str(), kFolderMode) == 0) {
    if (auto given = change_owner(options_.directory); !given) {
      return given;
    }
  } else if (errno != EEXIST) {
    return failed("make", options_.directory);
  }
  struct stat found {};
  if (lstat(options_.directory.c_str(), &found) != 0) {
    return failed("look at", options_.directory);
  }
  const uid_t wanted = run_as_ ? run_as_->user : geteuid();
  if (!S_ISDIR(found.st_mode) || found.st_uid != wanted || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return failed(fmt::format("{} is not a folder that user {} alone may enter", options_.directory, wanted));
  }
  return {};
}

bool DataFolder::is_current() const { return read_file(current() + "/daedalus.sql") == whole_script(); }

std::string DataFolder::whole_script() const {
  return options_.script.in_template + options_.script.in_database + options_.script.in_other;
}

Result<void> DataFolder::make(int stop) const {
  const std::string made = options_.directory + "/new";
  std::error_code problem;
  fs::remove_all(made, problem);
  fs::remove(log(), problem);
  for (const Step& step : steps(made)) {
    if (auto done = run(step, stop); !done) {
      return done;
    }
  }
  const std::string hba =
      fmt::format("local {},{} {} trust\n", quoted_name(options_.database), quoted_name(kOtherDatabase), kReaderRole);
  for (const auto& [path, text] :
       {std::pair(made + "/pg_hba.conf", hba), std::pair(made + "/daedalus.sql", whole_script())}) {
    if (auto written = write(path, text); !written) {
      return written;
    }
  }
  if (auto synced = run({"initdb", {"--sync-only", "-D", made}, {}}, stop); !synced) {
    return synced;
  }
  fs::remove_all(current(), problem);
  fs::rename(made, current(), problem);
  if (problem) {
    return failed(fmt::format("cannot put {} in its place: {}", made, problem.message()));
  }
  return {};
}

std::vector<DataFolder::Step> DataFolder::steps(const std::string& made) const {
  const auto single_user = [&](const std::string& database, const std::string& input) {
    return Step{"postgres", {"--single", "-j", "-D", made, "-c", "exit_on_error=on", database}, input};
  };
  const std::string oid_text =
      fmt::format("COPY (SELECT {}::regclass::oid) TO {};\n\n", quoted_text("public." + quoted_name(options_.database)),
                  quoted_text(made + "/daedalus.oid"));
  std::vector<Step> all{{"initdb",
                         {"-D", made, "-U", std::string(kOwnerRole), "-E", "UTF8", "--locale=C", "--auth=reject",
                          "--no-sync", "--no-instructions", "--wal-segsize=1"},
                         {}},
                        {"pg_resetwal", {"-o", kFirstOid, "-D", made}, {}},
                        single_user("template1", options_.script.in_template),
                        single_user(options_.database, options_.script.in_database + oid_text)};
  if (!options_.script.in_other.empty()) {
    all.push_back(single_user(std::string(kOtherDatabase), options_.script.in_other));
  }
  return all;
}

Result<void> DataFolder::run(const Step& step, int stop) const {
  Program program;
  program.words = {options_.programs + "/" + step.program};
  program.words.insert(program.words.end(), step.arguments.begin(), step.arguments.end());
  if (!step.input.empty()) {
    program.input = options_.directory + "/input.sql";
    if (auto written = write(program.input, step.input); !written) {
      return written;
    }
  }
  program.log = log();
  program.directory = options_.directory;
  program.run_as = run_as_;
  auto child = Child::start(program);
  if (!child) {
    return child.error();
  }
  const auto status = child->wait(stop, kStepNsMax);
  if (!status) {
    return failed(fmt::format("{} did not end in time", step.program));
  }
  if (*status != 0) {
    return failed(fmt::format("{} {}: {}", step.program, to_text(*status), end_of_log()));
  }
  return {};
}

Result<void> DataFolder::write(const std::string& path, const std::string& text) const {
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    if (!file.flush()) {
      return failed("write", path);
    }
  }
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return failed("protect", path);
  }
  return change_owner(path);
}

Result<void> DataFolder::change_owner(const std::string& path) const {
  if (run_as_ && lchown(path.c_str(), run_as_->user, run_as_->group) != 0) {
    return failed("give away", path);
  }
  return {};
}

uint32_t DataFolder::table_oid() const {
  return static_cast<uint32_t>(std::strtoul(read_file(current() + "/daedalus.oid").c_str(), nullptr, 10));
}

std::string DataFolder::end_of_log() const {
  std::string text = read_file(log());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  text.erase(0, text.size() - std::min(text.size(), kLogEndSize));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace daedalus::catalogue
