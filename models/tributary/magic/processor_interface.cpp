// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/processor_interface.h>

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <tributary/magic/node_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

// Wake-ups, the tag in the bits above.
constexpr std::uint64_t posted = 0;
constexpr std::uint64_t answered = 1;
constexpr std::uint64_t has_room = 2;
constexpr unsigned tag_shift = 2;
constexpr std::uint64_t kind_mask = (1U << tag_shift) - 1;

bool is_load(const access& request) { return request.function.kind == form::identity; }
bool is_write(const access& request) {
  return request.posted && request.function.kind == form::constant;
}

std::string text_of(const access& request) {
  const char* const kind = is_load(request) ? "read" : is_write(request) ? "write" : "operation";
  return fmt::format("an uncached {} at {:#x}", kind, request.address);
}

constexpr std::uint64_t address_end = std::uint64_t{1} << address_layout::address_bits;

}  // namespace

void address_window::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  using u32 = interval<std::uint32_t>;
  parameters.add("base", base, u64{0, std::numeric_limits<std::uint64_t>::max() - 7}, "bytes",
                 "First address of the processor, a multiple of 8.");
  parameters.add("size", size, u64{0, address_end}, "bytes", "Size, a multiple of 8.");
  parameters.add("target", target, u64{0, address_end - 8}, "bytes",
                 "Where the first address leads: node, address space and offset.");
  parameters.add("own_node", own_node,
                 "Whether it leads to the processor's own node, whatever node the target names.");
  parameters.add("flavor", flavor, u32{0, 3}, "", "Attribute of uncached accesses in the window.");
  parameters.add("process", process, u32{0, 255}, "",
                 "Identity of the process whose window it is.");
}

void processor_interface_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  // A header that is kept in memory has three bits for the tag.
  parameters.add("outstanding", outstanding, u32{1, 8}, "accesses",
                 "Accesses of the processor that may be outstanding (FLASH: 4).");
  parameters.add("queue", queue, u32{1, 64}, "accesses",
                 "Depth of the queue to the inbox (not published; 8 is proposed).");
  parameters.add("bus", bus, u32{0, 1000}, "cycles",
                 "From the processor to the interface (not published; 1 is calibration).");
  parameters.add("inbound", inbound, u32{0, 1000}, "cycles",
                 "From the bus until the inbox sees an access (not published; 1 is calibration).");
  parameters.add("outbound", outbound, u32{0, 1000}, "cycles",
                 "From the outbox until the processor has an answer (not published; 4 is "
                 "calibration).");
  parameters.add("interrupt", interrupt, u32{1, 1000}, "cycles",
                 "From the outbox until the processor's handler of an interrupt begins (FLASH "
                 "7.1.1: 12 to 20 cycles, here of a processor of 200 MHz).");
  parameters.add_list("windows", windows,
                      "Ranges of the processor's addresses; without any its addresses are the "
                      "machine's.");
}

void processor_interface_config::validate(const address_layout& layout, std::uint32_t nodes) const {
  check_ranges(*this);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const address_window& window = windows[i];
    const auto refuse = [&](const std::string& problem, const std::string& allowed,
                            const std::string& advice) {
      throw configuration_error({"windows." + std::to_string(i), "",
                                 fmt::format("the window at {:#x} {}", window.base, problem),
                                 allowed, advice});
    };
    if (window.size == 0 || window.size % 8 != 0 || window.base % 8 != 0 ||
        window.target % 8 != 0) {
      refuse("is empty or not made of whole words", "multiples of 8 bytes, size at least 8",
             "align base, size and target");
    }
    if (window.size - 1 > std::numeric_limits<std::uint64_t>::max() - window.base) {
      refuse("reaches beyond 64 bits of address", "", "lower base or size");
    }
    if (window.size > layout.bytes_a_node() - layout.offset_of(window.target)) {
      refuse("leads to more than one address space of one node",
             "at most " + std::to_string(layout.bytes_a_node()) + " bytes from the space's start",
             "divide it into windows that do not");
    }
    if (!window.own_node && index(layout.node_of(window.target)) >= nodes) {
      refuse("leads to node " + std::to_string(index(layout.node_of(window.target))),
             "0 to " + std::to_string(nodes - 1), "name a node that the machine has");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const address_window& other = windows[j];
      if (window.base <= other.base + (other.size - 1) &&
          other.base <= window.base + (window.size - 1)) {
        refuse("overlaps windows." + std::to_string(j), "disjoint windows", "move one of them");
      }
    }
  }
}

