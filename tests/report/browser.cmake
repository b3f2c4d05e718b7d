# Opens the sample reports in a browser without a window. Run by ctest; see CMakeLists.txt for the
# variables.
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

execute_process(COMMAND "${PROGRAM}" "${SCRATCH}" RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "write_samples: ${status} ${error}")
endif()

# browse(<file> <argument> ...): leaves what was printed in `printed`. No name is resolved: a page that
# asks for anything gets nothing.
function(browse file)
  execute_process(
    COMMAND "${BROWSER}" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
            --disable-background-networking --disable-component-update --disable-sync
            --host-resolver-rules=MAP\ *\ ~NOTFOUND --hide-scrollbars
            "--user-data-dir=${SCRATCH}/profile" ${ARGN} "file://${SCRATCH}/${file}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE error TIMEOUT 60)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${file} ${ARGN}: ${status}\n${error}")
  endif()
  set(printed "${output}" PARENT_SCOPE)
endfunction()

function(expect_picture picture)
  set(path "${SCRATCH}/${picture}")
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "${picture} was not made")
  endif()
  file(SIZE "${path}" size)
  if(size LESS 20000)
    message(FATAL_ERROR "${picture} has ${size} bytes: an empty page?")
  endif()
endfunction()

# A page of ours that shows the report in a frame as wide as the screen and writes down what it finds.
# The report allows no script, itself included: the script stands outside. It is from a file, and may
# look inside with --allow-file-access-from-files.
function(expect_fits report width)
  file(WRITE "${SCRATCH}/frame.html" "<!DOCTYPE html><title>waiting</title>
<iframe id='frame' src='${report}' style='border:0;width:${width}px;height:800px'></iframe><script>
document.getElementById('frame').onload = function () {
  var page = this.contentDocument.documentElement, seen = 0, out = [];
  page.querySelectorAll('body *').forEach(function (element) {
    ++seen;
    var inside = element.closest('.scroll') || element.ownerSVGElement;
    if (!inside && element.getBoundingClientRect().right > ${width} + 0.5)
      out.push(element.tagName + '.' + element.className);
  });
  document.body.innerHTML = '<pre>width ' + page.scrollWidth + ' of ${width}; elements ' +
    (seen > 100 ? 'many' : seen) + '; outside ' + (out.join(',') || 'none') + '; title ' +
    (this.contentDocument.title === 'broken' ? 'broken' : 'kept') + '; images ' +
    page.querySelectorAll('img,script,link,iframe,object').length + '</pre>';
};
</script>")
  browse(frame.html --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom)
  set(expected "width ${width} of ${width}; elements many; outside none; title kept; images 0")
  string(FIND "${printed}" "${expected}" at)
  if(at EQUAL -1)
    string(REGEX MATCH "<pre>[^<]*" found "${printed}")
    message(FATAL_ERROR "${report}: '${found}' instead of '${expected}'")
  endif()
endfunction()

foreach(name IN ITEMS regression classification)
  # Nothing from elsewhere: no address at all but the names of formats, which are not fetched.
  file(READ "${SCRATCH}/${name}.html" page)
  string(REGEX MATCHALL "(https?:|//[a-z]|url\\(|@import|src=|<script|<link)[^ ]*" found "${page}")
  list(FILTER found EXCLUDE REGEX "^src=x$") # of a hostile name, escaped
  if(found)
    message(FATAL_ERROR "${name}.html refers to ${found}")
  endif()
  foreach(width IN ITEMS 390 1200)
    expect_fits(${name}.html ${width})
    browse(${name}.html --window-size=${width},1600 "--screenshot=${SCRATCH}/${name}_${width}.png")
    expect_picture(${name}_${width}.png)
  endforeach()
  browse(${name}.html --blink-settings=preferredColorScheme=0 --window-size=1200,1600
         "--screenshot=${SCRATCH}/${name}_dark.png")
  expect_picture(${name}_dark.png)
  browse(${name}.html --no-pdf-header-footer "--print-to-pdf=${SCRATCH}/${name}.pdf")
  expect_picture(${name}.pdf)
endforeach()
