# Prints how long a program that only includes <plumb/plumb.hpp> takes to compile, beside one that includes <vector>.
#
#   cmake -D COMPILER=g++ -D INCLUDE_DIR=include -P benchmarks/compile_time.cmake
#
# The best of nine compilations each, taken in turns: a busy machine slows both.

set(folder $ENV{TMPDIR})
if(NOT folder)
  set(folder /tmp)
endif()
string(RANDOM LENGTH 8 name)
set(folder ${folder}/plumb-compile-time-${name})
foreach(header vector plumb/plumb.hpp)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(source_${name} ${folder}/${name}.cpp)
  set(best_${name} 0)
  file(WRITE ${source_${name}} "#include <${header}>\nint main() {}\n")
endforeach()

foreach(round RANGE 1 9)
  foreach(name vector plumb_plumb_hpp)
    string(TIMESTAMP start "%s%f")
    execute_process(COMMAND ${COMPILER} -std=c++17 -O2 -I${INCLUDE_DIR} -c ${source_${name}} -o ${folder}/${name}.o
                    COMMAND_ERROR_IS_FATAL ANY)
    string(TIMESTAMP end "%s%f")
    math(EXPR elapsed "${end} - ${start}")
    if(best_${name} EQUAL 0 OR elapsed LESS best_${name})
      set(best_${name} ${elapsed})
    endif()
  endforeach()
endforeach()
file(REMOVE_RECURSE ${folder})

math(EXPR bare "${best_vector} / 1000")
math(EXPR plumb "${best_plumb_plumb_hpp} / 1000")
math(EXPR percent "${best_plumb_plumb_hpp} * 100 / ${best_vector}")
math(EXPR whole "${percent} / 100")
math(EXPR hundredths "${percent} % 100 + 100")
string(SUBSTRING ${hundredths} 1 2 hundredths)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo
  "<plumb/plumb.hpp> ${plumb} ms, <vector> ${bare} ms, ratio ${whole}.${hundredths} (-O2, best of 9)")
