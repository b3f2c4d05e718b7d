# postrider_extract_block(<markdown file> <language> <to>): writes the first fenced block of that
# language. The file is touched only if the block changed, so that nothing is rebuilt in vain.
function(postrider_extract_block markdown language to)
  file(READ "${markdown}" text)
  set(fence "\n```${language}\n")
  string(FIND "${text}" "${fence}" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${markdown}: no ${language} block")
  endif()
  string(LENGTH "${fence}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  math(EXPR end "${end} - 1")  # the last line break is written with the file
  string(SUBSTRING "${text}" 0 ${end} text)
  file(CONFIGURE OUTPUT "${to}" CONTENT "@text@" @ONLY NEWLINE_STYLE UNIX)
endfunction()
