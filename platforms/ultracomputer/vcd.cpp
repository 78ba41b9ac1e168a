// SPDX-License-Identifier: Apache-2.0
// Value change dump of the ports of a machine (docs/formats/event-log.md).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <vector>

#include <tributary/sim/text_file.h>
#include <ultracomputer/machine.h>

#include "event_sink.h"

namespace tributary {
namespace {

/// Values in time, written as they change. Times are cycles and do not decrease.
class change_writer {
 public:
  explicit change_writer(const std::string& path) : file_(path) {
    file_.write(
        "$comment tributary-vcd 1: time n is cycle n, values are those at its end $end\n"
        "$timescale 1 ns $end\n");
  }

  void open_scope(const std::string& name) {
    file_.write(fmt::format("$scope module {} $end\n", name));
  }
  void close_scope() { file_.write("$upscope $end\n"); }

  /// Declares a value of `width` bits, unknown until it is set; returns its index.
  std::size_t declare(const char* name, unsigned width) {
    signals_.push_back({0, static_cast<std::uint8_t>(width), false, false});
    file_.write(fmt::format("$var wire {} {} {} $end\n", width, code(signals_.size() - 1), name));
    return signals_.size() - 1;
  }
  void end_declarations() { file_.write("$enddefinitions $end\n"); }

  std::uint32_t value(std::size_t index) const { return signals_[index].value; }
  void set(std::size_t index, std::uint32_t value) {
    signal& now = signals_[index];
    if (now.known && now.value == value) return;
    now.value = value;
    now.known = true;
    if (now.changed) return;
    now.changed = true;
    changed_.push_back(index);
  }
  void set_unknown(std::size_t index) { signals_[index].known = false; }
  void add(std::size_t index, int difference) {
    set(index, value(index) + static_cast<std::uint32_t>(difference));
  }

  void write_all(cycle_t time) {
    file_.write(fmt::format("#{}\n$dumpvars\n", time));
    for (std::size_t index = 0; index < signals_.size(); ++index) write_value(index);
    file_.write("$end\n");
    forget_changes();
  }
  void write_changes(cycle_t time) {
    if (changed_.empty()) return;
    file_.write(fmt::format("#{}\n", time));
    std::sort(changed_.begin(), changed_.end());
    for (const std::size_t index : changed_) write_value(index);
    forget_changes();
  }
  void forget_changes() {
    for (const std::size_t index : changed_) signals_[index].changed = false;
    changed_.clear();
  }

  void finish(bool partial) {
    if (partial) file_.write("$comment partial: the run was interrupted here $end\n");
    file_.commit();
  }

 private:
  struct signal {
    std::uint32_t value;
    std::uint8_t width;
    bool known;
    bool changed;
  };

  /// The short name of a value: its index in base 94, in printable characters.
  static std::string code(std::size_t index) {
    constexpr std::size_t base = 94;
    std::string text;
    do {
      text += static_cast<char>('!' + index % base);
      index /= base;
    } while (index != 0);
    return text;
  }

  void write_value(std::size_t index) {
    const signal& now = signals_[index];
    if (now.width == 1) {
      file_.write(
          fmt::format("{}{}\n", now.known ? fmt::format("{}", now.value) : "x", code(index)));
    } else {
      file_.write(
          fmt::format("b{} {}\n", now.known ? fmt::format("{:b}", now.value) : "x", code(index)));
    }
  }

  text_writer file_;
  std::vector<signal> signals_;
  std::vector<std::size_t> changed_;
};

/// A link: valid for the cycle in which a message leaves over it, and whose message it was.
struct link_signals {
  std::size_t valid;
  std::size_t pe;
  std::size_t sequence;
};

struct output_signals {  // of a memory-side port
  std::size_t waiting;
  std::size_t combined;
  std::size_t wait_buffer;
  link_signals requests;
};

struct input_signals {  // of a processor-side port
  std::size_t waiting;
  link_signals replies;
};

struct switch_signals {
  output_signals outputs[2];
  input_signals inputs[2];
};

struct end_signals {  // of an element or a module
  link_signals requests;
  link_signals replies;
};

constexpr std::size_t not_shown = std::numeric_limits<std::size_t>::max();

class vcd final : public event_sink {
 public:
  vcd(const std::string& path, const event_filter& filter, const machine& observed)
      : changes_(path),
        filter_(filter),
        shape_(shape_of(observed)),
        joins_wait_(observed.network().column(0).settles()),
        start_(observed.now()),
        now_(observed.now()) {
    changes_.open_scope("ultracomputer");
    declare_elements();
    declare_stages();
    declare_modules();
    changes_.close_scope();
    changes_.end_declarations();
    count_waiting(observed.network());
  }

