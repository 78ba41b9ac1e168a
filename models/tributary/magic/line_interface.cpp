// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/line_interface.h>
#include <tributary/magic/node_events.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

// Wake-ups in the processor's time.
constexpr std::uint64_t delivers = 0;
constexpr std::uint64_t has_room = 1;

/// A miss brings a request and a line that leaves for it.
constexpr std::size_t places_of_a_miss = 2;

common_type type_of(line_want want) {
  switch (want) {
    case line_want::shared:
      return common_type::line_read;
    case line_want::exclusive:
      return common_type::line_read_exclusive;
    case line_want::upgrade:
      break;
  }
  return common_type::line_upgrade;
}

}  // namespace

line_interface::line_interface(const line_interface_config& config, const coherent_range& range,
                               agenda& time, agenda& processor_time, node_id here,
                               processor_queue& queue, data_buffers& buffers)
    : config_(config),
      range_(range),
      agenda_(time),
      processor_agenda_(processor_time),
      here_(here),
      queue_(queue),
      self_(queue.add_client(*this)),
      buffers_(buffers),
      line_(buffers.config().line) {
  processor_agenda_.enroll(*this);
}

// --- what the caches ask for ---------------------------------------------------------------------

/// The spaces are aliases of one memory, and the caches would have a line twice.
void line_interface::check(std::uint64_t address) const {
  const address_layout& layout = range_.addresses;
  if (is_noncoherent(address) && layout.node_of(address) == here_) return;
  const bool is_coherent = address >> address_layout::address_bits == 0 &&
                           index(layout.node_of(address)) < range_.nodes &&
                           layout.space_of(address) == 0 &&
                           layout.offset_of(address) < range_.bytes;
  if (is_coherent) return;
  fail(fmt::format(
      "a cached access at {:#x} (allowed: nodes 0 to {}, address space 0, offsets below "
      "{:#x})",
      address, range_.nodes - 1, range_.bytes));
}

bool line_interface::is_noncoherent(std::uint64_t address) const {
  return std::any_of(noncoherent_.begin(), noncoherent_.end(), [&](const noncoherent_page& each) {
    return each.has(range_.addresses, address);
  });
}

bool line_interface::can_take() const { return queue_.free() >= places_of_a_miss; }

std::pair<message, cycle_t> line_interface::push(common_type type, std::uint64_t address,
                                                 std::uint8_t tag, const line_data* words,
                                                 cycle_t now) {
  message header;
  header.address = address;
  header.source = header.destination = here_;
  header.origin = message_origin::processor;
  header.type = static_cast<std::uint8_t>(type);
  header.tag = tag;
  header.identity = queue_.next_identity(here_);
  if (words != nullptr) header.length = line_.bytes();
  const cycle_t visible = controller_cycle(now) + config_.bus + config_.inbound;
  queue_.push(self_, header, words == nullptr ? line_data{} : *words, visible);
  return {header, visible};
}

void line_interface::ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) {
  request& asked = requests_.at(tag);
  if (want != line_want::shared && is_noncoherent(address)) {
    fail(fmt::format("a cached write at {:#x}, in a page that is not coherent and only read",
                     address));
  }
  if (asked.outstanding) fail(fmt::format("a request came with tag {}, which is in use", tag));
  ++sent_[static_cast<std::size_t>(want)];
  const auto [header, visible] = push(type_of(want), address, tag, nullptr, now);
  asked = {true, false, want, line_.start(address), header};
  tell(node_events::line_request, header, now / config_.ratio, visible);
}

void line_interface::write_back(std::uint64_t line, const line_data& words, cycle_t now) {
  push(common_type::line_write_back, line, 0, &words, now);
}

void line_interface::replaced(std::uint64_t line, cycle_t now) {
  if (is_noncoherent(line)) return;  // nobody keeps a list of who has it
  push(common_type::line_replaced, line, 0, nullptr, now);
}

void line_interface::drop(std::uint64_t address, cycle_t now) {
  client_->intervene(intervention::invalidate, line_.start(address), now);
}

void line_interface::taken(const message&, cycle_t now) { room(now); }

