# SPDX-License-Identifier: Apache-2.0
# loadable_embed(TARGET FUNCTION DIR GLOB) puts the files of DIR that match GLOB into TARGET, byte for
# byte, sorted by name, as
#   std::span<const loadable::EmbeddedFile> FUNCTION();      (FUNCTION with its namespaces)
# The build writes the source again when a file changes, appears or goes. Run as a script
# (cmake -P, with OUTPUT, FUNCTION and FILES) this same file writes that source.

function(loadable_embed target function dir glob)
  file(GLOB files CONFIGURE_DEPENDS "${dir}/${glob}")
  string(REPLACE "::" "_" name "${function}")
  set(output "${CMAKE_BINARY_DIR}/embedded/${name}.cc")
  string(REPLACE ";" "|" joined "${files}")
  # The list of files is itself an input: without it a deleted file would stay in the program.
  file(CONFIGURE OUTPUT "${output}.list" CONTENT "${joined}\n" @ONLY)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFUNCTION=${function}" "-DLIST=${output}.list"
            -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${files} "${output}.list" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding ${dir}/${glob}"
    VERBATIM)
  set_source_files_properties("${output}" PROPERTIES
    COMPILE_OPTIONS "-Wno-overlength-strings" SKIP_LINTING ON)
  target_sources(${target} PRIVATE "${output}")
endfunction()

function(loadable_write_embedded)
  file(STRINGS "${LIST}" joined)
  string(REPLACE "|" ";" files "${joined}")
  list(SORT files)
  string(REGEX MATCH "^(.*)::([a-z_]+)$" _ "${FUNCTION}")
  set(space "${CMAKE_MATCH_1}")
  set(function "${CMAKE_MATCH_2}")
  set(rows "")
  list(LENGTH files count)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "(................................................)" "\\1\"\n     \"" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
    string(APPEND rows "    {\"${name}\", std::string_view(\n     \"${hex}\", ${size}U)},\n")
  endforeach()
  set(text "// Written by cmake/embed.cmake.\n#include <array>\n#include <span>\n\n#include \"base/embedded.h\"\n\n")
  string(APPEND text "namespace ${space} {\n[[nodiscard]] std::span<const EmbeddedFile> ${function}();\n")
  string(APPEND text "std::span<const EmbeddedFile> ${function}() {\n")
  string(APPEND text "  static constexpr std::array<EmbeddedFile, ${count}> kFiles = {{\n${rows}  }};\n")
  string(APPEND text "  return kFiles;\n}\n}  // namespace ${space}\n")
  file(WRITE "${OUTPUT}" "${text}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  loadable_write_embedded()
endif()
