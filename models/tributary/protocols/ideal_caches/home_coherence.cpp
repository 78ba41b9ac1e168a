// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ideal_caches/home_coherence.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

using type = communication_message;

home_coherence::home_coherence(const ideal_cache_config& config, const address_layout& addresses,
                               const attachment_place& place, coherence_message_pool& messages)
    : coherent_node(config, addresses, place, messages, home_lane + 1),
      ordered_(place.nodes),
      asked_(place.nodes) {
  if (config.update_from == config.update_to) return;
  throw configuration_error({"update_to", "", fmt::format("{} bytes", config.update_to),
                             "that of update_from",
                             "the protocol with homes has no stores that update"});
}

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

void home_coherence::send_update(coherence_message& /*update*/, cycle_t /*now*/) {
  fail("an update, which this protocol has not");
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
  const node_id asks = request.requester;
  ++ordered_[index(asks)];
  const auto [at, is_new] = directory_.try_emplace(request.line);
  if (is_new) at->second.owner = here();
  directory_entry& line = at->second;
  if (!request.writes) {
    const node_id owner = line.owner;
    line.sharers.add(asks);
    coherence_message forward = request;
    forward.type = asks == here() ? type::fetch_line : type::forward;
    tell_node(owner, forward, now);
    return;
  }
  const directory_entry before = line;
  line = {asks, {}};
  const bool has_copy = before.owner == asks || before.sharers.has(asks);
  coherence_message told = request;
  told.keeps_copy = request.keeps_copy && has_copy;
  node_set others = before.sharers;
  others.remove(asks);
  if (told.keeps_copy && before.owner != asks) others.add(before.owner);
  told.copies = others.size();
  if (!told.keeps_copy) {
    told.type = asks == here() ? type::fetch_line : type::forward;
    tell_node(before.owner, told, now);
  }
  told.type = type::invalidate;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (others.has(node_id{node})) tell_node(node_id{node}, told, now);
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
  if (message.writes) {
    lose(line);
  } else {
    line.holds = line_holding::owned;
  }
}

void home_coherence::answer(const coherence_message& message, cycle_t now) {
  transaction* const about = find(message.line);
  if (about == nullptr) {
    fail(fmt::format("an answer about line {:#x}, which was not asked for", message.line));
  }
  about->awaited = message.copies;
  if (message.type == type::line) {
    about->has_line = true;
    about->words = message.words;
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
