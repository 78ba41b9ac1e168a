// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/dma_engine.h>

#include <algorithm>

#include <tributary/nic/host_interface_events.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {

dma_engine::dma_engine(const host_interface_config& config, agenda& time, word_memory& host)
    : to_host_cost_(config.to_host), from_host_cost_(config.from_host), agenda_(time), host_(host) {
  agenda_.enroll(*this);
}

cycle_t dma_engine::take_bus(const dma_cost& cost, std::uint64_t bytes, bool to_host, cycle_t now) {
  namespace events = host_interface_events;
  const cycle_t begins = std::max(now, free_at_);
  free_at_ = begins + cost.of(bytes);
  ++transfers_;
  busy_.add(free_at_ - begins);
  waited_.add(begins - now);
  if (trace_.on()) {
    trace_event event;
    event.cycle = begins;
    event.last = std::max(free_at_, begins + 1) - 1;
    event.kind = to_host ? &events::to_host : &events::from_host;
    event.details = events::bytes.put(bytes);
    trace_.add(event);
  }
  return free_at_;
}

cycle_t dma_engine::store(std::uint64_t offset, const std::vector<word_t>& words, cycle_t now) {
  const std::uint64_t bytes = words.size() * word_bytes;
  const cycle_t due = take_bus(to_host_cost_, bytes, true, now);
  to_host_.add(bytes);
  stores_.push({due, offset, words});
  agenda_.wake(*this, due);
  return due;
}

cycle_t dma_engine::load(std::uint64_t bytes, cycle_t now) {
  from_host_.add(bytes);
  return take_bus(from_host_cost_, bytes, false, now);
}

void dma_engine::wake(cycle_t /*now*/, std::uint64_t /*tag*/) {
  const storing& done = stores_.front();
  for (std::size_t i = 0; i < done.words.size(); ++i) {
    host_.write(done.offset + word_bytes * i, done.words[i]);
  }
  stores_.pop();
}

void dma_engine::reset_statistics() { reset_all(transfers_, to_host_, from_host_, busy_, waited_); }

void dma_engine::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("transfers", transfers_, "transfers", "Over the I/O bus, of both directions.");
  into.add("to_host", to_host_, "bytes", "Moved to the host's memory.");
  into.add("from_host", from_host_, "bytes", "Moved from the host's memory.");
  into.add("busy", busy_, "cycles", "In which the bus was taken.");
  into.add("wait", waited_, "cycles", "From when a transfer was asked for until it began.");
}

void dma_engine::trace(const trace_scope& scope) { trace_ = scope.below(name()).add(); }

std::string dma_engine::save() const { return save_state(*this); }
void dma_engine::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
