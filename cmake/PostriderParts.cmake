# What is compiled or linked into the library, as a bill of materials (CycloneDX 1.6, JSON): a wheel carries it in
# .dist-info/sboms (PEP 770), an installation in share/doc/postrider. Without date and serial number: the same build
# writes the same file.
#
# One row per part: name | version | licence (SPDX) | how it gets in | package URL without version.
set(POSTRIDER_PARTS
    "highway|${hwy_VERSION}|Apache-2.0|linked|pkg:github/google/highway"
    "fmt|${fmt_VERSION}|MIT|linked|pkg:github/fmtlib/fmt"
    "zlib|${ZLIB_VERSION_STRING}|Zlib|linked|pkg:generic/zlib"
    "zstd|${zstd_VERSION}|BSD-3-Clause OR GPL-2.0-only|linked|pkg:github/facebook/zstd"
    "boost|${Boost_VERSION_STRING}|BSL-1.0|headers|pkg:generic/boost"
    "nlohmann-json|${nlohmann_json_VERSION}|MIT|headers|pkg:github/nlohmann/json"
    "eigen|${Eigen3_VERSION}|MPL-2.0|headers|pkg:gitlab/libeigen/eigen")

# postrider_write_parts(<file> [<row> ...]): the parts of the library, and those rows.
function(postrider_write_parts file)
  set(components "")
  set(references "")
  foreach(row IN LISTS POSTRIDER_PARTS ARGN)
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 version)
    list(GET row 2 licence)
    list(GET row 3 way)
    list(GET row 4 url)
    # A part need not say its version, as robin-map inside of nanobind does not.
    set(stated "")
    if(NOT version STREQUAL "")
      set(stated " \"version\": \"${version}\",")
      string(APPEND url "@${version}")
    endif()
    string(APPEND components ",
    {\"type\": \"library\", \"bom-ref\": \"${name}\", \"name\": \"${name}\",${stated}
     \"licenses\": [{\"expression\": \"${licence}\"}], \"purl\": \"${url}\",
     \"properties\": [{\"name\": \"postrider:way\", \"value\": \"${way}\"}]}")
    string(APPEND references ", \"${name}\"")
  endforeach()
  string(REGEX REPLACE "^," "" components "${components}")
  string(REGEX REPLACE "^, " "" references "${references}")
  file(CONFIGURE OUTPUT "${file}" @ONLY NEWLINE_STYLE UNIX CONTENT [[
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {
    "component": {"type": "library", "bom-ref": "postrider", "name": "postrider", "version": "@PROJECT_VERSION@",
                  "licenses": [{"expression": "Apache-2.0"}]}
  },
  "components": [@components@
  ],
  "dependencies": [{"ref": "postrider", "dependsOn": [@references@]}]
}
]])
endfunction()
