// SPDX-License-Identifier: Apache-2.0
// The text event log: one line an event (docs/formats/event-log.md).
#include <fmt/format.h>

#include <string_view>

#include <tributary/sim/text_file.h>

#include "event_sink.h"

namespace tributary {
namespace {

class text_log final : public event_sink {
 public:
  text_log(const std::string& path, const event_filter& filter, const machine_shape& shape)
      : file_(path), filter_(filter), stages_(shape.stages) {
    file_.write(
        "# tributary-event-log 1\n"
        "# cycle\tstage\tswitch\tport\tevent\trequest\tform\taddress\tvalue\tother\n");
  }

  void on_event(const network_event& event) override {
    if (!filter_.admits(event, stages_)) return;
    line_.clear();
    const auto out = fmt::appender(line_);
    fmt::format_to(out, "{}\t", event.cycle);
    if (event.stage == processor_side) {
      fmt::format_to(out, "pe");
    } else if (event.stage == static_cast<std::int32_t>(stages_)) {
      fmt::format_to(out, "mm");
    } else {
      fmt::format_to(out, "{}", event.stage);
    }
    fmt::format_to(out, "\t{}\t{}\t{}\t{}.{}\t{}\t{:#x}\t{:#x}\t", event.switch_index, event.port,
                   name_of(event.kind), event.id.pe, event.id.sequence, name_of(event.function),
                   event.address, event.value);
    if (event.other == event.id) {
      fmt::format_to(out, "-\n");
    } else {
      fmt::format_to(out, "{}.{}\n", event.other.pe, event.other.sequence);
    }
    file_.write({line_.data(), line_.size()});
    ++events_;
  }

  void finish(bool partial) override {
    file_.write(fmt::format("# {} {}\n", partial ? "partial" : "end", events_));
    file_.commit();
  }

 private:
  text_writer file_;
  event_filter filter_;
  std::uint32_t stages_;
  fmt::memory_buffer line_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<event_sink> open_text_log(const std::string& path, const event_filter& filter,
                                          const machine& observed) {
  return std::make_unique<text_log>(path, filter, shape_of(observed));
}

}  // namespace tributary
