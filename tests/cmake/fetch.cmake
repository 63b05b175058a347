# Builds one of plumb's own programs with a library that is not found but fetched, from a source tree on this machine.
#
#   cmake -D FETCH=Catch2 -D FROM=<its source tree> -D OPTION=PLUMB_BUILD_TESTS -D TARGET=test_plumb -D SOURCE_DIR=.
#         -D WORK_DIR=<scratch> -D COMPILER=g++ -D GENERATOR=Ninja -P tests/cmake/fetch.cmake

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(NOT EXISTS ${FROM}/CMakeLists.txt)
  message(STATUS "skipped: PLUMB_TEST_SOURCES names no folder with a source tree ${FETCH}/")
  return()
endif()
string(TOUPPER ${FETCH} upper)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_FLAGS=-Werror\ -Wall\ -Wextra\ -Wconversion\ -Wshadow -DPLUMB_BUILD_PROGRAM=OFF -DPLUMB_BUILD_TESTS=OFF
    -DPLUMB_BUILD_EXAMPLES=OFF -DPLUMB_BUILD_BENCHMARKS=OFF -D${OPTION}=ON -DCMAKE_DISABLE_FIND_PACKAGE_${FETCH}=ON
    -DFETCHCONTENT_SOURCE_DIR_${upper}=${FROM})
run(${CMAKE_COMMAND} --build ${WORK_DIR} --target ${TARGET})
