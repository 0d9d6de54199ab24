# One function for each kind of component. A new source file is one line in its folder's CMakeLists.txt.

# The flags of all our code. -ffp-contract=off: a decision made in doubles must not depend on fused multiply-add.
# array-bounds, restrict and stringop-*: GCC 12 is wrong about std::string once it inlines much of it.
add_library(troupe_flags INTERFACE)
target_compile_options(troupe_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                                              -Wno-missing-field-initializers -ffp-contract=off
                                              -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
target_include_directories(troupe_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_include_directories(troupe_flags SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/proto)
if(TROUPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TROUPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(TROUPE_SANITIZE)
  message(FATAL_ERROR "TROUPE_SANITIZE is '${TROUPE_SANITIZE}': expected address, thread or nothing")
endif()

# Some files are compiled as one, since most of their time goes into the same headers. So a name in an anonymous
# namespace is its component's, not its file's.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile files of a component together")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# The standard and protobuf headers that nearly every file reads, compiled once; the tests' are with GoogleTest, and for
# their flags: nobody waits for the tests' own loops, but everybody for their compiling.
set(_troupe_headers <algorithm> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <string> <string_view>
                    <vector> <google/protobuf/message.h> <google/protobuf/repeated_field.h>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/common_headers.cpp CONTENT "")  # written once, not at each configuring
add_library(troupe_common_headers STATIC ${CMAKE_BINARY_DIR}/common_headers.cpp)
target_link_libraries(troupe_common_headers PUBLIC troupe_flags protobuf::libprotobuf)
target_precompile_headers(troupe_common_headers PRIVATE ${_troupe_headers})
if(TROUPE_TESTS)
  add_library(troupe_test_headers STATIC ${CMAKE_BINARY_DIR}/common_headers.cpp)
  target_link_libraries(troupe_test_headers PUBLIC troupe_flags protobuf::libprotobuf GTest::gmock GTest::gtest)
  target_compile_options(troupe_test_headers PUBLIC -O1)
  target_precompile_headers(troupe_test_headers PRIVATE ${_troupe_headers} <gmock/gmock.h> <gtest/gtest.h>)
endif()

function(_troupe_target target headers)
  target_link_libraries(${target} PUBLIC troupe_flags ${ARGN})
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# troupe_protos(NAME SOURCES x.proto ... [DEPENDS target ...])
#   Generates C++ from the schemas into build/proto/<folder>/ and makes the library troupe_NAME.
function(troupe_protos)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS" ${ARGN})
  set(generated)
  foreach(proto ${ARG_SOURCES})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${path})
    set(outputs ${CMAKE_BINARY_DIR}/proto/${stem}.pb.cc ${CMAKE_BINARY_DIR}/proto/${stem}.pb.h)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/proto
      COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/proto ${path}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto} VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()
  add_library(troupe_${ARG_NAME} STATIC ${generated})
  set_target_properties(troupe_${ARG_NAME} PROPERTIES UNITY_BUILD OFF)  # each generated file has the same statics
  target_include_directories(troupe_${ARG_NAME} SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/proto)
  target_link_libraries(troupe_${ARG_NAME} PUBLIC protobuf::libprotobuf ${ARG_DEPENDS})
endfunction()

# troupe_component(NAME SOURCES a.cpp ... [DEPENDS target ...])
#   A folder of our own code: the static library troupe_NAME.
function(troupe_component)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS" ${ARGN})
  add_library(troupe_${ARG_NAME} STATIC ${ARG_SOURCES})
  _troupe_target(troupe_${ARG_NAME} troupe_common_headers ${ARG_DEPENDS})
endfunction()

# troupe_program(NAME SOURCES a.cpp ... [DEPENDS target ...])
#   An executable build/NAME.
function(troupe_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  _troupe_target(${ARG_NAME} troupe_common_headers ${ARG_DEPENDS})
endfunction()

# troupe_test(NAME [LONG] SOURCES a_test.cpp ... [DEPENDS target ...])
#   A GoogleTest executable build/NAME; each TEST becomes a CTest case of its own name. LONG: of the label `long`, which
#   only `./dev test --long` runs.
function(troupe_test)
  cmake_parse_arguments(ARG "LONG" "NAME" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  _troupe_target(${ARG_NAME} troupe_test_headers ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_compile_options(${ARG_NAME} PRIVATE -O1)
  target_compile_definitions(${ARG_NAME} PRIVATE TROUPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(ARG_LONG)
    gtest_discover_tests(${ARG_NAME} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 7200 LABELS long)
  else()
    gtest_discover_tests(${ARG_NAME} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  endif()
endfunction()