void line_interface::room(cycle_t now) {
  // The place that has become free is the one that was missing.
  if (queue_.free() != places_of_a_miss) return;
  processor_agenda_.wake(*this, now * config_.ratio, has_room, wake_rank::processor);
}

// --- replies -------------------------------------------------------------------------------------

line_interface::delivery line_interface::converted(const message& sent) {
  if (sent.tag >= requests_.size() || !requests_[sent.tag].outstanding) {
    fail(fmt::format("a reply came with tag {}, and nothing was asked for with it", sent.tag));
  }
  request& answered = requests_[sent.tag];
  answered.outstanding = false;
  delivery next;
  next.tag = sent.tag;
  switch (static_cast<common_type>(sent.type)) {
    case common_type::line_shared:
      next.type = delivery::kind::shared;
      break;
    case common_type::line_exclusive:
      next.type = delivery::kind::exclusive;
      break;
    case common_type::line_upgraded:
      next.type = delivery::kind::upgraded;
      break;
    default:
      break;
  }
  const bool loses = next.type == delivery::kind::shared || next.type == delivery::kind::upgraded;
  if (answered.invalidated && loses) {
    ++conversions_;
    next.type = delivery::kind::refused;
  }
  return next;
}

void line_interface::reply(const message& sent, cycle_t from) {
  if (sent.type == static_cast<std::uint8_t>(common_type::line_all_invalidated)) {
    delivery next;
    next.type = delivery::kind::complete;
    deliver(next, (from + config_.outbound) * config_.ratio);
    return;
  }
  if (sent.aux != 0 && sent.type != static_cast<std::uint8_t>(common_type::line_refused)) {
    ++incomplete_;
  }
  delivery next = converted(sent);
  const bool brings_line =
      next.type == delivery::kind::shared || next.type == delivery::kind::exclusive;
  const cycle_t first = std::max(from, reply_free_);
  const std::size_t missed = line_.word(requests_[sent.tag].header.address);
  const cycle_t leaves = brings_line ? stream(sent.data, missed, next, first) : first;
  if (sent.data != no_payload) {
    buffers_.release_handed_over(sent.data, brings_line ? reply_free_ : from);
  }
  tell(node_events::line_reply, requests_[sent.tag].header, agenda_.now(),
       leaves + config_.outbound);
  deliver(next, (leaves + config_.outbound) * config_.ratio);
}

/// A doubleword a cycle, as each can be taken out of the buffer, in sub-block order from the one
/// that was missed (FLASH footnote 8). Returns when that one leaves.
cycle_t line_interface::stream(payload_handle data, std::size_t missed, delivery& into,
                               cycle_t first) {
  const line_stamps& there = buffers_.stamps(data);
  into.words = buffers_.words(data);
  cycle_t leaves = first;
  cycle_t free = first;
  for (std::size_t i = 0; i < line_.words(); ++i) {
    const std::size_t word = subblock_place(i, missed);
    if (there[word] == never) fail("a line goes to the caches, and something will not fill it");
    free = std::max(free, there[word]);
    if (i == 0) leaves = free;
    into.valid[word] = (free + config_.outbound) * config_.ratio;
    ++free;
  }
  reply_free_ = free;
  return leaves;
}

void line_interface::deliver(const delivery& next, cycle_t at) {
  last_delivery_ = std::max(last_delivery_, at);
  deliveries_.push(next);
  processor_agenda_.wake(*this, last_delivery_, delivers, wake_rank::arrival);
}

void line_interface::wake(cycle_t now, std::uint64_t tag) {
  if (tag == has_room) {
    if (can_take()) client_->room(now);
    return;
  }
  const delivery next = deliveries_.front();
  deliveries_.pop();
  switch (next.type) {
    case delivery::kind::shared:
    case delivery::kind::exclusive:
      client_->filled(next.tag, {next.type == delivery::kind::exclusive, next.words, next.valid},
                      now);
      break;
    case delivery::kind::upgraded:
      client_->upgraded(next.tag, now);
      break;
    case delivery::kind::refused:
      client_->refused(next.tag, now);
      break;
    case delivery::kind::complete:
      if (incomplete_ == 0) fail("a write is complete that no processor waits for");
      if (--incomplete_ == 0) client_->settled(now);
      break;
    case delivery::kind::intervention:
      perform(next, now);
      break;
  }
}

