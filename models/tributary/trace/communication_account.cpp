// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/communication_account.h>

#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

namespace events = communication_events;

constexpr auto bookkeeping = static_cast<std::size_t>(communication_purpose::bookkeeping);
constexpr auto computing = static_cast<std::size_t>(communication_purpose::computing);

bool is_tree(std::size_t purpose) {
  return purpose == static_cast<std::size_t>(communication_purpose::reduce) ||
         purpose == static_cast<std::size_t>(communication_purpose::barrier);
}

/// Whether a node of the tree writes what the next one waits for.
bool is_hand_off(std::size_t purpose) {
  return is_tree(purpose) || purpose == static_cast<std::size_t>(communication_purpose::broadcast);
}

/// Whether a write can be strided if requests are merged: an answer to a get, or a send.
bool can_be_strided(std::size_t purpose, communication_message type) {
  return type == communication_message::write &&
         (purpose == static_cast<std::size_t>(communication_purpose::get) ||
          purpose == static_cast<std::size_t>(communication_purpose::send));
}

/// What the source's figures put together: a bit for each purpose.
struct category {
  const char* name;
  unsigned purposes;
};

constexpr unsigned bits(std::initializer_list<communication_purpose> purposes) {
  unsigned all = 0;
  for (const communication_purpose each : purposes) all |= 1U << static_cast<unsigned>(each);
  return all;
}

/// Messages for computing are of caches, whose lines others have got or sent; those of bookkeeping
/// are acknowledgements that software sends.
constexpr std::array<category, 3> categories{
    {{"get_send", bits({communication_purpose::computing, communication_purpose::get,
                        communication_purpose::send, communication_purpose::combining_send,
                        communication_purpose::bookkeeping})},
     {"broadcast_reduce", bits({communication_purpose::broadcast, communication_purpose::reduce})},
     {"synchronization", bits({communication_purpose::barrier})}}};

/// Sums `of(purpose)` over a category.
template <class Of>
std::uint64_t sum(const category& over, const Of& of) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i <= bookkeeping; ++i) {
    if ((over.purposes >> i & 1) != 0) all += of(i);
  }
  return all;
}

template <class Counts>
std::uint64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

void header_bytes_config::bind(parameter_set& parameters) {
  const interval<std::uint32_t> bytes{0, 4096};
  parameters.add("read", read, bytes, "bytes", "Of a message that asks for data (fitted).");
  parameters.add("write", write, bytes, "bytes", "Of one that brings data to an address (fitted).");
  parameters.add("tree", tree, bytes, "bytes",
                 "Of a hop of a reduction or barrier, which names no address (fitted).");
  parameters.add("acknowledgement", acknowledgement, bytes, "bytes",
                 "Of the acknowledgement of a write.");
  parameters.add("line", line, bytes, "bytes", "Of what caches say to each other (fitted).");
  parameters.add("node", node, bytes, "bytes",
                 "In addition, of what caches with homes say: the node to which it goes, which a "
                 "message to everyone on a ring does not name (derived: 16 bits, Klaiber 5.1).");
  parameters.add(
      "count", count, bytes, "bytes",
      "In addition, of gets, their answers and sends with merge_requests: how many items "
      "there are (Klaiber 5.5.1 names the field; 16 bits are assumed).");
  parameters.add("stride", stride, bytes, "bytes",
                 "In addition, likewise: how far items are apart, in a write once, in a read for "
                 "both sides (Klaiber 5.5.1 names the field; 16 bits are assumed).");
}

void communication_account_config::bind(parameter_set& parameters) {
  parameters.add("enabled", enabled, "Whether communication is counted.");
  parameters.add_group("header_bytes", header_bytes,
                       "Bytes of control of a message, by what its header says.");
  parameters.add("count_acknowledgements", count_acknowledgements,
                 "Whether acknowledgements of writes are among the messages; the source leaves "
                 "them out.");
  parameters.add("count_invalidated", count_invalidated,
                 "Whether the answer to an invalidation is among the messages, other than those of "
                 "the tree's data and flags, whose answers always are.");
  parameters.add("count_cold", count_cold,
                 "Whether messages about lines that a cache never had are among the messages; the "
                 "source leaves them out (Klaiber 5.3).");
}

