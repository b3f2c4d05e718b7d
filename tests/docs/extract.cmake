# postrider_next_block(<text> <language> <block variable> <rest variable>): the first fenced block of
# that language in the text, with its last line break, and what follows it. The rest is empty if there
# is no such block.
function(postrider_next_block text language block_variable rest_variable)
  set(fence "\n```${language}\n")
  string(FIND "${text}" "${fence}" begin)
  if(begin EQUAL -1)
    set(${block_variable} "" PARENT_SCOPE)
    set(${rest_variable} "" PARENT_SCOPE)
    return()
  endif()
  string(LENGTH "${fence}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} block)
  string(SUBSTRING "${text}" ${end} -1 rest)
  set(${block_variable} "${block}" PARENT_SCOPE)
  set(${rest_variable} "${rest}" PARENT_SCOPE)
endfunction()

# Files are touched only if their content changed, so that nothing is rebuilt in vain.
function(postrider_write_if_changed file content)
  string(REGEX REPLACE "\n$" "" content "${content}")  # the last line break comes with the file
  file(CONFIGURE OUTPUT "${file}" CONTENT "@content@" @ONLY NEWLINE_STYLE UNIX)
endfunction()

# What a page leaves out of its example if that is only a few statements.
set(POSTRIDER_PAGE_HEAD [[
#include <cmath>
#include <iostream>
#include <vector>

#include "postrider/graph.h"
#include "postrider/gaussian.h"

int main() {
]])

# postrider_extract_programs(<markdown file> <stem> <variable>): writes <stem>_<number>.cc and .txt for
# each C++ block of the page and the output in the text block after it; the variable becomes the list
# of the paths without their endings. Statements without a main become the body of one.
function(postrider_extract_programs markdown stem variable)
  file(READ "${markdown}" text)
  set(written "")
  postrider_next_block("${text}" cpp program text)
  while(program)
    string(FIND "${text}" "\n```cpp\n" next_program)
    string(FIND "${text}" "\n```text\n" next_output)
    if(next_output EQUAL -1 OR (next_program GREATER -1 AND next_program LESS next_output))
      message(FATAL_ERROR "${markdown}: no text block with the output of\n${program}")
    endif()
    postrider_next_block("${text}" text output ignored)
    if(NOT program MATCHES "int main\\(")
      string(PREPEND program "${POSTRIDER_PAGE_HEAD}")
      string(APPEND program "}\n")
    endif()
    list(LENGTH written number)
    postrider_write_if_changed("${stem}_${number}.cc" "${program}")
    postrider_write_if_changed("${stem}_${number}.txt" "${output}")
    list(APPEND written "${stem}_${number}")
    postrider_next_block("${text}" cpp program text)
  endwhile()
  set(${variable} "${written}" PARENT_SCOPE)
endfunction()
