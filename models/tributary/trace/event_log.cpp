// SPDX-License-Identifier: Apache-2.0
// The event log: one line an event (docs/formats/event-log.md).
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/sim/text_file.h>
#include <tributary/trace/detail_cache.h>
#include <tributary/trace/sink.h>
#include <tributary/trace/text_line.h>

namespace tributary {
namespace {

/// "form=add" for each detail, "-" for none.
struct detail_fields {
  const trace_catalog& catalog;

  std::string operator()(const trace_event& event) const {
    std::string text;
    const auto show = [&](const char* detail, std::uint64_t value, const std::string* name) {
      if (!text.empty()) text += ' ';
      text += name != nullptr ? fmt::format(FMT_COMPILE("{}={}"), detail, *name)
                              : fmt::format(FMT_COMPILE("{}={}"), detail, value);
    };
    catalog.for_each_detail(event, show);
    return text.empty() ? "-" : text;
  }
};

class event_log final : public trace_sink {
 public:
  event_log(const std::string& path, trace_filter filter, const trace_catalog& catalog)
      : file_(path),
        filter_(std::move(filter)),
        catalog_(catalog),
        track_names_(catalog.tracks()),
        details_({catalog}) {
    file_.write(fmt::format("# tributary-event-log 2 {}\n", catalog.machine()));
    file_.write("# cycle\tlast\ttrack\tevent\tidentity\tparent\taddress\tvalue\tdetails\n");
  }

  void on_event(const trace_event& event) override {
    if (!filter_.admits(event)) return;
    const event_kind& kind = *event.kind;
    const std::string& track = name_of(event.track);
    const std::string_view name = kind.name;
    const std::string& details = details_.of(event);
    line_.begin(most_of_numbers + track.size() + name.size() + details.size());
    line_.decimal(event.cycle);
    line_.append('\t');
    line_.decimal(event.last);
    line_.append('\t');
    line_.append(track);
    line_.append('\t');
    line_.append(name);
    line_.append('\t');
    line_.append(event.identity);
    line_.append('\t');
    line_.append(event.parent);
    append(kind.has_address, event.address);
    append(kind.has_value, event.value);
    line_.append('\t');
    line_.append(details);
    line_.append('\n');
    file_.write(line_.text());
    ++events_;
  }

  void finish(bool partial) override {
    file_.write(fmt::format("# {} {}\n", partial ? "partial" : "end", events_));
    file_.commit();
  }

 private:
  /// Two cycles, two identities, two words, with what is between the fields.
  static constexpr std::size_t most_of_numbers =
      4 * (text_line::most_digits + 2) + 2 * text_line::most_of_identity + 10;

  /// Made when first needed: a large machine has millions.
  const std::string& name_of(track_id track) {
    std::string& name = track_names_[static_cast<std::size_t>(track)];
    if (name.empty()) name = catalog_.name_of(track);
    return name;
  }
  void append(bool is_there, std::uint64_t value) {
    line_.append('\t');
    if (is_there) {
      line_.hexadecimal(value);
    } else {
      line_.append('-');
    }
  }

  text_writer file_;
  trace_filter filter_;
  const trace_catalog& catalog_;
  std::vector<std::string> track_names_;
  detail_cache<detail_fields> details_;
  text_line line_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<trace_sink> open_event_log(const std::string& path, const trace_filter& filter,
                                           const trace_catalog& catalog) {
  return std::make_unique<event_log>(path, filter, catalog);
}

}  // namespace tributary
