#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

Result<std::string> read_file(Disk& disk, const std::string& name) {
  auto file = disk.open(name);
  if (!file) {
    return file.error();
  }
  const auto size = (*file)->size();
  if (!size) {
    return size.error();
  }
  return (*file)->read(0, *size);
}

Result<void> replace_file(Disk& disk, const std::string& name, std::string_view content) {
  const std::string temporary = name + ".new";
  if (auto removed = disk.remove(temporary); !removed) {
    return removed;
  }
  {
    auto file = disk.create(temporary);
    if (!file) {
      return file.error();
    }
    if (auto written = (*file)->write(0, content); !written) {
      return written;
    }
    if (auto synced = (*file)->sync(); !synced) {
      return synced;
    }
  }
  if (auto renamed = disk.rename(temporary, name); !renamed) {
    return renamed;
  }
  return disk.sync_folder(folder_of(name));
}

std::string folder_of(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

}  // namespace daedalus::durability
