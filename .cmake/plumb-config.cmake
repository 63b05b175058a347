# What each of plumb's libraries needs is found here, for plumb's own build and for the installed package alike.
#
#   find_package(plumb REQUIRED COMPONENTS dump)
#   target_link_libraries(mine PRIVATE plumb::dump)
#
#   plumb::plumb    floors 0 to 6: nothing but the standard library, and xsimd where there is one
#   plumb::dump     files and JSON too: RapidJSON, libzip, xxhash, threads; ISA-L where there is one, else zlib
#   plumb::compare  comparing dumps: the same
#   plumb::eigen    plumb/adapters/eigen.hpp: Eigen
#   plumb::torch    plumb/adapters/torch.hpp: libtorch, and what plumb::dump needs
#   plumb::onednn   plumb/adapters/onednn.hpp: oneDNN, and what plumb::dump needs
#
# All six are always defined, since they are headers; a component is found when the libraries it needs are. libtorch is looked
# for only where its component is asked for.

if(NOT TARGET plumb::plumb)
  include("${CMAKE_CURRENT_LIST_DIR}/plumb-targets.cmake")
endif()

# Without a version, since most package files refuse any other major one, newer or not.
if(NOT TARGET xsimd)
  find_package(xsimd QUIET)
endif()
if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 QUIET)
endif()
if(NOT TARGET Threads::Threads)
  find_package(Threads QUIET)
endif()

# These three without their package files: RapidJSON's names a target or a folder, whoever wrote it; libzip's is an error in
# Debian 12 unless three more packages are installed; xxhash has none and is used as a header.
find_path(PLUMB_RAPIDJSON_INCLUDE_DIR rapidjson/reader.h)
find_path(PLUMB_LIBZIP_INCLUDE_DIR zip.h)
find_library(PLUMB_LIBZIP_LIBRARY zip)
find_path(PLUMB_XXHASH_INCLUDE_DIR xxhash.h)
mark_as_advanced(PLUMB_RAPIDJSON_INCLUDE_DIR PLUMB_LIBZIP_INCLUDE_DIR PLUMB_LIBZIP_LIBRARY PLUMB_XXHASH_INCLUDE_DIR)
# One of the two computes CRC-32; libzip needs zlib anyway.
find_path(PLUMB_ISAL_INCLUDE_DIR isa-l/crc.h)
find_library(PLUMB_ISAL_LIBRARY isal)
find_path(PLUMB_ZLIB_INCLUDE_DIR zlib.h)
find_library(PLUMB_ZLIB_LIBRARY z)
mark_as_advanced(PLUMB_ISAL_INCLUDE_DIR PLUMB_ISAL_LIBRARY PLUMB_ZLIB_INCLUDE_DIR PLUMB_ZLIB_LIBRARY)

# What is missing, as people install it.
set(plumb_dump_missing)
if(NOT PLUMB_RAPIDJSON_INCLUDE_DIR)
  list(APPEND plumb_dump_missing "RapidJSON (rapidjson-dev)")
endif()
if(NOT (PLUMB_LIBZIP_INCLUDE_DIR AND PLUMB_LIBZIP_LIBRARY))
  list(APPEND plumb_dump_missing "libzip (libzip-dev)")
endif()
if(NOT PLUMB_XXHASH_INCLUDE_DIR)
  list(APPEND plumb_dump_missing "xxhash (libxxhash-dev)")
endif()
if(NOT (PLUMB_ISAL_INCLUDE_DIR AND PLUMB_ISAL_LIBRARY) AND NOT (PLUMB_ZLIB_INCLUDE_DIR AND PLUMB_ZLIB_LIBRARY))
  list(APPEND plumb_dump_missing "ISA-L or zlib (libisal-dev, zlib1g-dev)")
endif()
set(plumb_plumb_missing)
set(plumb_compare_missing ${plumb_dump_missing})
set(plumb_eigen_missing "Eigen 3.4 (libeigen3-dev)")
set(plumb_torch_missing "libtorch (libtorch-dev)" ${plumb_dump_missing})
set(plumb_onednn_missing "oneDNN (libdnnl-dev)" ${plumb_dump_missing})

set(plumb_plumb_FOUND TRUE)
set(plumb_dump_FOUND FALSE)
set(plumb_eigen_FOUND FALSE)
if(NOT plumb_dump_missing)
  set(plumb_dump_FOUND TRUE)
