#include "daedalus/durability/epoch_file.hpp"

#include <fmt/format.h>

#include <string>

#include "daedalus/node/epoch_store.hpp"
#include "daedalus/semantics/placement.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "sealed_file.hpp"

namespace daedalus::durability {

Result<std::optional<node::EpochRecord>> read_epoch(Disk& disk) {
  const auto content = read_sealed(disk, kEpochFile);
  if (!content) {
    return content.error();
  }
  if (!*content) {
    return std::optional<node::EpochRecord>();
  }
  wire::v1::EpochBody body;
  if (!body.ParseFromString(**content) || body.epoch() == 0) {
    return damaged_file(disk, kEpochFile);
  }
  if (body.epoch() > node::EpochStore::kEpochMax) {
    return Error{
        ErrorCategory::kFatal, kDataCorrupted,
        fmt::format("{}: holds epoch {}, which no writer can have raised", disk.path_of(kEpochFile), body.epoch()),
        "start the cluster afresh: remove data_dir on all nodes, and load the table again", 0};
  }
  return std::optional(
      node::EpochRecord{Epoch{body.epoch()}, body.holder(), body.endpoint(), Timestamp{body.kept_from()}});
}

Result<void> write_epoch(Disk& disk, const node::EpochRecord& record) {
  if (auto made = disk.make_folder(""); !made) {
    return made;
  }
  wire::v1::EpochBody body;
  body.set_epoch(raw(record.epoch));
  body.set_holder(record.holder);
  body.set_endpoint(record.endpoint);
  body.set_kept_from(raw(record.kept_from));
  return write_sealed(disk, kEpochFile, body.SerializeAsString());
}

}  // namespace daedalus::durability