std::uint32_t communication_account::header_bytes(std::size_t purpose,
                                                  communication_message type) const {
  const header_bytes_config& table = config_.header_bytes;
  const bool merges = config_.merges_requests;
  switch (type) {
    case communication_message::read:
      return table.read + (merges ? table.count + 2 * table.stride : 0);
    case communication_message::acknowledgement:
      return table.acknowledgement;
    case communication_message::write:
    case communication_message::tagged:
      if (is_tree(purpose)) return table.tree;
      return table.write +
             (merges && can_be_strided(purpose, type) ? table.count + table.stride : 0);
    default:
      return table.line;
  }
}

std::uint64_t communication_account::counted(std::size_t purpose, std::size_t type) const {
  const auto is = static_cast<communication_message>(type);
  if (is == communication_message::acknowledgement && !config_.count_acknowledgements) return 0;
  // In a hand-off, of data or a flag of the tree, the answer counts, as the source prints it.
  if (is == communication_message::invalidated && !config_.count_invalidated &&
      !is_hand_off(purpose)) {
    return 0;
  }
  return messages_[purpose][type] - (config_.count_cold ? 0 : cold_[purpose][type]);
}

std::uint64_t communication_account::counted_data(std::size_t purpose) const {
  return data_[purpose] - (config_.count_cold ? 0 : cold_data_[purpose]);
}

void communication_account::on_event(const trace_event& event) {
  const std::uint64_t purpose = events::purpose.in(event.details) % purposes;
  // The most frequent first.
  if (event.kind == &events::register_access) {
    registers_[purpose].at(events::part.in(event.details)) += events::bytes.in(event.details);
  } else if (event.kind == &events::memory_access) {
    (events::writes.in(event.details) == 1 ? stored_ : loaded_)[purpose] +=
        events::bytes.in(event.details);
  } else if (event.kind == &events::sent) {
    const auto type = events::message.in(event.details);
    if (type == static_cast<std::uint64_t>(communication_message::acknowledgement)) {
      ++acknowledgements_;
    }
    const std::uint64_t bytes = events::bytes.in(event.details);
    ++messages_[purpose].at(type);
    data_[purpose] += bytes;
    if (events::cold.in(event.details) == 1) {
      ++cold_[purpose].at(type);
      cold_data_[purpose] += bytes;
    }
    count_ahead(event);
  } else if (event.kind == &events::composed) {
    ++composed_[purpose];
  } else if (event.kind == &events::taken) {
    ++taken_[purpose];
  } else if (event.kind == &events::interrupt) {
    ++interrupts_[purpose].at(events::cause.in(event.details));
  }
}

void communication_account::count_ahead(const trace_event& event) {
  constexpr auto ahead = static_cast<std::uint64_t>(request_part::ahead);
  if (events::request.in(event.details) != ahead) return;
  if (events::cold.in(event.details) == 1 && !config_.count_cold) return;
  const std::uint64_t purpose = events::purpose.in(event.details) % purposes;
  ++ahead_[purpose].at(events::message.in(event.details));
  ahead_data_[purpose] += events::bytes.in(event.details);
}

void communication_account::reset() { *this = communication_account(config_); }

