# Would the tests notice if a range check of the kernels were off by one? Compiles them once for each mutation: see mutations.py.

option(PLUMB_MUTATIONS "Test that mutations of the kernels' range checks fail the tests (half an hour)" OFF)

if(PLUMB_MUTATIONS)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  get_target_property(type Catch2::Catch2WithMain TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    set(link $<TARGET_OBJECTS:plumb_test_main>)
  else()
    set(link $<TARGET_FILE:Catch2::Catch2WithMain>)
    get_target_property(type Catch2::Catch2 TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND link $<TARGET_FILE:Catch2::Catch2>)
    endif()
  endif()
  set(folders $<TARGET_PROPERTY:Catch2::Catch2,INTERFACE_INCLUDE_DIRECTORIES>)
  add_test(NAME mutations COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cmake/mutations.py
    --source=${PROJECT_SOURCE_DIR} --work=${CMAKE_CURRENT_BINARY_DIR}/mutations "--link=${link}"
    "--compiler=${CMAKE_CXX_COMPILER_LAUNCHER};${CMAKE_CXX_COMPILER};$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>")
  set_tests_properties(mutations PROPERTIES TIMEOUT 7200)
endif()
