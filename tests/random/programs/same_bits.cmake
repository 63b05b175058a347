# Compiles random_digests in several ways and compares what it prints with what PyTorch, NumPy and Python gave.
#
#   cmake -D SOURCE_DIR=. -D WORK_DIR=<scratch> -D COMPILER=g++ [-D EVERY=ON] -P tests/random/programs/same_bits.cmake
#
# The compilers are COMPILER, g++ and the newest Clang; with EVERY all Clangs from 14 on, and more flags.
# Lines that depend on the C library have to be the same in all of them; the others have to be the references'. Each program runs
# with the processor's vector code and without.

cmake_minimum_required(VERSION 3.20)
file(MAKE_DIRECTORY ${WORK_DIR})
set(folder ${SOURCE_DIR}/tests/random/programs)

find_program(other_gcc NAMES g++)
set(compilers ${COMPILER} ${other_gcc})
set(flag_sets "-O0" "-O3 -march=native" "-O3 -march=native -ffast-math" "-O2 -ffast-math")
foreach(name clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 clang++)
  find_program(found_${name} NAMES ${name})
  if(found_${name})
    list(APPEND compilers ${found_${name}})
    if(NOT EVERY)
      break()
    endif()
  endif()
endforeach()
if(EVERY) # without and with the FMA instruction alone
  list(APPEND flag_sets "-O3 -march=native -mno-fma -ffast-math" "-O2 -mfma")
endif()
list(FILTER compilers EXCLUDE REGEX "NOTFOUND")
set(seen)
set(variants)
foreach(compiler IN LISTS compilers)
  execute_process(COMMAND ${compiler} --version OUTPUT_VARIABLE version)
  string(REGEX MATCH "^[^\n]*" version "${version}")
  string(REGEX REPLACE "^[^ ]* " "" version "${version}")
  if(NOT version IN_LIST seen)
    list(APPEND seen "${version}")
    foreach(flags IN LISTS flag_sets)
      list(APPEND variants "${compiler}|${flags}")
    endforeach()
  endif()
endforeach()

# A launcher such as ccache makes the second run of this test cheap.
if(DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  set(launcher $ENV{CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# digests(<variable> <text>): the lines whose names do not end in [libm].
function(digests variable text)
  string(REGEX REPLACE "[^\n]*\\[libm\\] [^\n]*\n" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

foreach(capability avx2 default)
  file(READ ${SOURCE_DIR}/tests/data/random/digests_${capability}.txt text)
  digests(reference_${capability} "${text}")
endforeach()

foreach(variant IN LISTS variants)
  string(REPLACE "|" ";" parts "${variant}")
  list(GET parts 0 compiler)
  list(GET parts 1 flags)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  string(MAKE_C_IDENTIFIER "${variant}" program)
  execute_process(COMMAND ${launcher} ${compiler} -std=c++17 -I${SOURCE_DIR}/include ${flags} -c ${folder}/random_digests.cpp
                          -o ${WORK_DIR}/${program}.o COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${compiler} ${flags} ${WORK_DIR}/${program}.o -o ${WORK_DIR}/${program} COMMAND_ERROR_IS_FATAL ANY)
  foreach(cpu scalar avx512ifma)
    foreach(capability avx2 default)
      execute_process(COMMAND ${CMAKE_COMMAND} -E env PLUMB_CPU=${cpu} ${WORK_DIR}/${program} ${capability} 1234 4099
                      OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
      digests(lines "${text}")
      if(NOT DEFINED whole_${capability})
        set(whole_${capability} "${text}")
      endif()
      if(NOT lines STREQUAL reference_${capability})
        message(SEND_ERROR "${variant}, ${cpu}, ${capability}: other bits than the reference\n${lines}")
      elseif(NOT text STREQUAL whole_${capability})
        message(SEND_ERROR "${variant}, ${cpu}, ${capability}: other bits in what depends on the C library\n${text}")
      endif()
    endforeach()
  endforeach()
  message(STATUS "same bits: ${variant}")
endforeach()