void communication_account::report_messages(statistics_group& into) const {
  const auto count_of = [this](std::size_t purpose) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < message_types; ++i) all += counted(purpose, i);
    return all;
  };
  const auto control_of = [this](std::size_t purpose) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < message_types; ++i) {
      all += counted(purpose, i) * header_bytes(purpose, static_cast<communication_message>(i));
    }
    return all;
  };
  const auto add = [](statistics_group& group, std::uint64_t messages, std::uint64_t data,
                      std::uint64_t control) {
    group.add("messages", messages, "messages", "That entered the network.");
    group.add("data", data, "bytes", "Of data in them.");
    group.add("control", control, "bytes", "Of their headers.");
  };
  std::uint64_t messages = 0;
  std::uint64_t data = 0;
  std::uint64_t control = 0;
  for (const category& each : categories) {
    const std::uint64_t own_messages = sum(each, count_of);
    const std::uint64_t own_data =
        sum(each, [this](std::size_t purpose) { return counted_data(purpose); });
    const std::uint64_t own_control = sum(each, control_of);
    add(into.group(each.name), own_messages, own_data, own_control);
    messages += own_messages;
    data += own_data;
    control += own_control;
  }
  add(into, messages, data, control);
  into.add("bytes", data + control, "bytes", "Of data and headers.");
  into.add("acknowledgements", acknowledgements_, "messages", "Of writes.");
  const std::vector<std::string> names = names_of_purposes();
  for (std::size_t i = computing; i < bookkeeping; ++i) {
    add(into.group("of_" + names[i]), count_of(i), counted_data(i), control_of(i));
  }
  report_ahead(into.group("ahead"));
  const std::vector<std::string> types = names_of_messages();
  for (std::size_t i = 0; i < message_types; ++i) {
    std::uint64_t all = 0;
    for (const auto& each : messages_) all += each[i];
    into.group("types").add(types[i], all, "messages", "Of this type.");
  }
}

void communication_account::report_ahead(statistics_group& into) const {
  std::uint64_t messages = 0;
  std::uint64_t control = 0;
  for (std::size_t purpose = 0; purpose < purposes; ++purpose) {
    for (std::size_t i = 0; i < message_types; ++i) {
      messages += ahead_[purpose][i];
      control += ahead_[purpose][i] * header_bytes(purpose, static_cast<communication_message>(i));
    }
  }
  into.add("messages", messages, "messages", "Of all, those about lines that were fetched ahead.");
  into.add("data", total(ahead_data_), "bytes", "Of data in them.");
  into.add("control", control, "bytes", "Of their headers.");
}

void communication_account::report_processors(statistics_group& into) const {
  into.add("packets", total(composed_) + total(taken_), "messages",
           "That processors composed or took, or moved by a command.");
  into.add("packets_bookkeeping", composed_[bookkeeping] + taken_[bookkeeping], "messages",
           "Of these, acknowledgements.");
  statistics_group& interface = into.group("interface");
  const std::vector<std::string> names = names_of_register_parts();
  std::uint64_t moved = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    std::uint64_t bytes = 0;
    for (std::size_t purpose = 0; purpose < bookkeeping; ++purpose) {
      bytes += registers_[purpose][i];
    }
    interface.add(names[i], bytes, "bytes", "Between processors and interfaces.");
    if (i <= static_cast<std::size_t>(register_part::dma_command)) moved += bytes;
  }
  interface.add("bytes", moved, "bytes",
                "Headers, bodies and commands, without acknowledgements, polling and counters.");
  statistics_group& memory = into.group("memory");
  std::uint64_t all = 0;
  const std::vector<std::string> purposes_names = names_of_purposes();
  for (std::size_t i = computing + 1; i <= bookkeeping; ++i) {
    memory.add(purposes_names[i], loaded_[i] + stored_[i], "bytes",
               "That processors loaded or stored for this.");
    all += loaded_[i] + stored_[i];
  }
  memory.add("bytes", all, "bytes", "That processors loaded or stored for communication.");
}

void communication_account::report_interrupts(statistics_group& into) const {
  const std::vector<std::string> names = names_of_causes();
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < causes; ++i) {
    std::uint64_t of_cause = 0;
    for (const auto& each : interrupts_) of_cause += each[i];
    into.add(names[i], of_cause, "interrupts", "With this cause.");
    all += of_cause;
  }
  into.add("all", all, "interrupts", "Of processors by their interfaces.");
}

void communication_account::report(statistics_group& into) const {
  report_messages(into.group("messages"));
  report_processors(into.group("processors"));
  report_interrupts(into.group("interrupts"));
}

}  // namespace tributary