  void on_event(const network_event& event) override {
    if (event.cycle > now_) {
      end_cycle();
      begin_cycle(event.cycle);
    }
    if (event.stage == processor_side) {
      at_element(event);
    } else if (event.stage == static_cast<std::int32_t>(shape_.stages)) {
      at_module(event);
    } else {
      in_switch(event);
    }
  }

  void finish(bool partial) override {
    end_cycle();
    begin_cycle(std::max(now_ + 2, filter_.first_cycle()));
    changes_.finish(partial);
  }

 private:
  link_signals declare_link(const char* valid, const char* pe, const char* sequence) {
    link_signals link{changes_.declare(valid, 1), changes_.declare(pe, 16),
                      changes_.declare(sequence, 32)};
    changes_.set(link.valid, 0);
    return link;
  }
  std::size_t declare_count(const char* name) {
    const std::size_t count = changes_.declare(name, 16);
    changes_.set(count, 0);
    return count;
  }

  std::size_t declare_end(const std::string& name) {
    changes_.open_scope(name);
    end_signals here{};
    here.requests = declare_link("request_valid", "request_pe", "request_sequence");
    here.replies = declare_link("reply_valid", "reply_pe", "reply_sequence");
    changes_.close_scope();
    ends_.push_back(here);
    return ends_.size() - 1;
  }
  void declare_elements() {
    elements_.assign(shape_.processing_elements, not_shown);
    if (!filter_.admits_processor_side()) return;
    changes_.open_scope("elements");
    for (std::uint32_t pe = 0; pe < shape_.processing_elements; ++pe) {
      if (filter_.admits_pe(pe)) elements_[pe] = declare_end(fmt::format("element_{}", pe));
    }
    changes_.close_scope();
  }
  void declare_modules() {
    modules_.assign(shape_.processing_elements, not_shown);
    if (!filter_.admits_memory_side()) return;
    changes_.open_scope("modules");
    for (std::uint32_t mm = 0; mm < shape_.processing_elements; ++mm) {
      modules_[mm] = declare_end(fmt::format("module_{}", mm));
    }
    changes_.close_scope();
  }

  void declare_stages() {
    switch_of_.assign(std::size_t{shape_.stages} * shape_.switches(), not_shown);
    for (std::uint32_t stage = 0; stage < shape_.stages; ++stage) {
      bool open = false;
      for (std::uint32_t which = 0; which < shape_.switches(); ++which) {
        if (!filter_.admits_switch(stage, which)) continue;
        if (!open) changes_.open_scope(fmt::format("stage_{}", stage));
        open = true;
        declare_switch(stage, which);
      }
      if (open) changes_.close_scope();
    }
  }
  void declare_switch(std::uint32_t stage, std::uint32_t which) {
    switch_signals here{};
    changes_.open_scope(fmt::format("switch_{}", which));
    for (unsigned port = 0; port < 2; ++port) {
      changes_.open_scope(fmt::format("output_{}", port));
      output_signals& output = here.outputs[port];
      output.waiting = declare_count("waiting");
      output.combined = declare_count("combined");
      output.wait_buffer = declare_count("wait_buffer");
      output.requests = declare_link("request_valid", "request_pe", "request_sequence");
      changes_.close_scope();
    }
    for (unsigned port = 0; port < 2; ++port) {
      changes_.open_scope(fmt::format("input_{}", port));
      here.inputs[port].waiting = declare_count("waiting_replies");
      here.inputs[port].replies = declare_link("reply_valid", "reply_pe", "reply_sequence");
      changes_.close_scope();
    }
    changes_.close_scope();
    switch_of_[index_of(stage, which)] = switches_.size();
    switches_.push_back(here);
  }

