// SPDX-License-Identifier: Apache-2.0
// The text event log of nodes (docs/formats/event-log.md).
#include <fmt/format.h>

#include <utility>

#include <tributary/magic/inbox.h>
#include <tributary/sim/text_file.h>

#include "node_sinks.h"

namespace tributary {
namespace {

const char* name_of(node_event_kind kind) {
  switch (kind) {
    case node_event_kind::processor_request:
      return "processor_request";
    case node_event_kind::processor_answer:
      return "processor_answer";
    case node_event_kind::selected:
      return "selected";
    case node_event_kind::handled:
      return "handled";
    case node_event_kind::sent:
      return "sent";
    case node_event_kind::departed:
      return "departed";
    case node_event_kind::arrived:
      return "arrived";
    case node_event_kind::buffer_taken:
      return "buffer_taken";
    case node_event_kind::buffer_freed:
      return "buffer_freed";
    case node_event_kind::memory_read:
      return "memory_read";
    case node_event_kind::memory_written:
      return "memory_written";
  }
  return "";
}

bool runs_a_handler(const node_event& event) { return event.run != no_handler; }

bool is_about_a_message(node_event_kind kind) {
  return kind != node_event_kind::buffer_taken && kind != node_event_kind::buffer_freed &&
         kind != node_event_kind::memory_read && kind != node_event_kind::memory_written;
}

bool is_about_an_address(node_event_kind kind) {
  return kind != node_event_kind::buffer_taken && kind != node_event_kind::buffer_freed;
}

class node_log final : public node_sink {
 public:
  node_log(const std::string& path, node_filter filter, node_trace_shape shape)
      : file_(path), filter_(std::move(filter)), shape_(std::move(shape)) {
    file_.write(
        "# tributary-node-log 1\n"
        "# cycle\tlast\tnode\tevent\thandler\tnumber\taddress\ttype\tsource\tdestination\tlane\t"
        "bytes\tvalue\n");
  }

  void on_event(const node_event& event) override {
    if (!filter_.admits(event)) return;
    line_.clear();
    const auto out = fmt::appender(line_);
    fmt::format_to(out, "{}\t{}\t{}\t{}\t{}\t", event.cycle, event.last, index(event.node),
                   name_of(event.kind),
                   runs_a_handler(event) ? shape_.name_of_handler(event.node, event.run) : "-");
    if (event.kind == node_event_kind::selected || event.kind == node_event_kind::handled) {
      fmt::format_to(out, "{}\t", tributary::name_of(static_cast<inbox_input>(event.number)));
    } else {
      fmt::format_to(out, "{}\t", event.number);
    }
    const message& what = event.what;
    if (is_about_an_address(event.kind)) {
      fmt::format_to(out, "{:#x}\t", what.address);
    } else {
      fmt::format_to(out, "-\t");
    }
    if (is_about_a_message(event.kind)) {
      fmt::format_to(out, "{}\t{}\t{}\t{}\t{}\t{:#x}\n", what.type, index(what.source),
                     index(what.destination), static_cast<unsigned>(what.over), what.length,
                     event.value);
    } else {
      fmt::format_to(out, "-\t-\t-\t-\t-\t-\n");
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
  node_filter filter_;
  node_trace_shape shape_;
  fmt::memory_buffer line_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<node_sink> open_node_log(const std::string& path, const node_filter& filter,
                                         const node_trace_shape& shape) {
  return std::make_unique<node_log>(path, filter, shape);
}

}  // namespace tributary
