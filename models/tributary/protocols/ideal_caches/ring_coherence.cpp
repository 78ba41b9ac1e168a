// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ideal_caches/ring_coherence.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

using type = communication_message;

ring_coherence::ring_coherence(const ideal_cache_config& config, const address_layout& addresses,
                               const attachment_place& place, coherence_message_pool& messages)
    : coherent_node(config, addresses, place, messages, answer_lane + 1) {
  if (place.network.orders_broadcasts() && place.network.copies() == place.nodes) return;
  throw configuration_error({"network.topology", "",
                             "it does not bring messages for everyone in one order", "ring",
                             "the protocol has no homes, and asks everyone"});
}

void ring_coherence::request(transaction& asked, cycle_t now) {
  broadcast(message_of(asked.keeps_copy ? type::invalidate : type::fetch_line, asked), now);
}

void ring_coherence::send_update(coherence_message& update, cycle_t now) { broadcast(update, now); }

void ring_coherence::receive(const coherence_message& message, std::uint8_t lane, cycle_t now) {
  if (lane == answer_lane) {
    answer(message, now);
    return;
  }
  const bool own = message.requester == here();
  if (own && message.type != type::update) {
    order_own(message, now);
    return;
  }
  const std::uint32_t end = nodes() - 1;
  const std::uint32_t last = index(message.requester) == end ? end - 1 : end;
  if (message.type == type::invalidate && index(here()) == last) {
    coherence_message passed = message;
    passed.type = type::invalidated;
    passed.part.reset();
    send(passed, message.requester, answer_lane, now);
  }
  transaction* const about = find(message.line);
  if (about != nullptr && about->ordered && !about->performed) {
    about->later.push_back(message);
  } else {
    obey(message, now);
  }
  if (own) update_is_seen(now);
}

void ring_coherence::order_own(const coherence_message& message, cycle_t now) {
  transaction& about = asked(message);
  about.ordered = true;
  if (about.keeps_copy) {
    about.awaited = 1;
    // The copy is gone if another node's store came first.
    about.granted = entry(about.line).holds != line_holding::none;
  }
  if (about.granted || about.has_line) perform(about, now);
  if (about.performed) end_if_answered(about, now);
}

void ring_coherence::answer(const coherence_message& message, cycle_t now) {
  if (message.type == type::replace) {
    take_back(message, now);
    return;
  }
  transaction& about = asked(message);
  if (message.type == type::invalidated) {
    ++about.answers;
  } else {
    about.has_line = true;
    about.words = message.words;
    about.sharers = message.sharers;
    if (about.ordered) perform(about, now);
  }
  if (about.performed) end_if_answered(about, now);
}

void ring_coherence::end_if_answered(const transaction& about, cycle_t now) {
  if (about.answers == about.awaited) end(about.line, now);
}

ring_coherence::transaction& ring_coherence::asked(const coherence_message& message) {
  transaction* const about = find(message.line);
  if (about != nullptr) return *about;
  fail(fmt::format("a message about line {:#x}, which was not asked for", message.line));
}

/// To the home, which then knows who has copies.
void ring_coherence::hand_over(const coherence_message& message, cycle_t now) {
  coherence_message told = message;
  told.sharers = entry(message.line).sharers;
  told.sharers.remove(message.requester);
  supply(told, now);
  lose(message.line);
}

void ring_coherence::obey(const coherence_message& message, cycle_t now) {
  line_entry* const line = known(message.line);
  if (line == nullptr || line->holds == line_holding::none) return;
  if (message.type == type::update) {
    apply_update(message);
    return;
  }
  const bool owner = line->holds != line_holding::shared;
  if (message.takes_over) {
    if (owner) hand_over(message, now);
    return;
  }
  const bool has_copy = line->sharers.has(message.requester);
  // Who asks to write with a copy that is one no longer needs the line.
  if (owner && !(message.type == type::invalidate && has_copy)) supply(message, now);
  if (message.writes) {
    lose(message.line);
  } else if (owner) {
    line->holds = line_holding::owned;
    line->sharers.add(message.requester);
  }
}

}  // namespace tributary