// --- interventions -------------------------------------------------------------------------------

void line_interface::intervene(intervention asked, std::uint64_t address, payload_handle data,
                               bool wants_state, cycle_t now) {
  delivery next;
  next.type = delivery::kind::intervention;
  next.asked = asked;
  next.wants_state = wants_state;
  next.data = data;
  next.address = address;
  if (asked == intervention::invalidate) {
    for (request& each : requests_) {
      if (each.outstanding && each.line == line_.start(address)) each.invalidated = true;
    }
  }
  const bool is_awaited = wants_state || asked != intervention::invalidate;
  const cycle_t way = is_awaited ? config_.state_cycles : config_.invalidation_cycles;
  // In the processor's last cycle before the controller knows.
  deliver(next, (now + way) * config_.ratio - 1);
  if (wants_state) {
    states_.push({last_delivery_ / config_.ratio + 1, line_state::invalid, false});
  }
}

void line_interface::perform(const delivery& asked, cycle_t now) {
  const std::uint64_t line = line_.start(asked.address);
  const bool granted_maybe =
      asked.asked != intervention::invalidate &&
      std::any_of(requests_.begin(), requests_.end(), [&](const request& each) {
        return each.outstanding && each.want == line_want::upgrade && each.line == line;
      });
  found_line found;
  if (granted_maybe) {
    ++hidden_;
  } else {
    found = client_->intervene(asked.asked, line, now);
  }
  if (!asked.wants_state) return;
  std::size_t oldest = 0;
  while (states_[oldest].performed) ++oldest;
  states_[oldest].performed = true;
  states_[oldest].found = found.before;
  if (asked.data == no_payload || found.before == line_state::invalid) return;
  const cycle_t first = std::max(states_[oldest].known + config_.data_cycles, data_free_);
  const cycle_t last = first + line_.words() - 1;
  data_free_ = last + 1;
  buffers_.fill(asked.data, found.words, {first, last}, line_.word(asked.address));
}

line_state line_interface::read_state() {
  const state_reply oldest = states_.front();
  if (!oldest.performed) fail("a state reply was read before it was known");
  states_.pop();
  return oldest.found;
}

// --- the rest ------------------------------------------------------------------------------------

bool line_interface::idle() const {
  return incomplete_ == 0 && deliveries_.empty() && states_.empty() &&
         std::none_of(requests_.begin(), requests_.end(),
                      [](const request& each) { return each.outstanding; });
}

void line_interface::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("line interface of node {} in cycle {}: {}", index(here_),
                                     agenda_.now(), problem));
}

void line_interface::trace(const trace_scope& scope) {
  trace_ = scope.below("caches").add({"", "", 1, {{"", {{"access"}}}}});
  const auto waits = [](const request& each) { return each.outstanding; };
  scope.hold(trace_, 0, "access",
             static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(), waits)));
}

void line_interface::tell(const event_kind& kind, const message& about, cycle_t now,
                          cycle_t last) const {
  if (!trace_.on()) return;
  trace_event event = node_events::event_of(kind, now, last, about);
  event.details |= node_events::tag.put(about.tag);
  trace_.add(event);
}

void line_interface::reset_statistics() {
  for (counter& each : sent_) each.reset();
  reset_all(conversions_, hidden_);
}

void line_interface::report(statistics_group& into, std::uint64_t) const {
  for (std::size_t i = 0; i < line_want_count; ++i) {
    into.group("requests")
        .add(name_of(static_cast<line_want>(i)), sent_[i], "messages", "Requests of the caches.");
  }
  into.add("conversions", conversions_, "replies",
           "Replies that became refusals because an invalidation had overtaken them.");
  into.add("hidden", hidden_, "interventions",
           "Interventions that did not find a line because its upgrade was outstanding.");
}

std::string line_interface::save() const { return save_state(*this); }

void line_interface::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(states_.size() <= most_state_replies, "too many state replies are unread");
}

}  // namespace tributary