  std::size_t index_of(std::uint32_t stage, std::uint32_t which) const {
    return std::size_t{stage} * shape_.switches() + which;
  }
  const switch_signals* find(std::uint32_t stage, std::uint32_t which) const {
    const std::size_t at = switch_of_[index_of(stage, which)];
    return at == not_shown ? nullptr : &switches_[at];
  }

  /// Counts from what the machine holds as it stands, which after a resume is not nothing.
  void count_waiting(const omega_network& network) {
    for (std::uint32_t stage = 0; stage < shape_.stages; ++stage) {
      const switch_column& column = network.column(stage);
      for (std::size_t port = 0; port < shape_.processing_elements; ++port) {
        note_pairs(column, column.queue_of(port, 0));
        if (column.queue_of(port, 1) != column.queue_of(port, 0)) {
          note_pairs(column, column.queue_of(port, 1));
        }
        const auto which = static_cast<std::uint32_t>(port / 2);
        if (const switch_signals* shown = find(stage, which)) {
          count_port(column, port, shown->outputs[port % 2]);
        }
      }
      for (std::size_t line = 0; line < shape_.processing_elements; ++line) {
        const auto which = static_cast<std::uint32_t>(line % shape_.switches());
        if (const switch_signals* shown = find(stage, which)) {
          changes_.set(shown->inputs[line / shape_.switches()].waiting,
                       static_cast<std::uint32_t>(column.reverse_queues().size(line)));
        }
      }
    }
  }
  void note_pairs(const switch_column& column, std::size_t queue) {
    const combining_queue& queues = column.queues();
    for (std::size_t i = 0; i < queues.size(queue); ++i) {
      if (queues.partner_of(queue, i) != no_partner) {
        pairs_.insert(key(queues.entry(queue, i).id()));
      }
    }
  }
  void count_port(const switch_column& column, std::size_t port, const output_signals& output) {
    const combining_queue& queues = column.queues();
    std::size_t waiting = queues.size(column.queue_of(port, 0));
    std::size_t combined = queues.combined(column.queue_of(port, 0));
    if (column.queue_of(port, 1) != column.queue_of(port, 0)) {
      waiting += queues.size(column.queue_of(port, 1));
      combined += queues.combined(column.queue_of(port, 1));
    }
    changes_.set(output.waiting, static_cast<std::uint32_t>(waiting));
    changes_.set(output.combined, static_cast<std::uint32_t>(combined));
    changes_.set(output.wait_buffer, static_cast<std::uint32_t>(column.wait_buffers().size(port)));
  }

  static std::uint64_t key(const request_id& id) {
    return (std::uint64_t{id.pe} << 32) | id.sequence;
  }

  void begin_cycle(cycle_t cycle) {
    if (cycle > now_ + 1) write_changes(now_ + 1);
    if (!begun_ && cycle >= filter_.first_cycle()) {
      begun_ = true;
      forget_messages();
      changes_.write_all(std::max(filter_.first_cycle(), start_ + 1) - 1);
    }
    now_ = cycle;
  }
  /// Links begin idle and without a last message, so that a window of a resumed run is the same.
  void forget_messages() {
    const auto forget = [this](const link_signals& link) {
      changes_.set_unknown(link.pe);
      changes_.set_unknown(link.sequence);
    };
    for (const end_signals& each : ends_) {
      forget(each.requests);
      forget(each.replies);
    }
    for (const switch_signals& each : switches_) {
      for (const output_signals& output : each.outputs) forget(output.requests);
      for (const input_signals& input : each.inputs) forget(input.replies);
    }
  }
  void end_cycle() {
    write_changes(now_);
    for (const std::size_t valid : raised_) changes_.set(valid, 0);
    raised_.clear();
  }
  void write_changes(cycle_t cycle) {
    if (begun_ && filter_.in_window(cycle)) {
      changes_.write_changes(cycle);
    } else {
      changes_.forget_changes();
    }
  }

