// SPDX-License-Identifier: Apache-2.0
// The event log: one line an event (docs/formats/event-log.md).
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include <tributary/sim/text_file.h>
#include <tributary/trace/sink.h>

namespace tributary {
namespace {

class event_log final : public trace_sink {
 public:
  event_log(const std::string& path, trace_filter filter, const trace_catalog& catalog)
      : file_(path), filter_(std::move(filter)), catalog_(catalog), track_names_(catalog.tracks()) {
    file_.write(fmt::format("# tributary-event-log 2 {}\n", catalog.machine()));
    file_.write("# cycle\tlast\ttrack\tevent\tidentity\tparent\taddress\tvalue\tdetails\n");
  }

  void on_event(const trace_event& event) override {
    if (!filter_.admits(event)) return;
    line_.clear();
    const auto out = fmt::appender(line_);
    const event_kind& kind = *event.kind;
    fmt::format_to(out, FMT_COMPILE("{}\t{}\t{}\t{}\t"), event.cycle, event.last,
                   name_of(event.track), kind.name);
    append(event.identity);
    append(event.parent);
    append(kind.has_address, event.address);
    append(kind.has_value, event.value);
    append_details(event);
    file_.write({line_.data(), line_.size()});
    ++events_;
  }

  void finish(bool partial) override {
    file_.write(fmt::format("# {} {}\n", partial ? "partial" : "end", events_));
    file_.commit();
  }

 private:
  /// Made when first needed: a large machine has millions.
  const std::string& name_of(track_id track) {
    std::string& name = track_names_[static_cast<std::size_t>(track)];
    if (name.empty()) name = catalog_.name_of(track);
    return name;
  }
  void append(trace_identity identity) {
    fmt::format_to(fmt::appender(line_), FMT_COMPILE("{}\t"), to_string(identity));
  }
  void append(bool is_there, std::uint64_t value) {
    const auto out = fmt::appender(line_);
    is_there ? fmt::format_to(out, FMT_COMPILE("{:#x}\t"), value)
             : fmt::format_to(out, FMT_COMPILE("-\t"));
  }
  void append_details(const trace_event& event) {
    const auto out = fmt::appender(line_);
    const std::size_t begin = line_.size();
    const auto show = [&](const char* detail, std::uint64_t value, const std::string* name) {
      if (line_.size() != begin) line_.push_back(' ');
      name != nullptr ? fmt::format_to(out, FMT_COMPILE("{}={}"), detail, *name)
                      : fmt::format_to(out, FMT_COMPILE("{}={}"), detail, value);
    };
    catalog_.for_each_detail(event, show);
    line_.append(std::string_view(line_.size() == begin ? "-\n" : "\n"));
  }

  text_writer file_;
  trace_filter filter_;
  const trace_catalog& catalog_;
  std::vector<std::string> track_names_;
  fmt::memory_buffer line_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<trace_sink> open_event_log(const std::string& path, const trace_filter& filter,
                                           const trace_catalog& catalog) {
  return std::make_unique<event_log>(path, filter, catalog);
}

}  // namespace tributary
