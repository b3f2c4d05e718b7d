# Calls an experiment and looks where its results go. Run by ctest; see ../CMakeLists.txt for the
# variables.
cmake_minimum_required(VERSION 3.21)

# call(<exit code> <part of what it prints> <argument> ...)
function(call expected part)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed
                  ERROR_VARIABLE printed)
  string(FIND "${printed}" "${part}" at)
  if(NOT status STREQUAL expected OR at EQUAL -1)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "${arguments}: exit code ${status} instead of ${expected}, or no '${part}' "
                        "in\n${printed}")
  endif()
endfunction()

# A quick run has its own folder and leaves the full results alone.
file(SHA256 "${FULL}/chain.json" before)
file(REMOVE "${QUICK}/chain.json")
call(0 "results: ${QUICK}" --quick chain)
if(NOT EXISTS "${QUICK}/chain.json")
  message(FATAL_ERROR "no ${QUICK}/chain.json")
endif()
call(2 "may not replace" --quick chain --out "${FULL}")
file(SHA256 "${FULL}/chain.json" after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "a quick run wrote ${FULL}/chain.json")
endif()

# A part that was asked for and has no data is an error, and nothing is written for it.
file(REMOVE "${QUICK}/skill.json")
call(2 "the part skill needs the data sets" --quick skill)
if(EXISTS "${QUICK}/skill.json")
  message(FATAL_ERROR "${QUICK}/skill.json was written without data")
endif()

# With --sets the entries of other sets stay, and without they do not.
foreach(arguments IN ITEMS "--sets;one" "")
  file(WRITE "${QUICK}/chain.json" "{\"of another set\": 1}")
  call(0 "results: ${QUICK}" --quick chain ${arguments})
  file(READ "${QUICK}/chain.json" written)
  string(FIND "${written}" "of another set" at)
  if((arguments AND at EQUAL -1) OR (NOT arguments AND NOT at EQUAL -1))
    message(FATAL_ERROR "chain.json after '${arguments}':\n${written}")
  endif()
endforeach()
file(WRITE "${QUICK}/chain.json" "[1]")
call(2 "holds no JSON object" --quick chain --sets one)