processor_interface::processor_interface(const processor_interface_config& config, agenda& when,
                                         const address_layout& layout, node_id here,
                                         std::uint32_t nodes, processor_queue& queue)
    : config_((config.validate(layout, nodes), config)),
      agenda_(when),
      layout_(layout),
      here_(here),
      nodes_(nodes),
      queue_(queue),
      self_(queue.add_client(*this)),
      accesses_(config.outstanding) {
  agenda_.enroll(*this);
}

message processor_interface::translate(const access& request) const {
  if (request.address % 8 != 0) {
    fail(text_of(request) + ": only words at multiples of 8 are served");
  }
  if (request.kind != access_kind::word && request.kind != access_kind::operation) {
    fail(text_of(request) + ": " + name_of(request.kind) +
         " needs caches (processor_caches), which serve address space 0 where it is not uncached");
  }
  const bool read = is_load(request);
  const bool write = is_write(request);
  if (!read && !write && !operations_) {
    fail(text_of(request) + " of form " + std::string(name_of(request.function.kind)) +
         ", which no handler of this node performs; use loads and posted stores, or give the nodes "
         "a protocol that serves it, as fetch_op does");
  }
  message header;
  header.address = request.address;
  if (!config_.windows.empty()) {
    const auto window = std::find_if(
        config_.windows.begin(), config_.windows.end(), [&](const address_window& each) {
          return request.address >= each.base && request.address - each.base < each.size;
        });
    if (window == config_.windows.end()) {
      fail(text_of(request) + " is outside every window; make one for it in `windows`");
    }
    header.address = window->target + (request.address - window->base);
    if (window->own_node) {
      header.address = layout_.address_of(here_, layout_.space_of(header.address),
                                          layout_.offset_of(header.address));
    }
    header.flavor = static_cast<std::uint8_t>(window->flavor);
    header.process = static_cast<std::uint8_t>(window->process);
  }
  if (header.address >= address_end || index(layout_.node_of(header.address)) >= nodes_) {
    fail(text_of(request) + " names a node beyond the machine's " + std::to_string(nodes_));
  }
  header.source = here_;
  header.destination = here_;
  header.origin = message_origin::processor;
  header.type = static_cast<std::uint8_t>(read    ? common_type::uncached_read
                                          : write ? common_type::uncached_write
                                                  : common_type::uncached_operation);
  if (!read) header.length = write || request.function.b == 0 ? 8 : 16;
  if (!read && !write) header.aux = static_cast<std::uint16_t>(request.function.kind);
  return header;
}

void processor_interface::check(std::size_t, const access& request) const {
  static_cast<void>(translate(request));
}

std::size_t processor_interface::waiting(std::size_t) const { return queue_.size(self_); }
std::size_t processor_interface::outstanding(std::size_t) const {
  return outstanding_ - queue_.size(self_);
}

bool processor_interface::can_take(std::size_t) const {
  return outstanding_ < config_.outstanding && !queue_.full();
}

void processor_interface::offer(std::size_t element, const access& request, cycle_t now) {
  if (!can_take()) {
    fail(fmt::format("{} came while {} accesses were outstanding and {} queued", text_of(request),
                     outstanding_, queue_.size(self_)));
  }
  message header = translate(request);
  std::uint8_t tag = 0;
  while (accesses_[tag].at != stage::free) ++tag;
  header.tag = tag;
  header.identity = queue_.next_identity(here_);
  entry& taken = accesses_[tag];
  taken.at = stage::queued;
  taken.write = is_write(request);
  taken.has_payload = header.length != 0;
  taken.element = pe_id{static_cast<std::uint32_t>(element)};
  taken.tag = request.tag;
  taken.request = now;
  taken.value = request.function.a;
  taken.header = header;
  const cycle_t visible = now + config_.bus + config_.inbound;
  queue_.push(self_, header, {request.function.a, request.function.b}, visible);
  ++outstanding_;
  ++(taken.write ? writes_ : taken.has_payload ? fetch_ops_ : reads_);
  outstanding_seen_.add(outstanding_);
  if (!can_take()) ++full_;
  if (taken.write) {
    agenda_.wake(*this, now + config_.bus, posted | std::uint64_t{tag} << tag_shift,
                 wake_rank::processor);
  }
  tell(node_events::processor_request, taken, now, visible);
}

// Loads may be tried again or read ahead, so that an operation on their word would pass them, or
// they it.
bool processor_interface::must_wait(const message& next) const {
  if (!operations_) return false;
  const entry& first = accesses_[next.tag];
  return std::any_of(accesses_.begin(), accesses_.end(), [&first](const entry& other) {
    return other.at == stage::handled &&
           (other.has_payload || (first.has_payload && !first.write)) &&
           other.header.address == first.header.address;
  });
}

