# Warnings, sanitizers and dependencies that every target shares.

option(DAEDALUS_DCHECK "Check preconditions in kernels and hot loops" OFF)
set(DAEDALUS_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")
set(DAEDALUS_BUILD release CACHE STRING "Which build this is: ship for users; release, asan or tsan for tests, each of which is at home in one")
option(DAEDALUS_FUZZERS "Build libFuzzer targets (clang only)" OFF)
# Headers that sources share are parsed, and templates instantiated, once for eight of them (decision 154). Their own
# names in anonymous namespaces must differ for that; where they do not, UNITY_BUILD is off.
option(CMAKE_UNITY_BUILD "Compile several sources of a target at once" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8 CACHE STRING "How many sources at once")
option(DAEDALUS_TESTS "Find what tests and benchmarks need; without it only the programs can be built" ON)

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
if(DAEDALUS_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(benchmark REQUIRED)
else()
  # Targets of tests stay declared, so that no folder has to ask; nothing of theirs is built.
  foreach(target IN ITEMS GTest::gmock GTest::gtest GTest::gtest_main benchmark::benchmark)
    add_library(${target} INTERFACE IMPORTED)
  endforeach()
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(NUMA REQUIRED IMPORTED_TARGET numa)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
# Not by its package: that adds -pthread, with which no precompiled header of ours is valid.
find_library(RE2_LIBRARY re2 REQUIRED)
find_library(PG_QUERY_LIBRARY pg_query REQUIRED)
# Debian's package of PostgreSQL's headers depends on a compiler of 118 MB, so tools/unpack_packages.sh takes the headers out of it.
find_path(PG_SERVER_INCLUDE nodes/parsenodes.h
          PATHS ${PROJECT_SOURCE_DIR}/build/postgresql-headers/usr/include/postgresql/15/server
                /usr/include/postgresql/15/server REQUIRED)

add_library(daedalus_flags INTERFACE)
target_compile_options(daedalus_flags INTERFACE -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                                                -Woverloaded-virtual -Wno-missing-field-initializers)
# These see ghosts in the variants and strings of g++ 12's own library (its bugs 105651, 105562, 105329), the last one in
# the shifts of Boost's integers; clang's own checks and AddressSanitizer cover what they are for.
target_compile_options(daedalus_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized
                                                -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
                                                -Wno-aggressive-loop-optimizations>)
# Sources that are compiled together look like headers to g++: what they keep to themselves is no mistake.
target_compile_options(daedalus_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
# Precompiled headers are only valid where these are the same for every target; see DaedalusTargets.cmake.
target_compile_definitions(daedalus_flags INTERFACE FMT_SHARED)
target_compile_options(daedalus_flags INTERFACE -fPIC -Winvalid-pch)
# With these ccache can tell what a precompiled header was made of: a checkout at the same path need not compile again.
target_compile_options(daedalus_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                                                $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
# Frame pointers cost next to nothing and make every profile readable.
target_compile_options(daedalus_flags INTERFACE -fno-omit-frame-pointer)
if(DAEDALUS_DCHECK)
  target_compile_definitions(daedalus_flags INTERFACE DAEDALUS_DCHECK)
endif()
if(DAEDALUS_SANITIZE)
  # What reads or writes by a wrong pointer is AddressSanitizer's to find; asking before each access takes a seventh of
  # the time of compiling.
  target_compile_options(daedalus_flags INTERFACE -fsanitize=${DAEDALUS_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-sanitize=null,vptr,object-size)
  target_link_options(daedalus_flags INTERFACE -fsanitize=${DAEDALUS_SANITIZE} -fuse-ld=lld)
endif()
if(DAEDALUS_BUILD STREQUAL "ship")
  # Programs hold only the functions that something calls. Lines and names of functions suffice for profiles and for what a
  # crash leaves behind; daedalus_program puts them into a file of their own.
  target_compile_options(daedalus_flags INTERFACE -ffunction-sections -fdata-sections -g1)
  target_link_options(daedalus_flags INTERFACE -Wl,--gc-sections)
endif()
