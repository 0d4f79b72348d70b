# How a library, a program and a test are declared: one way for all folders.

# Precompiled headers: two thirds of the time of a cold build goes into parsing the same headers from outside the tree.
# One set for base, semantics and the engine, one for what speaks of messages, too, two for tests; each is compiled once
# and shared, so those who share one are optimised alike.
#
# Of what tests run, libraries compute: half of the time of tests' own sources went into optimising them, and under a
# sanitizer two thirds. There only tests that call themselves busy are optimised.
if(DAEDALUS_SANITIZE)
  set(DAEDALUS_OPTIONS_test -O0)
else()
  set(DAEDALUS_OPTIONS_test $<$<CONFIG:Release>:-O1>)
endif()
set(DAEDALUS_OPTIONS_busy_test $<$<CONFIG:Release>:-O1>)
foreach(set standard messages test busy_test)
  add_library(daedalus_precompiled_${set} OBJECT ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
  target_link_libraries(daedalus_precompiled_${set} PRIVATE daedalus_flags Boost::headers)
  target_compile_options(daedalus_precompiled_${set} PRIVATE ${DAEDALUS_OPTIONS_${set}})
  string(REPLACE "busy_" "" header ${set})
  target_precompile_headers(daedalus_precompiled_${set} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_${header}.hpp)
endforeach()
target_sources(daedalus_precompiled_standard PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_standard.cpp)
target_link_libraries(daedalus_precompiled_messages PRIVATE fmt::fmt protobuf::libprotobuf)
foreach(set test busy_test)
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

# daedalus_program(NAME SOURCES ... LINK ...)
function(daedalus_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE daedalus_flags ${ARG_LINK})
  daedalus_precompile(${name} messages)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# daedalus_test(NAME SOURCES ... LINK ... LABELS fast|slow|tsan ... [TIMEOUT SECONDS] [BUSY]): GoogleTest; labels name
# lanes. BUSY: its own sources take most of its time.
function(daedalus_test name)
  cmake_parse_arguments(ARG "BUSY" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(DAEDALUS_SANITIZE)
    math(EXPR ARG_TIMEOUT "6 * ${ARG_TIMEOUT}")  # A sanitizer makes a test many times as long.
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  set(set test)
  if(ARG_BUSY)
    set(set busy_test)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE daedalus_flags ${ARG_LINK} GTest::gmock GTest::gtest_main)
  daedalus_precompile(${name} ${set})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  foreach(label IN LISTS ARG_LABELS)
    add_dependencies(${label}_tests ${name})
  endforeach()
endfunction()

# Everything one lane runs, to build no more than that: fast_tests, slow_tests, tsan_tests, fuzz_tests.
foreach(label fast slow tsan fuzz)
  add_custom_target(${label}_tests)
endforeach()

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
