# One program, tests/digest/digest.cpp, built in every way that might change a bit of a result, and run on every processor
# level and in every floating-point mode. All must print the same digest, which is written here: to change it is a decision.
# Compilers, emulators and cross-compilers that are not installed are left out. Each build takes most of a minute, so three
# stand for all unless PLUMB_EVERY_DIGEST is on.

option(PLUMB_EVERY_DIGEST "Test the digest in all builds, not in three of them" OFF)

set(PLUMB_DIGEST 9ac41a6fbbb96508)

# plumb_digest(<name> <compiler> <how to run it, a list> <modes, a list> <flag>...)
function(plumb_digest name compiler runner modes)
  find_program(PLUMB_DIGEST_${compiler} ${compiler})
  if(NOT PLUMB_EVERY_DIGEST AND NOT name MATCHES "^gcc-O(0|2|fast)$")
    return()
  endif()
  set(emulator)
  if(runner)
    list(GET runner 0 emulator)
    find_program(PLUMB_DIGEST_${emulator} ${emulator})
  endif()
  if(NOT PLUMB_DIGEST_${compiler} OR (emulator AND NOT PLUMB_DIGEST_${emulator}))
    return()
  endif()
  add_test(NAME digest/${name} COMMAND ${CMAKE_COMMAND}
    -D "COMPILER=${CMAKE_CXX_COMPILER_LAUNCHER};${PLUMB_DIGEST_${compiler}}" -D "FLAGS=${ARGN}" -D "RUNNER=${runner}"
    -D "MODES=${modes}" -D EXPECTED=${PLUMB_DIGEST} -D INCLUDE_DIR=${PROJECT_SOURCE_DIR}/include
    -D "XSIMD_INCLUDE_DIR=${PLUMB_DIGEST_XSIMD}" -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/digest/digest.cpp
    -D WORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/digest/${name} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/run_digest.cmake)
endfunction()

find_path(PLUMB_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp)
set(PLUMB_DIGEST_XSIMD)
if(PLUMB_XSIMD_INCLUDE_DIR) # alone in a folder: a cross-compiler must not see the host's other headers
  set(PLUMB_DIGEST_XSIMD ${CMAKE_CURRENT_BINARY_DIR}/digest/include)
  file(MAKE_DIRECTORY ${PLUMB_DIGEST_XSIMD})
  file(CREATE_LINK ${PLUMB_XSIMD_INCLUDE_DIR}/xsimd ${PLUMB_DIGEST_XSIMD}/xsimd SYMBOLIC)
endif()

set(native "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # MXCSR: as it is, FTZ and DAZ, and rounding down, up and towards zero.
  set(modes 1f80 9fc0 3f80 5f80 7f80)
  foreach(level 0 1 2 3 s g fast)
    plumb_digest(gcc-O${level} g++ "${native}" "${modes}" -O${level})
  endforeach()
  plumb_digest(gcc-cxx20 g++ "${native}" "${modes}" -O2 -std=c++20)
  plumb_digest(gcc-fma g++ "${native}" 1f80 -O2 -mavx2 -mfma -ffp-contract=fast)
  plumb_digest(gcc-no-dispatch g++ "${native}" "${modes}" -O2 -DPLUMB_NO_DISPATCH)
  plumb_digest(gcc-no-xsimd g++ "${native}" 1f80 -O2 -DPLUMB_NO_XSIMD)
  foreach(version 14 19)
    plumb_digest(clang-${version}-O0 clang++-${version} "${native}" 1f80 -O0)
    plumb_digest(clang-${version}-O2 clang++-${version} "${native}" "${modes}" -O2)
    plumb_digest(clang-${version}-Ofast clang++-${version} "${native}" "${modes}" -O3 -ffast-math -mavx2 -mfma)
  endforeach()
  plumb_digest(baseline-processor g++ "qemu-x86_64;-cpu;qemu64" 1f80 -O2)
endif()
set(modes 0 1000000 400000 800000 c00000) # FPCR: as it is, flush to zero, and the other rounding modes
plumb_digest(aarch64-O2 aarch64-linux-gnu-g++ "qemu-aarch64;-L;/usr/aarch64-linux-gnu" "${modes}" -O2)
plumb_digest(aarch64-Ofast aarch64-linux-gnu-g++ "qemu-aarch64;-L;/usr/aarch64-linux-gnu" 0 -Ofast)
