// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/processor_interface.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups, the tag in the bits above.
constexpr std::uint64_t posted = 0;
constexpr std::uint64_t shows = 1;
constexpr std::uint64_t answered = 2;
constexpr std::uint64_t has_room = 3;
constexpr unsigned tag_shift = 2;
constexpr std::uint64_t kind_mask = (1U << tag_shift) - 1;

std::string hex(std::uint64_t address) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(address));
  return text.data();
}

std::string text_of(const uncached_access& what) {
  return std::string("an uncached ") + (what.write ? "write" : "read") + " of " +
         std::to_string(what.size) + " bytes at " + hex(what.address);
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
                                 "the window at " + hex(window.base) + " " + problem, allowed,
                                 advice});
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
                                         std::uint32_t nodes, data_buffers& buffers)
    : config_((config.validate(layout, nodes), config)),
      agenda_(when),
      layout_(layout),
      here_(here),
      nodes_(nodes),
      buffers_(buffers),
      accesses_(config.outstanding) {
  agenda_.enroll(*this);
  buffers_.add_listener(*this);
}

message processor_interface::translate(const uncached_access& what) const {
  if (what.size != 8 || what.address % 8 != 0) {
    fail(text_of(what) + ": only accesses of 8 bytes at multiples of 8 are served");
  }
  message made;
  made.address = what.address;
  if (!config_.windows.empty()) {
    const auto window = std::find_if(
        config_.windows.begin(), config_.windows.end(), [&](const address_window& each) {
          return what.address >= each.base && what.address - each.base < each.size;
        });
    if (window == config_.windows.end()) {
      fail(text_of(what) + " is outside every window; make one for it in `windows`");
    }
    made.address = window->target + (what.address - window->base);
    if (window->own_node) {
      made.address = layout_.address_of(here_, layout_.space_of(made.address),
                                        layout_.offset_of(made.address));
    }
    made.flavor = static_cast<std::uint8_t>(window->flavor);
    made.process = static_cast<std::uint8_t>(window->process);
  }
  if (made.address >= address_end || index(layout_.node_of(made.address)) >= nodes_) {
    fail(text_of(what) + " names a node beyond the machine's " + std::to_string(nodes_));
  }
  made.source = here_;
  made.destination = here_;
  made.origin = message_origin::processor;
  made.type = static_cast<std::uint8_t>(what.write ? common_type::uncached_write
                                                   : common_type::uncached_read);
  made.length = what.write ? payload_length::doubleword : payload_length::none;
  return made;
}

bool processor_interface::can_take() const {
  return outstanding_ < config_.outstanding && queue_.size() < config_.queue;
}

std::uint8_t processor_interface::request(const uncached_access& what, cycle_t now) {
  if (!can_take()) {
    fail(text_of(what) + " came while " + std::to_string(outstanding_) +
         " accesses were outstanding and " + std::to_string(queue_.size()) + " queued");
  }
  message made = translate(what);
  std::uint8_t tag = 0;
  while (accesses_[tag].at != stage::free) ++tag;
  made.tag = tag;
  access& entry = accesses_[tag];
  entry.at = stage::queued;
  entry.write = what.write;
  entry.has_buffer = false;
  entry.asked = now;
  entry.visible = now + config_.bus + config_.inbound;
  entry.value = what.value;
  entry.what = made;
  queue_.push(tag);
  ++outstanding_;
  ++(what.write ? writes_ : reads_);
  outstanding_seen_.add(outstanding_);
  if (!can_take()) ++full_;
  if (what.write) {
    agenda_.wake(*this, now + config_.bus, posted | std::uint64_t{tag} << tag_shift,
                 wake_rank::processor);
  }
  agenda_.wake(*this, entry.visible, shows);
  observe(node_event_kind::processor_request, entry, now, entry.visible);
  return tag;
}

const message* processor_interface::front(cycle_t now) {
  if (queue_.empty()) return nullptr;
  const access& entry = accesses_[queue_.front()];
  if (entry.visible > now || (entry.write && !entry.has_buffer)) return nullptr;
  return &entry.what;
}

message processor_interface::take(cycle_t now) {
  if (front(now) == nullptr) fail("an access was taken, and there is none");
  const std::uint8_t tag = queue_.front();
  access& entry = accesses_[tag];
  const bool was_full = !can_take();
  queue_.pop();
  queue_wait_.add(now - entry.visible);
  const message taken = entry.what;
  if (entry.write) {
    entry.at = stage::free;
    --outstanding_;
  } else {
    entry.at = stage::handled;
  }
  // By way of the agenda: the processor may ask for the next access when it is told.
  if (was_full && can_take()) agenda_.wake(*this, now, has_room, wake_rank::processor);
  return taken;
}