  void pass(const link_signals& link, const request_id& id) {
    if (!filter_.admits_pe(id.pe)) return;
    changes_.set(link.valid, 1);
    changes_.set(link.pe, id.pe);
    changes_.set(link.sequence, id.sequence);
    raised_.push_back(link.valid);
  }

  void at_element(const network_event& event) {
    const std::size_t at = elements_[event.switch_index];
    if (at == not_shown) return;
    pass(event.kind == event_kind::accepted ? ends_[at].requests : ends_[at].replies, event.id);
  }

  void at_module(const network_event& event) {
    const bool replied = event.kind == event_kind::replied;
    const std::size_t at = modules_[event.switch_index];
    if (at != not_shown) pass(replied ? ends_[at].replies : ends_[at].requests, event.id);
    if (replied) reply_arrives(shape_.stages - 1, event.switch_index / 2, event.id);
  }

  /// A response enters a switch, on its way to the input that its element's number names.
  void reply_arrives(std::uint32_t stage, std::uint32_t which, const request_id& id) {
    const switch_signals* here = find(stage, which);
    if (here == nullptr) return;
    changes_.add(here->inputs[(id.pe >> (shape_.stages - 1 - stage)) & 1U].waiting, 1);
  }

  void in_switch(const network_event& event) {
    const auto stage = static_cast<std::uint32_t>(event.stage);
    const switch_signals* here = find(stage, event.switch_index);
    if (event.kind == event_kind::decombined) {
      reply_arrives(stage, event.switch_index, event.id);
      if (here != nullptr) changes_.add(here->outputs[event.port].wait_buffer, -1);
    } else if (event.kind == event_kind::reply_departed) {
      // The link behind input i of switch j is line i * N / 2 + j, memory-side port of that number.
      const std::uint32_t line = event.port * shape_.switches() + event.switch_index;
      if (stage > 0) reply_arrives(stage - 1, line / 2, event.id);
      if (here == nullptr) return;
      changes_.add(here->inputs[event.port].waiting, -1);
      pass(here->inputs[event.port].replies, event.id);
    } else {
      request_in_switch(event, here);
    }
  }

  void request_in_switch(const network_event& event, const switch_signals* here) {
    const output_signals* output = here == nullptr ? nullptr : &here->outputs[event.port];
    if (event.kind == event_kind::inserted) {
      if (output != nullptr) changes_.add(output->waiting, 1);
    } else if (event.kind == event_kind::combined) {
      pairs_.insert(key(event.other));
      if (output == nullptr) return;
      changes_.add(output->combined, 1);
      if (joins_wait_) changes_.add(output->waiting, -1);
    } else {
      const bool pair = pairs_.erase(key(event.id)) != 0;
      if (output == nullptr) return;
      changes_.add(output->waiting, -1);
      if (pair) {
        changes_.add(output->combined, -1);
        changes_.add(output->wait_buffer, 1);
      }
      pass(output->requests, event.id);
    }
  }

  change_writer changes_;
  event_filter filter_;
  machine_shape shape_;
  bool joins_wait_;  // a request that joins another was inserted before
  cycle_t start_;    // the machine's last cycle before the dump
  cycle_t now_;
  bool begun_ = false;
  std::vector<std::size_t> elements_;  // index into ends_, or not_shown
  std::vector<std::size_t> modules_;
  std::vector<std::size_t> switch_of_;  // index into switches_, or not_shown
  std::vector<end_signals> ends_;
  std::vector<switch_signals> switches_;
  std::unordered_set<std::uint64_t> pairs_;  // firsts of combined pairs that wait in a queue
  std::vector<std::size_t> raised_;          // valid in the current cycle
};

}  // namespace

std::unique_ptr<event_sink> open_vcd(const std::string& path, const event_filter& filter,
                                     const machine& observed) {
  return std::make_unique<vcd>(path, filter, observed);
}

}  // namespace tributary
