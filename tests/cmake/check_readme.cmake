# The README shows files of the repository and what programs really print.
#
#   cmake -D SOURCE_DIR=. -D PROGRAM_DIR=build/dev/examples -P tests/cmake/check_readme.cmake
#
# A line `<!-- file: examples/a.cpp -->` stands before a fenced block that is this file. A line `<!-- output: a b c -->` stands
# before one that is what program a of PROGRAM_DIR prints when it is called with b and c in the repository's folder.

cmake_minimum_required(VERSION 3.24)
file(READ ${SOURCE_DIR}/README.md readme)
string(REGEX MATCHALL "<!-- (file|output): [^>]+ -->" markers "${readme}")
if(NOT markers)
  message(FATAL_ERROR "README.md shows nothing")
endif()

foreach(marker IN LISTS markers)
  string(REGEX REPLACE "<!-- (file|output): (.+) -->" "\\2" what "${marker}")
  if(marker MATCHES "file:")
    set(language cpp)
    file(READ ${SOURCE_DIR}/${what} text)
  else()
    set(language text)
    separate_arguments(command UNIX_COMMAND "${what}")
    list(GET command 0 program)
    if(NOT EXISTS ${PROGRAM_DIR}/${program})
      message(STATUS "skipped: ${program} is not built")
      continue()
    endif()
    execute_process(COMMAND ${PROGRAM_DIR}/${command} WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE text)
  endif()
  string(FIND "${readme}" "${marker}\n```${language}\n${text}```" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "README.md: the block after ${marker} should be\n```${language}\n${text}```")
  endif()
endforeach()
