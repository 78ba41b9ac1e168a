// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ideal_caches/home_coherence.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

using type = communication_message;

home_coherence::home_coherence(const ideal_cache_config& config, const address_layout& addresses,
                               const attachment_place& place, coherence_message_pool& messages)
    : coherent_node(config, addresses, place, messages, home_lane + 1),
      ordered_(place.nodes),
      asked_(place.nodes) {}

void home_coherence::request(transaction& asked, cycle_t now) {
  const node_id home = addresses().node_of(asked.line);
  asked.number = ++asked_[index(home)];
  const coherence_message message =
      message_of(asked.keeps_copy ? type::invalidate : type::fetch_line, asked);
  if (home == here()) {
    order(message, now);
  } else {
    send(message, home, request_lane, now);
  }
}

bool home_coherence::is_home(const coherence_message& message) const {
  return addresses().node_of(message.line) == here();
}

void home_coherence::send_update(coherence_message& update, cycle_t now) {
  update_ = {};
  if (is_home(update)) {
    order(update, now);
  } else {
    send(update, addresses().node_of(update.line), request_lane, now);
  }
}

void home_coherence::receive(const coherence_message& message, std::uint8_t lane, cycle_t now) {
  if (lane == request_lane) {
    order(message, now);
  } else if (lane == home_lane) {
    be_told(message, now);
  } else {
    answer(message, now);
  }
}

/// By the home. Who asks first is first for all.
void home_coherence::order(const coherence_message& request, cycle_t now) {
  const auto [at, is_new] = directory_.try_emplace(request.line);
  if (is_new) at->second.owner = here();
  if (request.type == type::update) {
    order_update(request, at->second, now);
    return;
  }
  ++ordered_[index(request.requester)];
  if (request.writes) {
    order_write(request, at->second, now);
  } else {
    order_read(request, at->second, now);
  }
}

void home_coherence::order_read(const coherence_message& request, directory_entry& line,
                                cycle_t now) {
  coherence_message forward = request;
  if (request.takes_over) {
    line.sharers.remove(here());
    forward.sharers = line.sharers;
    tell_node(std::exchange(line.owner, here()), forward, now);
    return;
  }
  line.sharers.add(request.requester);
  if (request.requester != here()) {
    forward.type = type::forward;
    forward.part = request_part::passed_on;
  }
  tell_node(line.owner, forward, now);
}

void home_coherence::order_write(const coherence_message& request, directory_entry& line,
                                 cycle_t now) {
  const node_id asks = request.requester;
  const directory_entry before = std::exchange(line, {asks, {}});
  const bool has_copy = before.owner == asks || before.sharers.has(asks);
  coherence_message told = request;
  told.keeps_copy = request.keeps_copy && has_copy;
  node_set others = before.sharers;
  others.remove(asks);
  if (told.keeps_copy && before.owner != asks) others.add(before.owner);
  told.copies = others.size();
  if (asks != here()) told.part = request_part::passed_on;
  if (asks == here() && told.keeps_copy) told.part = request_part::at_home;
  if (!told.keeps_copy) {
    told.type = asks == here() ? type::fetch_line : type::forward;
    tell_node(before.owner, told, now);
    if (before.owner != here()) told.part = request_part::further;
  }
  told.type = type::invalidate;
  tell_nodes(others, told, now);
}

/// The home's own copy is up to date when the others are told, so that it need not answer.
void home_coherence::order_update(const coherence_message& request, const directory_entry& line,
                                  cycle_t now) {
  const node_id asks = request.requester;
  node_set others = line.sharers;
  others.add(line.owner);
  others.remove(asks);
  coherence_message told = request;
  if (asks != here()) told.part = request_part::passed_on;
  if (others.has(here())) tell_node(here(), told, now);
  others.remove(here());
  told.copies = others.size();
  tell_nodes(others, told, now);
  told.type = type::acknowledgement;
  told.part.reset();
  told.bytes = 0;
  tell_node(asks, told, now);
}

void home_coherence::tell_nodes(const node_set& nodes_told, coherence_message message,
                                cycle_t now) {
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (!nodes_told.has(node_id{node})) continue;
    tell_node(node_id{node}, message, now);
    if (node_id{node} != here()) message.part = request_part::further;
  }
}

void home_coherence::tell_node(node_id node, coherence_message message, cycle_t now) {
  message.seen = ordered_[index(node)];
  if (node == here()) {
    be_told(message, now);
  } else {
    send(message, node, home_lane, now);
  }
}

/// A home's word is for now, unless it comes behind the own request, which is under way.
void home_coherence::be_told(const coherence_message& message, cycle_t now) {
  transaction* const about = find(message.line);
  if (about != nullptr && message.seen >= about->number && !about->performed) {
    about->later.push_back(message);
  } else {
    obey(message, now);
  }
}

void home_coherence::obey(const coherence_message& message, cycle_t now) {
  if (message.type == type::update || message.type == type::acknowledgement) {
    obey_update(message, now);
    return;
  }
  line_entry& line = entry(message.line);
  if (message.type == type::invalidate) {
    coherence_message done = message;
    done.type = type::invalidated;
    done.part.reset();
    send(done, message.requester, answer_lane, now);
  } else {
    if (line.holds != line_holding::owned && line.holds != line_holding::exclusive) {
      fail(fmt::format("is asked for line {:#x}, which it does not own", message.line));
    }
    supply(message, now);
  }
  if (message.writes || message.takes_over) {
    lose(message.line);
  } else {
    line.holds = line_holding::owned;
  }
}

bool home_coherence::may_own(node_id owner, std::uint64_t line) const {
  const auto known = directory_.find(line);
  return known != directory_.end() && known->second.owner == owner;
}

/// Of another node, or the own one, whose place among the line's requests the home has told.
void home_coherence::obey_update(const coherence_message& message, cycle_t now) {
  if (holding(message.line) != line_holding::none) apply_update(message);
  if (message.requester == here()) {
    update_.ordered = true;
    update_.awaited = message.copies;
    end_update_if_seen(now);
  } else if (!is_home(message)) {
    coherence_message done = message;
    done.type = type::acknowledgement;
    done.part.reset();
    done.bytes = 0;
    send(done, message.requester, answer_lane, now);
  }
}

void home_coherence::end_update_if_seen(cycle_t now) {
  if (update_.ordered && update_.answers == update_.awaited) update_is_seen(now);
}

void home_coherence::answer(const coherence_message& message, cycle_t now) {
  if (message.type == type::replace) {
    take_back(message, now);
    return;
  }
  if (message.type == type::acknowledgement) {
    ++update_.answers;
    end_update_if_seen(now);
    return;
  }
  transaction* const about = find(message.line);
  if (about == nullptr) {
    fail(fmt::format("an answer about line {:#x}, which was not asked for", message.line));
  }
  about->awaited = message.copies;
  if (message.type == type::line) {
    about->has_line = true;
    about->words = message.words;
    about->sharers = message.sharers;
  } else {
    ++about->answers;
    about->granted = message.keeps_copy;
  }
  const bool has_words = about->has_line || about->granted;
  if (!has_words || about->answers != (about->writes ? about->awaited : 0)) return;
  perform(*about, now);
  end(message.line, now);
}

std::string home_coherence::save() const {
  return save_state(coherent_node::save(), save_state(*this));
}

void home_coherence::restore(const std::string& state) {
  std::string node;
  std::string own;
  restore_state(state, node, own);
  restore_state(own, *this);
  require_state(ordered_.size() == nodes() && asked_.size() == nodes(),
                "a home knows another number of nodes");
  coherent_node::restore(node);
}

}  // namespace tributary