void processor_interface::taken(const message& sent, cycle_t now) {
  entry& first = accesses_[sent.tag];
  const bool had_no_room = queue_.free() == 1 || outstanding_ == config_.outstanding;
  if (first.write) {
    first.at = stage::free;
    --outstanding_;
  } else {
    first.at = stage::handled;
  }
  // By way of the agenda: the processor may ask for the next access when it is told.
  if (had_no_room && can_take()) {
    agenda_.wake(*this, now, has_room | std::uint64_t{sent.tag} << tag_shift, wake_rank::processor);
  }
}

void processor_interface::room(cycle_t now) {
  if (queue_.free() == 1 && can_take()) {
    agenda_.wake(*this, now, has_room, wake_rank::processor);
  }
}

void processor_interface::answer(std::uint8_t tag, word_t value, cycle_t from) {
  if (tag >= accesses_.size() || accesses_[tag].at != stage::handled) {
    fail("an answer came with tag " + std::to_string(tag) +
         ", and no uncached read that a handler took waits for it");
  }
  entry& ended = accesses_[tag];
  const bool held = queue_.holds_first();
  ended.at = stage::answered;
  ended.value = value;
  if (held) queue_.look(agenda_.now());
  const cycle_t at = from + config_.outbound;
  agenda_.wake(*this, at, answered | std::uint64_t{tag} << tag_shift, wake_rank::processor);
  tell(node_events::processor_answer, ended, agenda_.now(), at);
}

void processor_interface::interrupt(std::uint32_t line, cycle_t from) {
  if (interrupted_ != nullptr) interrupted_->interrupted(line, from + config_.interrupt);
}

void processor_interface::wake(cycle_t now, std::uint64_t wakeup) {
  const auto tag = static_cast<std::uint8_t>(wakeup >> tag_shift);
  switch (wakeup & kind_mask) {
    case posted:
      if (client_ != nullptr) {
        client_->completed({accesses_[tag].element, accesses_[tag].tag, 0}, now);
      }
      break;
    case answered: {
      entry& ended = accesses_[tag];
      const bool was_full = !can_take();
      const completion told{ended.element, ended.tag, ended.value};
      read_latency_.add(now - ended.request);
      ended.at = stage::free;
      --outstanding_;
      if (client_ == nullptr) break;
      client_->completed(told, now);
      if (was_full && can_take()) client_->room(index(told.pe), now);
      break;
    }
    default:
      if (client_ != nullptr && can_take()) client_->room(index(accesses_[tag].element), now);
      break;
  }
}

void processor_interface::trace(const trace_scope& scope) {
  trace_ = scope.below("processor").add({"", "", 1, {{"", {{"access"}}}}});
  // An answer that was given was told, though the processor does not have it yet.
  const auto stays = [](const entry& access) {
    return access.at == stage::queued || access.at == stage::handled;
  };
  scope.hold(trace_, 0, "access",
             static_cast<std::size_t>(std::count_if(accesses_.begin(), accesses_.end(), stays)));
}

void processor_interface::tell(const event_kind& kind, const entry& access, cycle_t now,
                               cycle_t last) const {
  if (!trace_.on()) return;
  trace_event event = node_events::event_of(kind, now, last, access.header);
  event.value = access.value;
  event.details |= node_events::tag.put(access.header.tag);
  trace_.add(event);
}

void processor_interface::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("processor interface of node {} in cycle {}: {}", index(here_),
                                     agenda_.now(), problem));
}

void processor_interface::reset_statistics() {
  reset_all(reads_, writes_, fetch_ops_, full_, read_latency_, outstanding_seen_);
}

void processor_interface::report(statistics_group& group, std::uint64_t) const {
  group.add("reads", reads_, "accesses", "Uncached reads that the processor asked for.");
  group.add("writes", writes_, "accesses", "Uncached writes that the processor asked for.");
  // As handlers: there once one was asked for.
  if (fetch_ops_.value() != 0) {
    group.add("operations", fetch_ops_, "accesses",
              "Fetch-and-phi operations and answered stores that the processor asked for.");
  }
  group.add("read_latency", read_latency_, "cycles",
            "From the processor's request until it had the value.");
  group.add("outstanding", outstanding_seen_, "accesses",
            "Outstanding accesses as each found them, itself included.");
  group.add("full", full_, "events", "Times that the interface could take no more.");
  group.add("buffer_wait", queue_.buffer_wait(), "cycles",
            "From a write's arrival until it had a data buffer.");
  group.add("queue_wait", queue_.queue_wait(), "cycles",
            "From the cycle in which an access had arrived until the inbox took it.");
}

std::string processor_interface::save() const { return save_state(*this); }

void processor_interface::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(accesses_.size() == config_.outstanding && outstanding_ <= config_.outstanding,
                "the processor interface has another depth");
}

}  // namespace tributary
