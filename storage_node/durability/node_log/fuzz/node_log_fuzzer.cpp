// Logs made of arbitrary files: refused, or what was read of them goes on. Checksums are made right, since a fuzzer
// would never come by them, and then some bits may turn.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/durability/log_format.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/durability/node_records.hpp"
#include "daedalus/durability/simulated_disk.hpp"
#include "daedalus/semantics/placement.hpp"

namespace {

using namespace daedalus;
using namespace daedalus::durability;

constexpr uint64_t kFilesMax = 4;
constexpr uint64_t kRecordsMax = 6;
constexpr uint64_t kTimestampMax = 24;

/// Holds what is left of the input; zeros behind its end.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  uint64_t below(uint64_t bound) {
    const uint64_t drawn = bytes_.empty() ? 0 : static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(bytes_.empty() ? 0 : 1);
    return drawn % bound;
  }
  std::string text(size_t size) {
    const std::string taken(bytes_.substr(0, size));
    bytes_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view bytes_;
};

node::LogRecord draw_record(Input& input, Timestamp last) {
  if (input.below(4) == 0) {
    const Timestamp first{raw(last) - input.below(raw(last))};
    return {Epoch{1 + input.below(3)}, {first, last}, {.is_no_op = true, .digest = 0}, nullptr};
  }
  auto body = std::make_shared<const std::string>(input.text(input.below(16)));
  const uint64_t digest = semantics::digest(*body);
  return {Epoch{1 + input.below(3)}, {last, last}, {.is_no_op = false, .digest = digest}, std::move(body)};
}

std::string draw_outcomes(Input& input, Timestamp last) {
  std::vector<node::OutcomeRecord> outcomes;
  node::OutcomeRecord outcome{last, {}};
  for (uint64_t segments = input.below(3); segments > 0; --segments) {
    engine::UpdateOutput output;
    output.timestamp = last;
    output.rows_matched = input.below(200);
    output.slots.push_back({static_cast<uint32_t>(input.below(100)), static_cast<uint32_t>(input.below(100))});
    if (input.below(2) == 0) {
      count_refused(output, "22012", 1 + input.below(200));
    }
    if (input.below(4) == 0) {
      output.part_rows = {input.below(3), input.below(200)};
    }
    outcome.segments.emplace_back(node::SegmentIndex{static_cast<uint32_t>(input.below(4))}, output);
  }
  outcomes.push_back(std::move(outcome));
  return encode_outcomes(outcomes);
}

/// One log: most of its files go on where the one before ends.
class LogMaker {
 public:
  LogMaker(Input& input, LogKind kind, const char* folder, std::map<std::string, std::string>& image)
      : input_(input), kind_(kind), folder_(folder), image_(image) {}

  void make() {
    for (uint64_t files = input_.below(kFilesMax); files > 0; --files) {
      make_file();
    }
  }

 private:
  void make_file() {
    number_ += 1 + input_.below(2);
    LogFileHeader header{kind_, number_, previous_, previous_end_, last_};
    if (input_.below(8) == 0) {
      header = {kind_, input_.below(5), input_.below(5), input_.below(200), Timestamp{input_.below(kTimestampMax)}};
    }
    std::string bytes = encode_header(header);
    for (uint64_t records = input_.below(kRecordsMax); records > 0; --records) {
      make_record(bytes);
    }
    previous_ = number_;
    previous_end_ = bytes.size();
    bytes.append(input_.below(3) * 16, '\0');
    if (input_.below(8) == 0) {
      bytes[input_.below(bytes.size())] ^= static_cast<char>(1u << input_.below(8));
    }
    image_[log_file_name(folder_, number_)] = std::move(bytes);
  }

  void make_record(std::string& bytes) {
    last_ = Timestamp{raw(last_) + 1 + (input_.below(8) == 0 ? input_.below(4) : 0)};
    std::string payload;
    if (input_.below(8) == 0) {
      payload = input_.text(input_.below(64));
    } else if (kind_ == LogKind::kOutcomes) {
      payload = draw_outcomes(input_, last_);
    } else {
      const node::LogRecord record = draw_record(input_, last_);
      payload = encode_update(record, chain_);
      chain_ = next_chain(chain_, record);
    }
    const uint64_t synced = input_.below(2) * bytes.size();
    encode_record({kind_, number_}, {bytes.size(), synced}, last_, payload, bytes);
  }

  Input& input_;
  LogKind kind_;
  const char* folder_;
  std::map<std::string, std::string>& image_;
  uint64_t number_ = 0;
  uint64_t previous_ = 0;
  uint64_t previous_end_ = 0;
  Timestamp last_{};
  Chain chain_ = 0;
};

Result<NodeLogEnd> read(Disk& disk, const LogFloor& floor, Timestamp& reached) {
  return read_node_log(disk, floor, [&](node::LogRecord record, const auto& /*recorded*/) -> Result<void> {
    CHECK(record.range.first <= record.range.last);
    CHECK(record.range.last > reached);
    reached = record.range.last;
    return {};
  });
}

/// Goes on with what could be read, which is all there after a loss of power.
void go_on(SimulatedDisk& disk, const LogFloor& floor, NodeLogEnd end) {
  const Timestamp next{raw(std::max(end.updates.last_record, floor.after)) + 1};
  auto body = std::make_shared<const std::string>("body");
  const uint64_t digest = semantics::digest(*body);
  NodeLog log(disk, {.update_file_bytes = 256, .outcome_file_bytes = 256}, std::move(end));
  log.append({node::LogRecord{Epoch{4}, {next, next}, {.is_no_op = false, .digest = digest}, std::move(body)}});
  CHECK(log.write());
  CHECK(log.sync());
  log.append_outcomes({node::OutcomeRecord{next, {}}}, next);
  CHECK(log.sync_outcomes());
  disk.crash();
  disk.restart();
  Timestamp reached{};
  const auto again = read(disk, floor, reached);
  CHECK(again);
  CHECK(reached == next);
  CHECK(again->outcomes.last_record == next);
}

void read_files(Input input) {
  std::map<std::string, std::string> image;
  LogMaker(input, LogKind::kUpdates, kUpdatesFolder, image).make();
  LogMaker(input, LogKind::kOutcomes, kOutcomesFolder, image).make();
  SimulatedDisk disk([](uint64_t /*bound*/) { return uint64_t{0}; });
  CHECK(disk.make_folder(kUpdatesFolder));
  CHECK(disk.make_folder(kOutcomesFolder));
  disk.put_back(image);
  const LogFloor floor{.after = Timestamp{input.below(kTimestampMax)}};
  Timestamp reached{};
  auto end = read(disk, floor, reached);
  if (!end) {
    CHECK(!end.error().message.empty());
    return;
  }
  go_on(disk, floor, std::move(*end));
}

void read_payload(std::string_view bytes, Timestamp last) {
  if (const auto update = decode_update(last, bytes)) {
    CHECK(encode_update(update->record, update->before) == bytes);
  }
  if (const auto outcomes = decode_outcomes(bytes)) {
    const auto again = decode_outcomes(encode_outcomes(*outcomes));
    CHECK(again);
    CHECK(encode_outcomes(*again) == encode_outcomes(*outcomes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 0) {
    read_payload(bytes, Timestamp{data[0] / 4u});
  } else {
    read_files(Input(bytes));
  }
  return 0;
}
