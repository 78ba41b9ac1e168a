// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/tag_interface.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/magic/node_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

bool is_tagged_load(const access& request) { return request.function.kind == form::identity; }

}  // namespace

tag_interface::tag_interface(const processor_interface_config& times, std::uint64_t allowed_cycles,
                             std::uint32_t processes, const checked_blocks& blocks,
                             const address_layout& addresses, agenda& time, node_id here,
                             std::uint32_t nodes, word_memory& memory, processor_queue& queue)
    : times_(times),
      allowed_cycles_(allowed_cycles),
      tags_(blocks, addresses, here, memory),
      agenda_(time),
      here_(here),
      addresses_(addresses),
      nodes_(nodes),
      memory_(memory),
      queue_(queue),
      self_(queue.add_client(*this)),
      places_(processes) {
  agenda_.enroll(*this);
}

// --- what the processor asks for -----------------------------------------------------------------

void tag_interface::check(std::size_t /*element*/, const access& request) const {
  const std::string what = fmt::format("an access of form {} to {:#x}",
                                       tributary::name_of(request.function.kind), request.address);
  if (request.address % word_bytes != 0) {
    fail(what + " is to no word; addresses are multiples of 8");
  }
  if (request.kind != access_kind::word) {
    fail(fmt::format("{} is a {}, and the processor has words only", what,
                     tributary::name_of(request.kind)));
  }
  if (index(addresses_.node_of(request.address)) >= nodes_) {
    fail(fmt::format("{} is beyond the machine's {} nodes", what, nodes_));
  }
  if (!tags_.checks(request.address)) {
    fail(what + " is beyond the memory that nodes share");
  }
}

bool tag_interface::can_take(std::size_t element) const {
  return places_[process(element)].at == stage::free;
}

std::size_t tag_interface::waiting(std::size_t element) const {
  return places_[process(element)].at == stage::to_ask ? 1 : 0;
}

std::size_t tag_interface::outstanding(std::size_t element) const {
  const stage at = places_[process(element)].at;
  return at == stage::free || at == stage::to_ask ? 0 : 1;
}

void tag_interface::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (!can_take(element)) fail("an access came while its process waits for another one");
  const std::size_t of = process(element);
  place& taken = places_[of];
  taken = {};
  taken.element = pe_id{static_cast<std::uint32_t>(element)};
  taken.request = request;
  taken.since = now;
  ++accesses_;
  if (try_access(taken)) {
    taken.at = stage::done;
    agenda_.wake(*this, now + allowed_cycles_ - 1, of, wake_rank::processor);
    return;
  }
  taken.faulted = true;
  ++faults_;
  ask(of, now);
}

bool tag_interface::try_access(place& of) const {
  const access_tags::result found = tags_.look_up(of.request.address, !is_tagged_load(of.request));
  if (!found.allowed) return false;
  const word_t before = memory_.read(found.offset);
  if (!is_tagged_load(of.request)) memory_.write(found.offset, apply(of.request.function, before));
  of.value = of.request.posted ? 0 : before;
  return true;
}

void tag_interface::ask(std::size_t process, cycle_t now) {
  place& of = places_[process];
  of.at = stage::to_ask;
  if (queue_.full()) return;
  of.at = stage::asked;
  of.header = {};
  of.header.address = of.request.address;
  of.header.source = of.header.destination = here_;
  of.header.origin = message_origin::processor;
  of.header.type = static_cast<std::uint8_t>(
      is_tagged_load(of.request) ? common_type::line_read : common_type::line_read_exclusive);
  of.header.tag = static_cast<std::uint8_t>(process);
  of.header.identity = queue_.next_identity(here_);
  const cycle_t visible = now + times_.bus + times_.inbound;
  queue_.push(self_, of.header, {}, visible);
  tell(node_events::line_request, of, now, visible);
}

void tag_interface::room(cycle_t now) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].at == stage::to_ask) ask(i, now);
  }
}

// --- what it gets --------------------------------------------------------------------------------

void tag_interface::reply(const message& sent, cycle_t from) {
  if (sent.type != static_cast<std::uint8_t>(common_type::line_shared) || sent.length != 0) {
    fail("a reply came that is none to a fault: line_shared without payload");
  }
  if (sent.tag >= places_.size() || places_[sent.tag].at != stage::asked) {
    fail(fmt::format("a reply came for process {}, which has asked for nothing", sent.tag));
  }
  place& of = places_[sent.tag];
  of.at = try_access(of) ? stage::done : stage::again;
  const cycle_t known = from + times_.outbound;
  agenda_.wake(*this, known, sent.tag, wake_rank::processor);
  tell(node_events::line_reply, of, agenda_.now(), known);
}

void tag_interface::wake(cycle_t now, std::uint64_t process) {
  place& of = places_.at(static_cast<std::size_t>(process));
  if (of.at == stage::again) {
    ++again_;
    ask(static_cast<std::size_t>(process), now);
  } else {
    complete(static_cast<std::size_t>(process), now);
  }
}

void tag_interface::complete(std::size_t process, cycle_t now) {
  const place ended = places_[process];
  places_[process] = {};
  if (ended.faulted) latency_.add(now - ended.since);
  if (client_ == nullptr) return;
  client_->completed({ended.element, ended.request.tag, ended.value}, now);
  // The processor is busy with it to the end of this cycle.
  if (places_[process].at == stage::free) client_->room(index(ended.element), now + 1);
}

// --- reports -------------------------------------------------------------------------------------

bool tag_interface::idle() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const place& each) { return each.at == stage::free; });
}

void tag_interface::trace(const trace_scope& scope) {
  trace_ = scope.below("shared_memory").add({"", "", 1, {{"", {{"fault"}}}}});
  scope.hold(
      trace_, 0, "fault",
      static_cast<std::size_t>(std::count_if(places_.begin(), places_.end(), [](const place& each) {
        return each.at == stage::to_ask || each.at == stage::asked;
      })));
}

void tag_interface::tell(const event_kind& kind, const place& about, cycle_t now,
                         cycle_t last) const {
  if (!trace_.on()) return;
  trace_event event = node_events::event_of(kind, now, last, about.header);
  event.details |= node_events::tag.put(about.header.tag);
  trace_.add(event);
}

void tag_interface::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("tag interface of node {} in cycle {}: {}", index(here_),
                                     agenda_.now(), problem));
}

void tag_interface::reset_statistics() { reset_all(accesses_, faults_, again_, latency_); }

void tag_interface::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("accesses", accesses_, "accesses", "Accesses of the processor to shared memory.");
  into.add("faults", faults_, "accesses", "Of these, those that a tag forbade.");
  into.add("again", again_, "requests",
           "Requests that had to be repeated, as what came was not enough.");
  into.add("fault_latency", latency_, "cycles",
           "From a forbidden access until the processor goes on.");
}

std::string tag_interface::save() const { return save_state(*this); }

void tag_interface::restore(const std::string& state) {
  const std::size_t processes = places_.size();
  restore_state(state, *this);
  require_state(places_.size() == processes, "its nodes have other processes");
}

}  // namespace tributary