endif()
if(TARGET Eigen3::Eigen AND NOT (Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4))
  set(plumb_eigen_FOUND TRUE)
endif()
set(plumb_compare_FOUND ${plumb_dump_FOUND})

set(plumb_torch_FOUND FALSE)
if("torch" IN_LIST plumb_FIND_COMPONENTS AND NOT TARGET torch)
  set(plumb_log_level ${CMAKE_MESSAGE_LOG_LEVEL})
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING) # its package file speaks of what it finds, QUIET or not
  find_package(Torch QUIET)
  set(CMAKE_MESSAGE_LOG_LEVEL ${plumb_log_level})
endif()
if(TARGET torch AND plumb_dump_FOUND)
  set(plumb_torch_FOUND TRUE)
endif()

# Without oneDNN's package file: Debian 12's is an error unless OpenCL is installed.
find_path(PLUMB_ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(PLUMB_ONEDNN_LIBRARY dnnl)
mark_as_advanced(PLUMB_ONEDNN_INCLUDE_DIR PLUMB_ONEDNN_LIBRARY)
set(plumb_onednn_FOUND FALSE)
if(PLUMB_ONEDNN_INCLUDE_DIR AND PLUMB_ONEDNN_LIBRARY AND plumb_dump_FOUND)
  set(plumb_onednn_FOUND TRUE)
endif()

if(NOT TARGET plumb::xsimd)
  add_library(plumb::xsimd INTERFACE IMPORTED)
  add_library(plumb::file_libraries INTERFACE IMPORTED)
  if(TARGET xsimd AND NOT (xsimd_VERSION AND xsimd_VERSION VERSION_LESS 8.1))
    # Its headers alone: Debian 12's target also links a library xtl, which does not exist.
    get_target_property(plumb_xsimd_include_dirs xsimd INTERFACE_INCLUDE_DIRECTORIES)
    target_include_directories(plumb::xsimd INTERFACE ${plumb_xsimd_include_dirs})
  endif()
  if(plumb_dump_FOUND)
    target_include_directories(plumb::file_libraries INTERFACE
      ${PLUMB_RAPIDJSON_INCLUDE_DIR} ${PLUMB_LIBZIP_INCLUDE_DIR} ${PLUMB_XXHASH_INCLUDE_DIR})
    target_link_libraries(plumb::file_libraries INTERFACE ${PLUMB_LIBZIP_LIBRARY} ${CMAKE_DL_LIBS})
    if(PLUMB_ISAL_INCLUDE_DIR AND PLUMB_ISAL_LIBRARY)
      target_compile_definitions(plumb::file_libraries INTERFACE PLUMB_HAS_ISAL)
      target_include_directories(plumb::file_libraries INTERFACE ${PLUMB_ISAL_INCLUDE_DIR})
      target_link_libraries(plumb::file_libraries INTERFACE ${PLUMB_ISAL_LIBRARY})
    else()
      target_include_directories(plumb::file_libraries INTERFACE ${PLUMB_ZLIB_INCLUDE_DIR})
      target_link_libraries(plumb::file_libraries INTERFACE ${PLUMB_ZLIB_LIBRARY})
    endif()
  endif()
endif()

if(NOT TARGET plumb::torch_libraries)
  add_library(plumb::torch_libraries INTERFACE IMPORTED)
  add_library(plumb::onednn_libraries INTERFACE IMPORTED)
  if(plumb_torch_FOUND)
    target_link_libraries(plumb::torch_libraries INTERFACE torch ${TORCH_LIBRARIES})
  endif()
  if(plumb_onednn_FOUND)
    target_include_directories(plumb::onednn_libraries INTERFACE ${PLUMB_ONEDNN_INCLUDE_DIR})
    target_link_libraries(plumb::onednn_libraries INTERFACE ${PLUMB_ONEDNN_LIBRARY})
  endif()
endif()

foreach(component IN LISTS plumb_FIND_COMPONENTS)
  if(plumb_FIND_REQUIRED_${component} AND NOT plumb_${component}_FOUND)
    set(plumb_FOUND FALSE)
    if(NOT TARGET plumb::${component})
      set(plumb_NOT_FOUND_MESSAGE "there is no component ${component}; there are plumb, dump, compare, eigen, torch and onednn")
    else()
      list(JOIN plumb_${component}_missing ", " plumb_missing)
      set(plumb_NOT_FOUND_MESSAGE "plumb::${component} needs what was not found: ${plumb_missing}")
    endif()
  endif()
endforeach()
