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

bool is_operation(const access& request) {
  if (request.kind != access_kind::word) return request.kind == access_kind::operation;
  const form kind = request.function.kind;
  return kind != form::identity && kind != form::constant && kind != form::merge;
}

}  // namespace

windowed_port::windowed_port(const char* name, const std::vector<port_window>& windows)
    : name_(name) {
  if (windows.empty()) {
    throw configuration_error({name_, "", "there is no window", "one or more", "name one"});
  }
  for (const port_window& each : windows) {
    place& where = place_at(*each.port);
    ranges_.push_back(
        {each, &where, each.operations == nullptr ? nullptr : &place_at(*each.operations)});
  }
  open_.resize(places_.size());
  const auto main = std::find_if(places_.begin(), places_.end(),
                                 [](const auto& each) { return each->port.serves_pairs(); });
  main_ = main == places_.end() ? places_.front().get() : main->get();
}

windowed_port::place& windowed_port::place_at(processor_port& port) {
  for (const auto& each : places_) {
    if (&each->port == &port) return *each;
  }
  places_.push_back(std::make_unique<place>(*this, port, places_.size()));
  return *places_.back();
}

void windowed_port::set_client(memory_client* client) {
  client_ = client;
  for (const auto& each : places_) each->port.set_client(client == nullptr ? nullptr : each.get());
}

const windowed_port::range* windowed_port::range_of(std::uint64_t address) const {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [address](const range& each) {
    return (address & each.window.mask) == each.window.value;
  });
  return found == ranges_.end() ? nullptr : &*found;
}

const windowed_port::range& windowed_port::range_for(const access& request) const {
  const range* const found = range_of(request.address);
  if (found != nullptr) return *found;
  throw simulation_error(
      fmt::format("{}: an access at {:#x}, which is in no window", name_, request.address));
}

windowed_port::place& windowed_port::place_in(const range& window, const access& request) {
  const bool elsewhere = window.operations != nullptr && is_operation(request);
  return elsewhere ? *window.operations : *window.where;
}

access windowed_port::as_window_has_it(const range& window, access request) {
  if (window.window.posts_stores && is_plain_store(request)) request.posted = true;
  return request;
}

void windowed_port::check(std::size_t element, const access& request) const {
  const range& window = range_for(request);
  place_in(window, request).port.check(element, as_window_has_it(window, request));
}

bool windowed_port::performs_operations(std::uint64_t address) const {
  const range* const found = range_of(address);
  return found != nullptr && found->operations != nullptr;
}

bool windowed_port::can_take(std::size_t element) const {
  return !holds_ && main_->port.can_take(element);
}

bool windowed_port::must_wait(const range& window, const place& where, std::size_t element,
                              const access& request) const {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (i != where.number && open_[i] != 0) return true;
  }
  // Of the main port `can_take` has been asked.
  if (&where != main_ && !where.port.can_take(element)) return true;
  const bool waits_for_stores = window.window.waits_for_stores || &where == window.operations;
  return waits_for_stores && !request.posted && incomplete_stores(element) != 0;
}

void windowed_port::offer(std::size_t element, const access& request, cycle_t now) {
  if (!can_take(element)) {
    throw simulation_error(fmt::format(
        "{}: an access at {:#x} came while another one waits, or {} accesses are under way", name_,
        request.address, main_->port.outstanding(element)));
  }
  const range& window = range_for(request);
  access posted;
  if (window.window.posts_stores) posted = as_window_has_it(window, request);
  const access& asked = window.window.posts_stores ? posted : request;
  place& where = place_in(window, asked);
  if (!must_wait(window, where, element, asked)) {
    hand_over(where, element, asked, now);
    return;
  }
  where.port.check(element, asked);
  holds_ = true;
  waiting_ = asked;
  waiting_element_ = element;
  since_ = now;
}

void windowed_port::hand_over(place& where, std::size_t element, const access& request,
                              cycle_t now) {
  ++open_[where.number];
  where.port.offer(element, request, now);
}

void windowed_port::go_on(cycle_t now) {
  if (!holds_) return;
  const auto element = static_cast<std::size_t>(waiting_element_);
  const range& window = range_for(waiting_);
  place& where = place_in(window, waiting_);
  if (&where == main_ && !main_->port.can_take(element)) return;
  if (must_wait(window, where, element, waiting_)) return;
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
  const range* const window = range_of(address);
  const bool others = holds_ || std::any_of(open_.begin(), open_.end(),
                                            [](std::uint64_t open) { return open != 0; });
  return window != nullptr && !others && !window->window.waits_for_stores && client_ != nullptr &&
         window->where->port.watch(address, value);
}

void windowed_port::end_watch(const access& load, std::uint64_t times, cycle_t last) {
  range_of(load.address)->where->port.end_watch(load, times, last);
}

std::size_t windowed_port::waiting(std::size_t element) const {
  std::size_t sum = holds_ && waiting_element_ == element ? 1 : 0;
  for (const auto& each : places_) sum += each->port.waiting(element);
  return sum;
}

std::size_t windowed_port::outstanding(std::size_t element) const {
  std::size_t sum = 0;
  for (const auto& each : places_) sum += each->port.outstanding(element);
  return sum;
}

std::uint64_t windowed_port::incomplete_stores(std::size_t element) const {
  std::uint64_t sum = 0;
  for (const auto& each : places_) sum += each->port.incomplete_stores(element);
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
      open_.size() == places_.size() && (!holds_ || range_of(waiting_.address) != nullptr),
      "the port has other windows");
}

}  // namespace tributary
