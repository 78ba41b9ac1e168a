// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/coherence_audit.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::uint64_t looks = 8;  // in the time that a miss may last

const coherence_protocol* coherence_of(const magic_node& node) {
  for (std::size_t i = 0; i < node.protocols().size(); ++i) {
    const auto* found = dynamic_cast<const coherence_protocol*>(&node.protocols().at(i));
    if (found != nullptr) return found;
  }
  return nullptr;
}

const char* verb_of(line_want want) {
  switch (want) {
    case line_want::shared:
      return "read";
    case line_want::exclusive:
      return "write";
    case line_want::upgrade:
      break;
  }
  return "upgrade";
}

}  // namespace

coherence_audit::coherence_audit(const magic_nodes& nodes)
    : nodes_(nodes), patience_(nodes.node(0).config().caches.patience) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.node(i).caches() != nullptr && coherence_of(nodes.node(i)) != nullptr) continue;
    throw configuration_error(
        fmt::format("node {} has no caches, or not the protocol 'coherence'", i));
  }
}

const coherence::directory_layout& coherence_audit::layout_of(node_id home) const {
  return coherence_of(nodes_.node(index(home)))->layout();
}

node_id coherence_audit::home_of(std::uint64_t line) const {
  return nodes_.node(0).config().addresses.node_of(line);
}

coherence::directory_entry coherence_audit::entry_of(std::uint64_t line) const {
  const node_id home = home_of(line);
  const std::uint64_t offset = nodes_.node(0).config().addresses.offset_of(line);
  const std::uint64_t at = layout_of(home).entry(offset);
  return coherence::directory_entry(nodes_.node(index(home)).memory().read(at));
}

bool coherence_audit::names(std::uint64_t line, node_id node) const {
  const node_id home = home_of(line);
  const coherence::directory_entry entry = entry_of(line);
  if (node == home) return entry.local();
  if (entry.has_remote() && entry.remote() == node) return true;
  const coherence::directory_layout& at = layout_of(home);
  word_t looked_at = 0;
  for (word_t each = entry.list(); each != 0 && looked_at < at.elements; ++looked_at) {
    const word_t element = nodes_.node(index(home)).memory().read(at.element(each));
    if (coherence::list_element::node.in(element) == index(node)) return true;
    each = coherence::list_element::next.in(element);
  }
  return false;
}

// --- misses that last ----------------------------------------------------------------------------

void coherence_audit::check_progress() {
  if (nodes_.now() < next_look_) return;
  next_look_ = nodes_.now() + std::max<std::uint64_t>(patience_ / looks, 1);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto oldest = nodes_.node(i).caches()->oldest_miss();
    if (oldest) check_miss(node_id{static_cast<std::uint32_t>(i)}, *oldest);
  }
}

void coherence_audit::check_miss(node_id node, const cache::awaited_line& oldest) const {
  const cycle_t since = oldest.since / nodes_.node(index(node)).config().caches.clock_ratio;
  if (nodes_.now() < since + patience_) return;
  throw simulation_error(fmt::format(
      "node {} waits to {} line {:#x} since cycle {}, in cycle {}: longer than "
      "node.processor_caches.patience = {}. The home of the line is node {}. Its directory: {}. "
      "Raise the bound if so many nodes want the line; else the protocol has lost a message",
      index(node), verb_of(oldest.want), oldest.line, since, nodes_.now(), patience_,
      index(home_of(oldest.line)), text_of(oldest.line)));
}

// --- a machine at rest ---------------------------------------------------------------------------

void coherence_audit::check_rest() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const node_id node{static_cast<std::uint32_t>(i)};
    nodes_.node(i).caches()->for_each_line([&](std::uint64_t line, line_state state) {
      // Of other spaces no directory knows.
      if (nodes_.node(0).config().addresses.space_of(line) == 0) check_line(node, line, state);
    });
  }
}

void coherence_audit::check_line(node_id node, std::uint64_t line, line_state state) const {
  const coherence::directory_entry entry = entry_of(line);
  const bool agrees = state == line_state::shared ? !entry.dirty() && names(line, node)
                                                  : entry.owned_by(node, home_of(line));
  if (agrees && !entry.pending()) return;
  throw simulation_error(fmt::format(
      "the cache of node {} has line {:#x} {} in cycle {}, at rest, and the directory of node {} "
      "disagrees: {}. The protocol has lost a message, or its memory was overwritten; please "
      "report the configuration",
      index(node), line, name_of(state), nodes_.now(), index(home_of(line)), text_of(line)));
}

// --- for people ----------------------------------------------------------------------------------

std::string coherence_audit::listed(const coherence::directory_entry& entry, node_id home) const {
  const coherence::directory_layout& at = layout_of(home);
  std::string text;
  std::size_t told = 0;
  for (word_t each = entry.list(); each != 0; ++told) {
    // A list that was overwritten may have no end.
    if (told == nodes_.size()) return text + ", ...";
    const word_t element = nodes_.node(index(home)).memory().read(at.element(each));
    text += fmt::format("{}node {}", text.empty() ? "" : ", ",
                        coherence::list_element::node.in(element));
    each = coherence::list_element::next.in(element);
  }
  return text.empty() ? "none" : text;
}

std::string coherence_audit::text_of(std::uint64_t line) const {
  const node_id home = home_of(line);
  const coherence::directory_entry entry = entry_of(line);
  std::string known = entry.local() ? fmt::format("node {}", index(home)) : "";
  if (entry.has_remote()) {
    known += fmt::format("{}node {}", known.empty() ? "" : ", ", index(entry.remote()));
  }
  std::string caches;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const line_state state = nodes_.node(i).caches()->state_of(line);
    if (state == line_state::invalid) continue;
    caches += fmt::format("{}node {} ({})", caches.empty() ? "" : ", ", i, name_of(state));
  }
  return fmt::format("{}{}{}, {}: {}, listed: {}; in the caches of: {}",
                     entry.dirty() ? "dirty" : "clean", entry.pending() ? ", pending" : "",
                     entry.owned() ? ", owned by a protocol processor" : "",
                     entry.dirty() ? "owner" : "sharers", known.empty() ? "none" : known,
                     listed(entry, home), caches.empty() ? "none" : caches);
}

}  // namespace tributary
