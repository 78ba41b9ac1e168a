// SPDX-License-Identifier: Apache-2.0
#include "perfetto_file.h"

#include <fmt/format.h>

namespace tributary {

perfetto_file::perfetto_file(const std::string& path) : file_(path) {
  file_.write("{\"traceEvents\":[");
}

void perfetto_file::name_track(std::uint32_t track, std::string_view name) {
  begin_event();
  file_.write(fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"{1}"}}}},
{{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
                          track, name));
}

void perfetto_file::name_row(std::uint32_t track, std::uint32_t row, std::string_view name) {
  begin_event();
  file_.write(fmt::format(
      R"({{"ph":"M","name":"thread_name","pid":{0},"tid":{1},"args":{{"name":"{2}"}}}},
{{"ph":"M","name":"thread_sort_index","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
      track, row, name));
}

void perfetto_file::add_slice(std::uint32_t track, std::uint32_t row, std::string_view name,
                              std::string_view category, cycle_t begin, cycle_t end,
                              std::string_view arguments) {
  begin_event();
  file_.write(fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                          R"("args":{{{}}}}})",
                          name, category, track, row, begin, end - begin, arguments));
}

void perfetto_file::add_arrow(arrow_part part, std::uint64_t arrow, std::string_view name,
                              std::string_view category, std::uint32_t track, std::uint32_t row,
                              cycle_t cycle) {
  begin_event();
  // "bp": "e" binds the arrow's head to the slice around it.
  file_.write(
      fmt::format(R"({{"ph":"{}",{}"id":{},"name":"{}","cat":"{}","pid":{},"tid":{},"ts":{}}})",
                  static_cast<char>(part), part == arrow_part::begin ? "" : R"("bp":"e",)", arrow,
                  name, category, track, row, cycle));
}

void perfetto_file::finish(bool partial) {
  file_.write(
      fmt::format("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":"
                  "\"tributary-perfetto 1\",\"time\":\"1 us is 1 cycle\","
                  "\"partial\":{}}}}}\n",
                  partial));
  file_.commit();
}

void perfetto_file::begin_event() {
  file_.write(first_ ? "\n" : ",\n");
  first_ = false;
}

}  // namespace tributary
