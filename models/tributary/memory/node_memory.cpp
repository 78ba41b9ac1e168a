// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/node_memory.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

void node_memory_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("latency", latency, u32{1, 1000000}, "cycles",
                 "From an access of the processor to its completion (assumed).");
  parameters.add("queue", queue, u32{1, 1024}, "accesses",
                 "Accesses of the processor that are under way at a time (assumed).");
}

std::uint32_t bytes_moved(const word_function& function) {
  if (function.kind != form::merge) return word_bytes;
  std::uint32_t bytes = 0;
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    if ((function.b >> (8 * byte) & 0xff) != 0) ++bytes;
  }
  return bytes;
}

bool changes_word(const word_function& function) { return function.kind != form::identity; }

bool is_plain_store(const access& request) {
  return request.function.kind == form::merge ||
         (request.function.kind == form::constant && request.posted);
}

node_memory::node_memory(const node_memory_config& config, agenda& time, std::uint64_t bytes,
                         std::uint64_t base)
    : config_((check_ranges(config), config)), agenda_(time), bytes_(bytes), base_(base) {
  if (bytes == 0 || bytes % word_bytes != 0) {
    throw configuration_error({"memory.bytes", "", fmt::format("{} bytes", bytes),
                               "a multiple of 8 from 8 on", "choose whole words"});
  }
  agenda_.enroll(*this);
}

void node_memory::check(std::size_t /*element*/, const access& request) const {
  if (request.kind != access_kind::word) {
    throw simulation_error(fmt::format(
        "an access at {:#x} is a {}, which this memory does not serve; processors here have no "
        "caches",
        request.address, name_of(request.kind)));
  }
  if (request.address < base_) check_offset(bytes_);
  check_offset(request.address - base_);
}

void node_memory::check_offset(std::uint64_t offset) const {
  if (offset % word_bytes == 0 && offset < bytes_) return;
  throw simulation_error(
      fmt::format("an access at offset {:#x} of a node's memory, which has words at multiples of 8 "
                  "from 0 to {:#x}",
                  offset, bytes_ - word_bytes));
}

bool node_memory::can_take(std::size_t /*element*/) const {
  return accesses_.size() < config_.queue;
}

void node_memory::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (!can_take(element)) {
    throw simulation_error(
        fmt::format("memory, cycle {}: an access comes while {} are under way; ask can_take first",
                    now, accesses_.size()));
  }
  cycle_t due = now + config_.latency;
  if (!accesses_.empty()) due = std::max(due, accesses_[accesses_.size() - 1].due + 1);
  accesses_.push({request, element, due});
  agenda_.wake(*this, due);
}

std::size_t node_memory::waiting(std::size_t /*element*/) const { return 0; }
std::size_t node_memory::outstanding(std::size_t /*element*/) const { return accesses_.size(); }

void node_memory::wake(cycle_t now, std::uint64_t /*tag*/) {
  const bool was_full = !can_take();
  const waiting_access done = accesses_.front();
  accesses_.pop();
  const access& request = done.request;
  const word_t before = perform(request.address - base_, request.function);
  ++(changes_word(request.function) ? stores_ : loads_);
  if (trace_.on()) tell(request, now);
  if (client_ == nullptr) return;
  const pe_id element{static_cast<std::uint32_t>(done.element)};
  client_->completed({element, request.tag, request.posted ? 0 : before}, now);
  if (was_full && can_take()) client_->room(static_cast<std::size_t>(done.element), now);
}

word_t node_memory::read(std::uint64_t offset) const {
  check_offset(offset);
  return words_.read(offset);
}

void node_memory::write(std::uint64_t offset, word_t value) {
  check_offset(offset);
  words_.write(offset, value);
}

word_t node_memory::perform(std::uint64_t offset, const word_function& function) {
  const word_t before = read(offset);
  if (changes_word(function)) write(offset, apply(function, before));
  return before;
}

void node_memory::tell(const access& request, cycle_t now) const {
  namespace events = communication_events;
  trace_event event;
  event.cycle = now;
  event.last = now;
  event.kind = &events::memory_access;
  event.address = request.address;
  event.details = events::purpose.put(request.purpose) |
                  events::bytes.put(bytes_moved(request.function)) |
                  events::writes.put(changes_word(request.function) ? 1 : 0);
  trace_.add(event);
}

void node_memory::reset_statistics() { reset_all(loads_, stores_); }

void node_memory::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("loads", loads_, "accesses", "Loads of the node's processor.");
  into.add("stores", stores_, "accesses", "Its stores and functions.");
}

void node_memory::trace(const trace_scope& scope) {
  trace_ = scope.below(name()).add();
  set_communication_names(scope.catalog());
}

std::string node_memory::save() const { return save_state(*this); }

void node_memory::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(accesses_.size() <= config_.queue, "a memory has more accesses than it takes");
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const std::uint64_t offset = accesses_[i].request.address - base_;
    require_state(offset % word_bytes == 0 && offset < bytes_,
                  "an access to a memory is to no word of it");
  }
}

}  // namespace tributary
