// SPDX-License-Identifier: Apache-2.0
// Trace of nodes for Perfetto and Chrome's viewer (docs/formats/event-log.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <tributary/magic/inbox.h>

#include "node_sinks.h"
#include "perfetto_file.h"

namespace tributary {
namespace {

/// Units of a node; each has as many rows as it does things at once.
enum class unit : std::uint32_t {
  access,    ///< an uncached access of the processor, by its tag
  handlers,  ///< of the protocol processor
  inward,    ///< messages from the network, by lane: the wire
  outward,   ///< messages to the network, by lane: the wire
  memory,    ///< the words of an access: reads, writes
  buffer     ///< a data buffer, from allocation to the last release
};

constexpr std::uint32_t rows_a_unit = 1000;

struct row {
  node_id node{};
  unit of = unit::handlers;
  std::uint32_t number = 0;

  std::uint32_t track() const { return 1 + index(node); }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(of) * rows_a_unit + number; }
};

constexpr std::array<const char*, message_lanes> lane_names = {"request", "reply", "third",
                                                               "fourth"};

std::string name_of_row(const row& where) {
  switch (where.of) {
    case unit::access:
      return fmt::format("uncached access {}", where.number);
    case unit::handlers:
      return "protocol processor";
    case unit::inward:
      return fmt::format("in, {} lane", lane_names.at(where.number));
    case unit::outward:
      return fmt::format("out, {} lane", lane_names.at(where.number));
    case unit::memory:
      return where.number == 0 ? "memory, read" : "memory, written";
    case unit::buffer:
      return fmt::format("data buffer {}", where.number);
  }
  return "";
}

std::string about(const message& what) {
  return fmt::format(
      R"("type":{},"source":{},"destination":{},"lane":"{}","address":"{:#x}","bytes":{})",
      what.type, index(what.source), index(what.destination),
      lane_names.at(static_cast<std::size_t>(what.over)), what.address, what.length);
}

class node_perfetto final : public node_sink {
 public:
  node_perfetto(const std::string& path, node_filter filter, node_trace_shape shape)
      : file_(path),
        filter_(std::move(filter)),
        shape_(std::move(shape)),
        nodes_(shape_.nodes),
        buffers_(shape_.nodes),
        accesses_(shape_.nodes) {}

  void on_event(const node_event& event) override {
    now_ = std::max(now_, event.cycle);
    node_state& node = nodes_.at(index(event.node));
    switch (event.kind) {
      case node_event_kind::processor_request:
        accesses_[index(event.node)][event.number] = event;
        break;
      case node_event_kind::processor_answer:
        end_access(event.node, event.number, event.last, false);
        break;
      case node_event_kind::selected:
        select(node, event);
        break;
      case node_event_kind::handled:
        handle(node, event);
        break;
      case node_event_kind::sent:
        send(node, event);
        break;
      case node_event_kind::departed:
        depart(node, event);
        break;
      case node_event_kind::arrived:
        arrive(node, event);
        break;
      case node_event_kind::buffer_taken:
        buffers_[index(event.node)][event.number] = event.cycle;
        break;
      case node_event_kind::buffer_freed:
        end_buffer(event.node, event.number, event.cycle, false);
        break;
      case node_event_kind::memory_read:
        show({event.node, unit::memory, 0}, handler_or(event, "read"), "memory", event.cycle,
             event.last + 1, fmt::format(R"("offset":"{:#x}")", event.what.address));
        break;
      case node_event_kind::memory_written:
        show({event.node, unit::memory, 1}, handler_or(event, "written"), "memory", event.cycle,
             event.last + 1, fmt::format(R"("offset":"{:#x}")", event.what.address));
        break;
    }
  }

  void finish(bool partial) override {
    for (std::uint32_t i = 0; i < shape_.nodes; ++i) {
      while (!accesses_[i].empty()) {
        end_access(node_id{i}, accesses_[i].begin()->first, now_ + 1, true);
      }
      while (!buffers_[i].empty()) {
        end_buffer(node_id{i}, buffers_[i].begin()->first, now_ + 1, true);
      }
    }
    file_.finish(partial);
  }

 private:
  using lane_queue = std::array<std::deque<std::uint64_t>, message_lanes>;
  /// Arrows that are on their way through the queues of a node; each queue is first in, first out.
  struct node_state {
    lane_queue leaving;         // to the network
    lane_queue leaving_to_own;  // to the node itself
    lane_queue arrived;
    std::deque<std::uint64_t> selected;  // to handlers that will run; 0: no arrow
  };

  static std::size_t lane_of(const message& what) { return static_cast<std::size_t>(what.over); }

  std::string handler_or(const node_event& event, const char* otherwise) const {
    return event.run == no_handler ? otherwise : shape_.name_of_handler(event.node, event.run);
  }

  bool shown(const row& where, cycle_t begin, cycle_t end) const {
    node_event at;
    at.node = where.node;
    at.cycle = begin;
    at.last = end;
    return filter_.admits(at);
  }

  void show(const row& where, const std::string& name, const char* category, cycle_t begin,
            cycle_t end, const std::string& arguments) {
    if (!shown(where, begin, end)) return;
    introduce(where);
    file_.add_slice(where.track(), where.thread(), name, category, begin, end, arguments);
  }
  void introduce(const row& where) {
    if (named_.insert({where.track(), 0}).second) {
      file_.name_track(where.track(), fmt::format("node {}", index(where.node)));
    }
    if (named_.insert({where.track(), where.thread() + 1}).second) {
      file_.name_row(where.track(), where.thread(), name_of_row(where));
    }
  }
  void arrow(perfetto_file::arrow_part part, std::uint64_t which, const row& where, cycle_t cycle) {
    if (which == 0 || !shown(where, cycle, cycle)) return;
    introduce(where);
    file_.add_arrow(part, which, "message", "message", where.track(), where.thread(), cycle);
  }

  static std::uint64_t take(std::deque<std::uint64_t>& queue) {
    if (queue.empty()) return 0;  // it was on its way when the sink was opened
    const std::uint64_t first = queue.front();
    queue.pop_front();
    return first;
  }

  void send(node_state& node, const node_event& event) {
    const bool own = event.what.destination == event.node;
    const std::uint64_t which = ++arrows_;
    (own ? node.leaving_to_own : node.leaving)[lane_of(event.what)].push_back(which);
    arrow(perfetto_file::arrow_part::begin, which, {event.node, unit::handlers, 0}, event.cycle);
  }

  void depart(node_state& node, const node_event& event) {
    const bool own = event.what.destination == event.node;
    const std::size_t lane = lane_of(event.what);
    const std::uint64_t which = take((own ? node.leaving_to_own : node.leaving)[lane]);
    travelling_[event.number] = which;
    const row where{event.node, unit::outward, static_cast<std::uint32_t>(lane)};
    show(where, fmt::format("to {}", index(event.what.destination)), "network", event.cycle,
         event.last, about(event.what));
    arrow(perfetto_file::arrow_part::middle, which, where, event.cycle);
  }

  void arrive(node_state& node, const node_event& event) {
    const std::size_t lane = lane_of(event.what);
    std::uint64_t which = 0;
    const auto found = travelling_.find(event.number);
    if (found != travelling_.end()) {
      which = found->second;
      travelling_.erase(found);
    }
    node.arrived[lane].push_back(which);
    const row where{event.node, unit::inward, static_cast<std::uint32_t>(lane)};
    show(where, fmt::format("from {}", index(event.what.source)), "network", event.cycle,
         event.last, about(event.what));
    arrow(perfetto_file::arrow_part::middle, which, where, event.cycle);
  }

  void select(node_state& node, const node_event& event) {
    switch (static_cast<inbox_input>(event.number)) {
      case inbox_input::request_lane:
      case inbox_input::reply_lane:
      case inbox_input::third_lane:
      case inbox_input::fourth_lane:
        node.selected.push_back(take(node.arrived[lane_of(event.what)]));
        break;
      case inbox_input::processor:
        if (event.what.type == static_cast<std::uint8_t>(common_type::uncached_write)) {
          end_access(event.node, event.what.tag, event.cycle, false);
        }
        node.selected.push_back(0);
        break;
      default:
        node.selected.push_back(0);
        break;
    }
  }

  void handle(node_state& node, const node_event& event) {
    const row where{event.node, unit::handlers, 0};
    show(
        where, shape_.name_of_handler(event.node, event.run), "handler", event.cycle, event.last,
        fmt::format(R"("from":"{}",{})", tributary::name_of(static_cast<inbox_input>(event.number)),
                    about(event.what)));
    arrow(perfetto_file::arrow_part::end, take(node.selected), where, event.cycle);
  }

  /// Ends what was open; nothing if it had begun before the sink was opened.
  void end_access(node_id node, std::uint32_t tag, cycle_t end, bool open) {
    std::map<std::uint32_t, node_event>& here = accesses_[index(node)];
    const auto found = here.find(tag);
    if (found == here.end()) return;
    const node_event& asked = found->second;
    const bool write = asked.what.type == static_cast<std::uint8_t>(common_type::uncached_write);
    show({node, unit::access, tag}, write ? "uncached write" : "uncached read", "processor",
         asked.cycle, end, about(asked.what) + (open ? R"(,"open":true)" : ""));
    here.erase(found);
  }
  void end_buffer(node_id node, std::uint32_t number, cycle_t end, bool open) {
    std::map<std::uint32_t, cycle_t>& here = buffers_[index(node)];
    const auto found = here.find(number);
    if (found == here.end()) return;
    show({node, unit::buffer, number}, "in use", "buffer", found->second, end,
         open ? R"("open":true)" : "");
    here.erase(found);
  }

  perfetto_file file_;
  node_filter filter_;
  node_trace_shape shape_;
  std::vector<node_state> nodes_;
  std::vector<std::map<std::uint32_t, cycle_t>> buffers_;      // since when in use
  std::vector<std::map<std::uint32_t, node_event>> accesses_;  // that wait, by tag
  std::map<std::uint32_t, std::uint64_t> travelling_;          // arrows by the message's number
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_;    // tracks and rows
  std::uint64_t arrows_ = 0;
  cycle_t now_ = 0;
};

}  // namespace

std::unique_ptr<node_sink> open_node_perfetto(const std::string& path, const node_filter& filter,
                                              const node_trace_shape& shape) {
  return std::make_unique<node_perfetto>(path, filter, shape);
}

}  // namespace tributary
