# How a library, a program and a test are declared: one way for all folders.

# Precompiled headers: two thirds of the time of a cold build goes into parsing the same headers from outside the tree.
# One set for base, semantics and the engine, one for what speaks of messages, too, one for tests (two under a sanitizer);
# each is compiled once and shared, so those who share one are optimised alike.
#
# Of what tests run, libraries compute: half of the time of tests' own sources went into optimising them, and under a
# sanitizer two thirds. There only tests that call themselves busy are optimised.
set(test_sets test)
if(DAEDALUS_SANITIZE)
  set(DAEDALUS_OPTIONS_test -O0)
  list(APPEND test_sets busy_test)
else()
  set(DAEDALUS_OPTIONS_test $<$<CONFIG:Release>:-O1>)
endif()
foreach(set standard messages ${test_sets})
  add_library(daedalus_precompiled_${set} OBJECT ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
  target_link_libraries(daedalus_precompiled_${set} PRIVATE daedalus_flags Boost::headers)
  target_compile_options(daedalus_precompiled_${set} PRIVATE ${DAEDALUS_OPTIONS_${set}})
  string(REPLACE "busy_" "" header ${set})
  target_precompile_headers(daedalus_precompiled_${set} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_${header}.hpp)
endforeach()
target_sources(daedalus_precompiled_standard PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_standard.cpp)
target_link_libraries(daedalus_precompiled_messages PRIVATE fmt::fmt protobuf::libprotobuf)
foreach(set ${test_sets})
  target_link_libraries(daedalus_precompiled_${set} PRIVATE fmt::fmt protobuf::libprotobuf GTest::gmock)
endforeach()

# daedalus_precompile(NAME SET): a target takes a set of precompiled headers, and what it is optimised with.
function(daedalus_precompile name set)
  target_compile_options(${name} PRIVATE ${DAEDALUS_OPTIONS_${set}})
  target_precompile_headers(${name} REUSE_FROM daedalus_precompiled_${set})
endfunction()

# daedalus_library(NAME SOURCES ... LINK ... [STANDARD]): headers in include/, sources in src/. STANDARD: it is free of
# Protocol Buffers, and so is what it has precompiled.
function(daedalus_library name)
  cmake_parse_arguments(ARG "STANDARD" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE daedalus_flags ${ARG_PRIVATE_LINK})
  set(set messages)
  if(ARG_STANDARD)
    set(set standard)
  endif()
  daedalus_precompile(${name} ${set})
endfunction()

# daedalus_program(NAME SOURCES ... LINK ...): a program in bin. In the build for users its debug information lies beside it,
# in NAME.debug, where gdb and perf find it.
function(daedalus_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE daedalus_flags ${ARG_LINK})
  daedalus_precompile(${name} messages)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(DAEDALUS_BUILD STREQUAL "ship")
    set(debug $<TARGET_FILE:${name}>.debug)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
      COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${name}> ${debug}
      COMMAND ${CMAKE_OBJCOPY} --strip-unneeded --add-gnu-debuglink=${debug} $<TARGET_FILE:${name}>)
  endif()
endfunction()

