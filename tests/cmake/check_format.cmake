# clang-format changes nothing. Every major version breaks lines a little differently, so only one is asked.
#
#   cmake -D SOURCE_DIR=. -P tests/cmake/check_format.cmake

find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
if(CLANG_FORMAT)
  execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT version MATCHES "version 14\\.")
  message(STATUS "skipped: there is no clang-format 14")
  return()
endif()
file(GLOB_RECURSE files ${SOURCE_DIR}/include/*.hpp ${SOURCE_DIR}/include/*.ipp ${SOURCE_DIR}/include/*.h
     ${SOURCE_DIR}/tests/*.hpp ${SOURCE_DIR}/tests/*.cpp ${SOURCE_DIR}/examples/*.hpp ${SOURCE_DIR}/examples/*.cpp
     ${SOURCE_DIR}/benchmarks/*.hpp ${SOURCE_DIR}/benchmarks/*.cpp)
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "to put this right: clang-format -i <file>")
endif()
