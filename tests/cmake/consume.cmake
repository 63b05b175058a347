# Builds and runs tests/consumer against plumb.
#
#   cmake -D HOW=find_package|add_subdirectory|pkg_config -D SOURCE_DIR=. -D BUILD_DIR=build/dev -D WORK_DIR=<scratch>
#         -D COMPILER=g++ -D GENERATOR=Ninja -D "COMPONENTS=plumb dump" -P tests/cmake/consume.cmake
#
# With FETCH=<name of a package> and FROM=<its source tree>, the consumer must not find the installed package and has to
# use that source tree: its compile commands must name it.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(FETCH AND NOT EXISTS ${FROM})
  message(STATUS "skipped: there is no source tree of ${FETCH}")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})

if(NOT HOW STREQUAL "add_subdirectory")
  # Moved after installation: nothing in the package may remember where it was put.
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
  file(RENAME ${WORK_DIR}/first ${WORK_DIR}/prefix)
endif()

if(HOW STREQUAL "pkg_config")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf)
  if(NOT PKG_CONFIG)
    message(STATUS "skipped: there is no pkg-config")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}/prefix/share/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags plumb OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} -std=c++17 ${flags} ${SOURCE_DIR}/tests/consumer/use_plumb.cpp -o ${WORK_DIR}/use_plumb)
  run(${WORK_DIR}/use_plumb)
  if(COMPONENTS MATCHES "dump")
    execute_process(COMMAND ${PKG_CONFIG} --cflags --libs plumb-dump OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(${COMPILER} -std=c++17 ${SOURCE_DIR}/tests/consumer/use_dump.cpp ${flags} -o ${WORK_DIR}/use_dump)
    run(${WORK_DIR}/use_dump WORKING_DIRECTORY ${WORK_DIR})
  endif()
  return()
endif()

set(arguments -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
if(HOW STREQUAL "add_subdirectory")
  set(arguments -DPLUMB_SUBDIRECTORY=${SOURCE_DIR})
endif()
if(FETCH)
  string(TOUPPER ${FETCH} upper)
  list(APPEND arguments -DCMAKE_DISABLE_FIND_PACKAGE_${FETCH}=ON -DFETCHCONTENT_SOURCE_DIR_${upper}=${FROM})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/consumer -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DCOMPONENTS=${COMPONENTS}" ${arguments})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
separate_arguments(COMPONENTS)
foreach(component IN LISTS COMPONENTS)
  run(${WORK_DIR}/build/use_${component} WORKING_DIRECTORY ${WORK_DIR})
endforeach()

if(FETCH)
  file(READ ${WORK_DIR}/build/compile_commands.json commands)
  string(FIND "${commands}" "${FROM}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "no compile command names ${FROM}:\n${commands}")
  endif()
endif()
