# What the folder's test program does not show: side by side with PyTorch, NumPy and Python; the same bits whatever the compiler is
# told; one registry in a process of several shared objects.

add_executable(random_digests random/programs/random_digests.cpp)
target_link_libraries(random_digests PRIVATE plumb::plumb)

find_program(PLUMB_REFERENCE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "A Python with PyTorch and NumPy")
if(PLUMB_REFERENCE_PYTHON)
  foreach(run "avx2 0" "avx2 1234" "avx2 18446744073709551615" "default 1234")
    string(REPLACE " " ";" arguments ${run})
    string(REPLACE " " "/" name ${run})
    add_test(NAME random/side_by_side/${name}
      COMMAND ${PLUMB_REFERENCE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/random/programs/reference_digests.py ${arguments} 1000000
              $<TARGET_FILE:random_digests>)
    set_tests_properties(random/side_by_side/${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
  endforeach()

  # What the example train_mlp prints is what PyTorch prints.
  add_test(NAME random/train_mlp_reference COMMAND ${PLUMB_REFERENCE_PYTHON} ${PROJECT_SOURCE_DIR}/examples/train_mlp.py)
  set_tests_properties(random/train_mlp_reference PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:"
    PASS_REGULAR_EXPRESSION "w1.0. = -0.4710208 -0.0981014 -0.2401558 -0.1333587\nloss 0.19")
endif()

plumb_add_script_test(random/same_bits ../random/programs/same_bits EVERY=${PLUMB_EVERY_DIGEST})

if(UNIX)
  foreach(part one two)
    add_library(random_plugin_${part} MODULE random/programs/plugin.cpp)
    target_link_libraries(random_plugin_${part} PRIVATE plumb::plumb)
    target_compile_definitions(random_plugin_${part} PRIVATE PLUGIN="${part}")
    set_target_properties(random_plugin_${part} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endforeach()
  add_executable(random_plugins random/programs/plugins.cpp)
  target_link_libraries(random_plugins PRIVATE plumb::plumb ${CMAKE_DL_LIBS})
  set_target_properties(random_plugins PROPERTIES ENABLE_EXPORTS ON)
  add_test(NAME random/one_registry COMMAND random_plugins $<TARGET_FILE:random_plugin_one> $<TARGET_FILE:random_plugin_two>)
endif()

# The thread tests under ThreadSanitizer, unless the whole build has a sanitizer of its own. It does not run everywhere it compiles.
if(NOT "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "fsanitize" AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
  check_cxx_source_runs("int main() {}" PLUMB_THREAD_SANITIZER_RUNS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(PLUMB_THREAD_SANITIZER_RUNS)
    add_executable(random_threads random/programs/threads.cpp)
    target_link_libraries(random_threads PRIVATE plumb::plumb Threads::Threads)
    target_compile_options(random_threads PRIVATE -O1 -g1 -fsanitize=thread)
    target_link_options(random_threads PRIVATE -fsanitize=thread)
    add_test(NAME random/threads COMMAND random_threads)
  endif()
endif()
