// The product's contract::route() and partitions_of() with a fault: the tests that link this file leave a partition out
// wherever the real one names several, or all, as an aggregator with a wrong idea of placement would.
//
// The linker puts it in (CMakeLists.txt, --wrap): the product knows nothing of it.
#pragma once

namespace daedalus::testing {

enum class RouteFault { kNone, kOfQueries, kOfUpdates };

/// For as long as it lives. One at a time.
class PlantedRouteFault {
 public:
  explicit PlantedRouteFault(RouteFault fault);
  ~PlantedRouteFault();
  PlantedRouteFault(const PlantedRouteFault&) = delete;
  PlantedRouteFault& operator=(const PlantedRouteFault&) = delete;
};

}  // namespace daedalus::testing
