# SPDX-License-Identifier: Apache-2.0
# tributary_bare: a combining network once more without statistics, for goal G11. The sources are the
# library's own; the few lines that count are taken out of copies, and the namespace is another, so
# that both libraries fit into one program. (A switch in the library's headers would give two
# layouts of one class to programs that set it differently.)

# tributary_bare_copy(FILE text replacement [text replacement]...)
# Copies a file of models/ into ${bare_directory}. A text that is not there is an error: what is no
# longer taken out would be measured as free.
function(tributary_bare_copy file)
  set(source ${PROJECT_SOURCE_DIR}/models/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  set(at 1)
  while(at LESS ARGC)
    math(EXPR next "${at} + 1")
    string(FIND "${text}" "${ARGV${at}}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "${file} no longer has the text\n${ARGV${at}}\nwhich goal G11 takes out; "
                          "bring testbenches/benchmarks/bare.cmake up to date")
    endif()
    string(REPLACE "${ARGV${at}}" "${ARGV${next}}" text "${text}")
    math(EXPR at "${at} + 2")
  endwhile()
  file(CONFIGURE OUTPUT ${bare_directory}/${file} CONTENT "${text}" @ONLY)
endfunction()

set(bare_directory ${CMAKE_CURRENT_BINARY_DIR}/bare)
tributary_bare_copy(tributary/sim/statistics.h
  "++value_;" ""
  "void add(std::uint64_t events) noexcept { value_ += events; }"
  "void add(std::uint64_t) noexcept {}"
  "  void add(std::uint64_t value, std::uint64_t times = 1) noexcept {
    count_ += times;
    sum_ += value * times;
    min_ = value < min_ ? value : min_;
    max_ = value > max_ ? value : max_;
  }"
  "  void add(std::uint64_t, std::uint64_t = 1) noexcept {}"
  "  void add(std::uint64_t value, std::uint64_t times = 1) noexcept {
    const std::size_t bin = bin_of(value);
    counts_[bin < overflow_bin() ? bin : overflow_bin()] += times;
  }"
  "  void add(std::uint64_t, std::uint64_t = 1) noexcept {}")
tributary_bare_copy(tributary/network/omega/switch_column.h
  "std::uint64_t arrived = 0;" "no_count arrived;"
  "std::uint64_t combined = 0;" "no_count combined;"
  "std::uint64_t departed = 0;" "no_count departed;"
  "std::uint64_t decombined = 0;" "no_count decombined;"
  "wait_buffers_.size(port) > totals.counters.wait_buffer_peak" "false"
  "std::uint64_t cycles = 0;" "no_count cycles;"
  "std::uint64_t waiting_cycles = 0;" "no_count waiting_cycles;"
  "std::uint64_t held_cycles = 0;" "no_count held_cycles;")
tributary_bare_copy(tributary/nic/latency_classes.h
  "void add(heat warmth, form kind, std::uint64_t latency, std::uint64_t times = 1) {
    cell& its = cells_[place(warmth, kind)];
    if (its.latency.count() == 0) its.distribution = empty_distribution();
    its.latency.add(latency, times);
    its.distribution.add(latency, times);
  }"
  "void add(heat, form, std::uint64_t, std::uint64_t = 1) {}")
tributary_bare_copy(tributary/memory/memory.h
  "++served_locally_;" ""
  "std::uint64_t served_ = 0;" "no_count served_;")

get_target_property(sources tributary_cores SOURCES)
list(FILTER sources EXCLUDE REGEX
     "^tributary/(algorithms|cache|controller|magic|network/(graph|routing|switching)|protocols)/")
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/models/ REGEX "^tributary/")
add_library(tributary_bare STATIC ${sources} bare_machine.cpp)
set_target_properties(tributary_bare PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
tributary_own_code(tributary_bare)
target_compile_definitions(tributary_bare PRIVATE tributary=tributary_bare
                                                  TRIBUTARY_VERSION="${PROJECT_VERSION}")
target_compile_options(tributary_bare PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/no_count.h)
target_include_directories(tributary_bare BEFORE
  PRIVATE ${bare_directory} ${PROJECT_SOURCE_DIR}/models
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(tributary_bare PRIVATE
  fmt::fmt Boost::context ZLIB::ZLIB zstd::libzstd_shared Threads::Threads nlohmann_json::nlohmann_json cereal::cereal)
