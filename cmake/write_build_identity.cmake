# Writes the source behind base/build: version, commit and build. Called at each build; leaves the file as it is where
# it says the same already.
find_program(GIT git)
set(commit unknown)
if(GIT)
  # Of the project's own repository: a copy of its files inside another one is outside of git.
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(top STREQUAL SOURCE_DIR)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty=+
                    OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(described)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#include "daedalus/build/build.hpp"

const char* daedalus::build_text() { return "@VERSION@, commit @commit@, @BUILD@ build"; }
]])
