// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/windowed_port.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

bool is_plain_store(const access& request) {
  return request.kind == access_kind::word && request.function.kind == form::constant;
}

}  // namespace

windowed_port::windowed_port(const char* name, const std::vector<port_window>& windows)
    : name_(name) {
  if (windows.empty()) {
    throw configuration_error({name_, "", "there is no window", "one or more", "name one"});
  }
  for (const port_window& each : windows) {
    auto same = std::find_if(places_.begin(), places_.end(), [&each](const auto& other) {
      return other->window.port == each.port;
    });
    if (same == places_.end()) {
      places_.push_back(std::make_unique<place>(*this, each, places_.size()));
      same = places_.end() - 1;
    }
    ranges_.push_back({each.mask, each.value, same->get()});
  }
  open_.resize(places_.size());
}

void windowed_port::set_client(memory_client* client) {
  client_ = client;
  for (const auto& each : places_) {
    each->window.port->set_client(client == nullptr ? nullptr : each.get());
  }
}

windowed_port::place* windowed_port::place_of(std::uint64_t address) const {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [address](const range& each) {
    return (address & each.mask) == each.value;
  });
  return found == ranges_.end() ? nullptr : found->where;
}

windowed_port::place& windowed_port::place_for(const access& request) const {
  place* const where = place_of(request.address);
  if (where != nullptr) return *where;
  throw simulation_error(
      fmt::format("{}: an access at {:#x}, which is in no window", name_, request.address));
}

access windowed_port::as_window_has_it(const place& where, access request) {
  if (where.window.posts_stores && is_plain_store(request)) request.posted = true;
  return request;
}

void windowed_port::check(std::size_t element, const access& request) const {
  const place& where = place_for(request);
  where.window.port->check(element, as_window_has_it(where, request));
}

bool windowed_port::can_take(std::size_t element) const {
  return !holds_ && places_.front()->window.port->can_take(element);
}

bool windowed_port::must_wait(const place& where, std::size_t element,
                              const access& request) const {
  const bool others_open = std::any_of(places_.begin(), places_.end(), [&](const auto& each) {
    return each.get() != &where && open_[each->number] != 0;
  });
  if (others_open || !where.window.port->can_take(element)) return true;
  return where.window.waits_for_stores && !request.posted && incomplete_stores(element) != 0;
}

void windowed_port::offer(std::size_t element, const access& request, cycle_t now) {
  if (!can_take(element)) {
    throw simulation_error(fmt::format(
        "{}: an access at {:#x} came while another one waits, or {} accesses are under way", name_,
        request.address, places_.front()->window.port->outstanding(element)));
  }
  place& where = place_for(request);
  const access asked = as_window_has_it(where, request);
  if (!must_wait(where, element, asked)) {
    hand_over(where, element, asked, now);
    return;
  }
  where.window.port->check(element, asked);
  holds_ = true;
  waiting_ = asked;
  waiting_element_ = element;
  since_ = now;
}

void windowed_port::hand_over(place& where, std::size_t element, const access& request,
                              cycle_t now) {
  ++open_[where.number];
  where.window.port->offer(element, request, now);
}

void windowed_port::go_on(cycle_t now) {
  if (!holds_) return;
  const auto element = static_cast<std::size_t>(waiting_element_);
  place& where = place_for(waiting_);
  if (must_wait(where, element, waiting_)) return;
  holds_ = false;
  held_.add(now - since_);
  hand_over(where, element, waiting_, now);
  if (client_ != nullptr && can_take(element)) client_->room(element, now);
}

void windowed_port::place::completed(const completion& ended, cycle_t now) {
  --owner.open_[number];
  if (owner.client_ != nullptr) owner.client_->completed(ended, now);
  owner.go_on(now);
}

void windowed_port::place::room(std::size_t element, cycle_t now) {
  if (owner.holds_) {
    owner.go_on(now);
  } else if (owner.client_ != nullptr && owner.can_take(element)) {
    owner.client_->room(element, now);
  }
}

void windowed_port::place::settled(std::size_t element, cycle_t now) {
  owner.go_on(now);
  if (owner.client_ != nullptr && owner.incomplete_stores(element) == 0) {
    owner.client_->settled(element, now);
  }
}

void windowed_port::place::disturbed(std::size_t element, cycle_t now) {
  owner.client_->disturbed(element, now);
}

bool windowed_port::watch(std::uint64_t address, word_t value) {
  place* const where = place_of(address);
  const bool others = holds_ || std::any_of(open_.begin(), open_.end(),
                                            [](std::uint64_t open) { return open != 0; });
  return where != nullptr && !others && !where->window.waits_for_stores && client_ != nullptr &&
         where->window.port->watch(address, value);
}

void windowed_port::end_watch(const access& load, std::uint64_t times, cycle_t last) {
  place_of(load.address)->window.port->end_watch(load, times, last);
}

std::size_t windowed_port::waiting(std::size_t element) const {
  std::size_t sum = holds_ && waiting_element_ == element ? 1 : 0;
  for (const auto& each : places_) sum += each->window.port->waiting(element);
  return sum;
}

std::size_t windowed_port::outstanding(std::size_t element) const {
  std::size_t sum = 0;
  for (const auto& each : places_) sum += each->window.port->outstanding(element);
  return sum;
}

bool windowed_port::serves_pairs() const { return places_.front()->window.port->serves_pairs(); }

std::uint64_t windowed_port::incomplete_stores(std::size_t element) const {
  std::uint64_t sum = 0;
  for (const auto& each : places_) sum += each->window.port->incomplete_stores(element);
  return sum;
}

void windowed_port::report(statistics_group& into, std::uint64_t) const {
  if (held_.count() == 0) return;
  into.add("held", held_, "cycles",
           "Of the processor, for which accesses waited for those to other windows.");
}

std::string windowed_port::save() const { return save_state(*this); }

void windowed_port::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(
      open_.size() == places_.size() && (!holds_ || place_of(waiting_.address) != nullptr),
      "the port has other windows");
}

}  // namespace tributary