# daedalus_program_of_two_builds(NAME SOURCES ... LINK ...): the program, and NAME-later, which is the same as a later build
# has it (semantics/tests/later_build.cpp), for tests of two builds beside each other: they are at home in release.
function(daedalus_program_of_two_builds name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  daedalus_program(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  daedalus_program(${name}-later SOURCES ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/semantics/tests/later_build.cpp
                   LINK ${ARG_LINK})
  target_include_directories(${name}-later PRIVATE ${PROJECT_SOURCE_DIR}/semantics/functions/evaluation)
  foreach(program ${name} ${name}-later)
    target_compile_definitions(${program} PRIVATE DAEDALUS_VERSION="${PROJECT_VERSION}")
  endforeach()
  if(NOT DAEDALUS_BUILD STREQUAL "release" OR NOT DAEDALUS_TESTS)
    set_target_properties(${name}-later PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Each test has one home among the builds, where `make test` or `make test-slow` runs it (docs/building.md says which and
# why). `make nightly` runs it in the other builds, too: under ThreadSanitizer only where it has threads.
#
#   home_tests     builds the tests that are at home in this build; label `home`
#   crossed_tests  builds the others; label `crossed`
#   fuzz_tests     builds the fuzzers; label `fuzz`
foreach(lane home crossed fuzz)
  add_custom_target(${lane}_tests)
endforeach()

# daedalus_run(NAME COMMAND ... TARGETS ... HOME release|asan|tsan [HOME_ONLY] [THREADS] [TIMEOUT SECONDS] [COST SECONDS]): one
# test of CTest's, and the targets that are built for it. HOME_ONLY: no other build could find more. COST: how long it
# takes where that is more than some seconds, so that long tests begin first.
function(daedalus_run name)
  cmake_parse_arguments(ARG "THREADS;HOME_ONLY" "TIMEOUT;COST;HOME" "COMMAND;TARGETS" ${ARGN})
  if(NOT ARG_HOME MATCHES "^(release|asan|tsan)$")
    message(FATAL_ERROR "${name}: HOME is release, asan or tsan")
  endif()
  if(ARG_HOME STREQUAL DAEDALUS_BUILD)
    set(lane home)
  else()
    set(lane crossed)
    set_target_properties(${ARG_TARGETS} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(lane STREQUAL "crossed" AND (ARG_HOME_ONLY OR (DAEDALUS_BUILD STREQUAL "tsan" AND NOT ARG_THREADS)))
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(DAEDALUS_SANITIZE)
    math(EXPR ARG_TIMEOUT "6 * ${ARG_TIMEOUT}")  # A sanitizer makes a test many times as long.
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${lane} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_COST)
    set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
  endif()
  add_dependencies(${lane}_tests ${ARG_TARGETS})
endfunction()

# daedalus_test(NAME SOURCES ... LINK ... [BUSY] and what daedalus_run takes): a program of GoogleTest. BUSY: its own sources
# take most of its time.
function(daedalus_test name)
  cmake_parse_arguments(ARG "BUSY;THREADS;HOME_ONLY" "TIMEOUT;COST;HOME" "SOURCES;LINK" ${ARGN})
  set(run HOME ${ARG_HOME})
  foreach(option IN ITEMS THREADS HOME_ONLY)
    if(ARG_${option})
      list(APPEND run ${option})
    endif()
  endforeach()
  foreach(option IN ITEMS TIMEOUT COST)
    if(ARG_${option})
      list(APPEND run ${option} ${ARG_${option}})
    endif()
  endforeach()
  set(set test)
  if(ARG_BUSY AND DAEDALUS_SANITIZE)
    set(set busy_test)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE daedalus_flags ${ARG_LINK} GTest::gmock GTest::gtest_main)
  daedalus_precompile(${name} ${set})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  daedalus_run(${name} COMMAND ${name} TARGETS ${name} ${run})
endfunction()

# Target `measured` builds all that benchmarks and experiments run beside the programs.
add_custom_target(measured)

# daedalus_bench_run(PROGRAM ARGUMENTS...): a benchmark in a dose that only shows that it works; figures come from running
# it by hand.
function(daedalus_bench_run program)
  add_dependencies(measured ${program})
  add_test(NAME ${program}_smoke COMMAND ${program} ${ARGN})
  set_tests_properties(${program}_smoke PROPERTIES LABELS bench TIMEOUT 120)
endfunction()

if(DAEDALUS_FUZZERS)
  if(NOT DAEDALUS_SANITIZE)
    message(FATAL_ERROR "DAEDALUS_FUZZERS needs a sanitizer to find anything: configure with the asan preset")
  endif()
  target_compile_options(daedalus_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# daedalus_fuzzer(NAME SOURCES ... LINK ...): a libFuzzer program (clang, DAEDALUS_FUZZERS=ON) with 10 seconds of fuzzing
# as its test; nothing otherwise.
function(daedalus_fuzzer name)
  if(NOT DAEDALUS_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  daedalus_program(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_test(NAME ${name} COMMAND ${name} -max_total_time=10 -max_len=4096 -timeout=10)
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300)
  add_dependencies(fuzz_tests ${name})
endfunction()