void processor_interface::answer(std::uint8_t tag, word_t value, cycle_t from) {
  if (tag >= accesses_.size() || accesses_[tag].at != stage::handled) {
    fail("an answer came with tag " + std::to_string(tag) +
         ", and no uncached read that a handler took waits for it");
  }
  access& entry = accesses_[tag];
  entry.at = stage::answered;
  entry.value = value;
  const cycle_t at = from + config_.outbound;
  agenda_.wake(*this, at, answered | std::uint64_t{tag} << tag_shift, wake_rank::processor);
  observe(node_event_kind::processor_answer, entry, agenda_.now(), at);
}

void processor_interface::buffer_freed(cycle_t now) {
  if (allocate(now)) notify_change(now);
}

void processor_interface::wake(cycle_t now, std::uint64_t what) {
  const auto tag = static_cast<std::uint8_t>(what >> tag_shift);
  switch (what & kind_mask) {
    case posted:
      if (listener_ != nullptr) listener_->completed(tag, 0, now);
      break;
    case shows:
      allocate(now);
      notify_change(now);
      break;
    case answered: {
      access& entry = accesses_[tag];
      const bool was_full = !can_take();
      const word_t value = entry.value;
      read_latency_.add(now - entry.asked);
      entry.at = stage::free;
      --outstanding_;
      if (listener_ == nullptr) break;
      listener_->completed(tag, value, now);
      if (was_full && can_take()) listener_->room(now);
      break;
    }
    default:
      if (listener_ != nullptr && can_take()) listener_->room(now);
      break;
  }
}

// To the oldest writes that have come and need one; whether one got it.
bool processor_interface::allocate(cycle_t now) {
  bool given = false;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    access& entry = accesses_[queue_[i]];
    if (entry.visible > now) break;
    if (!entry.write || entry.has_buffer) continue;
    const std::optional<payload_handle> buffer = buffers_.allocate(buffer_claim::processor, now);
    if (!buffer) break;
    buffers_.set_word(*buffer, 0, entry.value, now);
    entry.what.data = *buffer;
    entry.has_buffer = true;
    buffer_wait_.add(now - entry.visible);
    given = true;
  }
  return given;
}

void processor_interface::observe(node_event_kind kind, const access& about, cycle_t now,
                                  cycle_t last) const {
  if (observer_ == nullptr) return;
  node_event event;
  event.cycle = now;
  event.last = last;
  event.node = here_;
  event.kind = kind;
  event.number = about.what.tag;
  event.value = about.value;
  event.what = about.what;
  observer_->on_event(event);
}

void processor_interface::notify_change(cycle_t now) const {
  if (selector_ != nullptr) selector_->look(now);
}

void processor_interface::fail(const std::string& problem) const {
  throw simulation_error("processor interface of node " + std::to_string(index(here_)) +
                         " in cycle " + std::to_string(agenda_.now()) + ": " + problem);
}

void processor_interface::reset_statistics() {
  reads_.reset();
  writes_.reset();
  full_.reset();
  read_latency_.reset();
  outstanding_seen_.reset();
  buffer_wait_.reset();
  queue_wait_.reset();
}

void processor_interface::report(statistics_group& group, std::uint64_t) const {
  group.add("reads", reads_, "accesses", "Uncached reads that the processor asked for.");
  group.add("writes", writes_, "accesses", "Uncached writes that the processor asked for.");
  group.add("read_latency", read_latency_, "cycles",
            "From the processor's request until it had the value.");
  group.add("outstanding", outstanding_seen_, "accesses",
            "Outstanding accesses as each found them, itself included.");
  group.add("full", full_, "events", "Times that the interface could take no more.");
  group.add("buffer_wait", buffer_wait_, "cycles",
            "From a write's arrival until it had a data buffer.");
  group.add("queue_wait", queue_wait_, "cycles",
            "From the cycle in which an access had arrived until the inbox took it.");
}

std::string processor_interface::save() const { return save_fields(fields(*this)); }

void processor_interface::restore(const std::string& state) {
  restore_fields(state, fields(*this));
  require_state(accesses_.size() == config_.outstanding && outstanding_ <= config_.outstanding,
                "the processor interface has another depth");
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    require_state(queue_[i] < accesses_.size(), "an access that is queued has no place");
  }
}

}  // namespace tributary
