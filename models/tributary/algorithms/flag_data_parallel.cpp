// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flag_data_parallel.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include <tributary/algorithms/purpose_scope.h>
#include <tributary/memory/packet.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using communication = communication_purpose;

std::uint64_t words_of(std::uint64_t bytes) { return (bytes + word_bytes - 1) / word_bytes; }

/// The bytes that travel of a word.
word_t cut(word_t value, std::uint32_t bytes) {
  return bytes >= word_bytes ? value : value & byte_mask(0x0f);
}

/// Bytes that an item still has at its word `i`.
std::uint32_t left_at(std::uint64_t i, std::uint32_t bytes) {
  const std::uint64_t left = bytes - i * word_bytes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(left, word_bytes));
}

std::optional<operation> fetch_and(combining_operation combining) {
  switch (combining) {
    case combining_operation::sum:
      return operation::fetch_add;
    case combining_operation::maximum:
      return operation::fetch_max;
    case combining_operation::minimum:
      return operation::fetch_min;
    case combining_operation::sum_double:
    case combining_operation::maximum_double:
      break;
  }
  return std::nullopt;
}

}  // namespace

void flag_data_parallel_options::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("line_bytes", line_bytes, u32{8, 4096}, "bytes",
                 "Flags, and data that go with them, begin at multiples of it: a line of caches.");
  parameters.add("slots", slots, u32{1, 4096}, "broadcasts",
                 "Broadcasts between two barriers; one more begins with a barrier (Klaiber 5.6.4: "
                 "the area where they are handed over is one).");
  parameters.add("slot_bytes", slot_bytes, u32{8, 1048576}, "bytes",
                 "Greatest broadcast in one piece (assumed: the longest of the source's programs, "
                 "a column of 128 words).");
  parameters.add_choice(
      "combining", combining,
      {{"lock", combining_way::lock}, {"operation", combining_way::operation}},
      "How sends to one place are combined: by the sender under a lock, or by a fetch-and-phi "
      "where the operation is one.");
  parameters.add("back_off_least", back_off.least, u64{1, 1000000}, "cycles",
                 "Until who failed to get a lock tries again, at most, at first (assumed).");
  parameters.add("back_off_most", back_off.most, u64{1, 1000000}, "cycles",
                 "The same, after many failures (assumed).");
  parameters.add("fenced_flags", fenced_flags,
                 "Whether a fence stands before each flag: needed where a store may overtake "
                 "another to the same node.");
}

void flag_data_parallel_options::validate() const {
  check_ranges(*this);
  back_off.validate("back_off");
  const auto require_words = [](const char* key, std::uint32_t bytes) {
    if (bytes % word_bytes == 0) return;
    throw configuration_error(
        {key, "", fmt::format("{} bytes", bytes), "a multiple of 8", "choose whole words"});
  };
  require_words("line_bytes", line_bytes);
  require_words("slot_bytes", slot_bytes);
}

flag_data_parallel::places::places(std::uint64_t data_bytes,
                                   const flag_data_parallel_options& options)
    : line(options.line_bytes / word_bytes) {
  const auto in_lines = [this](std::uint64_t bytes) {
    return (words_of(bytes) + line - 1) / line * line;
  };
  slot = in_lines(options.slot_bytes);
  lock = in_lines(data_bytes);
  arrivals = lock + line;
  release = arrivals + 2 * line * options.arity;
  pieces = release + 2 * line;
  end = pieces + (slot + line) * options.slots;
}

flag_data_parallel::flag_data_parallel(program_context& context, std::uint64_t data_bytes,
                                       const flag_data_parallel_options& options)
    : data_parallel(context, data_bytes),
      options_((options.validate(), options)),
      tree_(context.nodes(), options.arity),
      places_(data_bytes, options) {
  if (context.processes() != 1) {
    throw simulation_error(fmt::format(
        "the run-time of a data-parallel language on {} processes a node; it has one a node",
        context.processes()));
  }
  at(node(), places_.end - 1);  // throws for a region that is too small
  if (at(node(), 0) % options_.line_bytes != 0) {
    throw simulation_error(
        fmt::format("region \"local\" begins at {:#x}, within a line of {} bytes", at(node(), 0),
                    options_.line_bytes));
  }
}

std::uint64_t flag_data_parallel::words(std::uint64_t data_bytes,
                                        const flag_data_parallel_options& options) {
  return places(data_bytes, options).end;
}

std::uint64_t flag_data_parallel::tree_words(std::uint64_t data_bytes,
                                             const flag_data_parallel_options& options) {
  return places(data_bytes, options).arrivals;
}

std::uint64_t flag_data_parallel::at(node_id node, std::uint64_t word) const {
  return context().local_address(pe_id{index(node)}, word);
}

std::uint64_t flag_data_parallel::data_at(node_id node, std::uint64_t offset,
                                          std::uint32_t bytes) const {
  check_place(offset, bytes);
  return at(node, offset / word_bytes);
}

template <class Visit>
void flag_data_parallel::for_each_child(Visit&& visit) const {
  const std::uint32_t here = index(node());
  for (std::uint32_t i = 0; i < tree_.children(here); ++i) {
    visit(node_id{tree_.first_child(here) + i}, i);
  }
}

// ---- words

word_t flag_data_parallel::read(std::uint64_t offset) {
  return context().load(data_at(node(), offset, word_bytes));
}

void flag_data_parallel::write(std::uint64_t offset, word_t value) {
  context().store(data_at(node(), offset, word_bytes), value);
}

void flag_data_parallel::put(std::uint64_t address, word_t value, std::uint32_t bytes) {
  if (bytes >= word_bytes) {
    context().post(operation::store, address, value);
  } else {
    context().post(operation::narrow_store, address, value, byte_mask(0x0f));
  }
}

void flag_data_parallel::copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  for (std::uint64_t i = 0; i < words_of(bytes); ++i) {
    put(to + i * word_bytes, context().load(from + i * word_bytes), left_at(i, bytes));
  }
}

// ---- from node to node

void flag_data_parallel::get(const node_data& from, std::uint64_t to, std::uint32_t bytes) {
  check_item(from.offset, bytes);
  check_item(to, bytes);
  const purpose_scope purpose(context(), communication::get);
  copy(data_at(from.node, from.offset, bytes), data_at(node(), to, bytes), bytes);
}

void flag_data_parallel::send(const node_data& to, std::uint64_t from, std::uint32_t bytes) {
  check_item(to.offset, bytes);
  check_item(from, bytes);
  const purpose_scope purpose(context(), communication::send);
  copy(data_at(node(), from, bytes), data_at(to.node, to.offset, bytes), bytes);
}

void flag_data_parallel::combining_send(const node_data& to, word_t value,
                                        combining_operation operation, std::uint32_t bytes) {
  check_value(bytes);
  const purpose_scope purpose(context(), communication::combining_send);
  const std::uint64_t there = data_at(to.node, to.offset, bytes);
  const auto at_once = fetch_and(operation);
  if (options_.combining == combining_way::operation && at_once && bytes == word_bytes) {
    context().perform(*at_once, there, value);
    return;
  }
  const std::uint64_t lock = at(to.node, places_.lock);
  acquire(lock);
  const word_t found = cut(context().load(there), bytes);
  put(there, combined(operation, found, cut(value, bytes)), bytes);
  set_flag(lock, 0);
}

void flag_data_parallel::acquire(std::uint64_t lock) {
  back_off_delays failures(options_.back_off);
  while (context().test_and_set(lock) != 0) {
    if (options_.reads_locks) {
      context().spin(lock, [](word_t seen) { return seen == 0; });
    } else {
      failures.keep_away(context());
    }
  }
}

// ---- along the tree

void flag_data_parallel::set_flag(std::uint64_t address, word_t value) {
  if (options_.fenced_flags) context().fence();
  context().post(operation::store, address, value);
}

void flag_data_parallel::await_flag(std::uint64_t address, word_t value) {
  context().spin(address, [value](word_t seen) { return seen >= value; });
}

/// Leaves to root: what the operation makes of the own value and those of the children.
word_t flag_data_parallel::gather(word_t value, const combining_operation* operation,
                                  std::uint32_t bytes) {
  const std::uint64_t own = at(node(), places_.arrivals);
  const std::uint64_t pair = 2ULL * options_.line_bytes;
  for_each_child([&](node_id /*child*/, std::uint32_t i) {
    const std::uint64_t datum = own + i * pair;
    {
      const purpose_scope purpose(context(), communication::barrier);
      await_flag(datum + options_.line_bytes, meetings_);
    }
    if (operation != nullptr) {
      value = cut(combined(*operation, value, cut(context().load(datum), bytes)), bytes);
    }
  });
  return value;
}

/// Root to leaves.
word_t flag_data_parallel::spread(word_t value, const combining_operation* operation,
                                  std::uint32_t bytes) {
  const std::uint64_t own = at(node(), places_.release);
  if (index(node()) != 0) {
    {
      const purpose_scope purpose(context(), communication::barrier);
      await_flag(own + options_.line_bytes, meetings_);
    }
    if (operation != nullptr) value = cut(context().load(own), bytes);
  }
  for_each_child([&](node_id child, std::uint32_t /*i*/) {
    const std::uint64_t datum = at(child, places_.release);
    if (operation != nullptr) put(datum, value, bytes);
    const purpose_scope purpose(context(), communication::barrier);
    set_flag(datum + options_.line_bytes, meetings_);
  });
  return value;
}

word_t flag_data_parallel::meet(word_t value, const combining_operation* operation,
                                std::uint32_t bytes) {
  context().fence();
  ++meetings_;
  slots_used_ = 0;
  value = gather(value, operation, bytes);
  if (index(node()) != 0) {
    const std::uint64_t number = tree_.place(index(node()));
    const std::uint64_t datum =
        at(node_id{tree_.parent(index(node()))}, places_.arrivals + 2 * places_.line * number);
    if (operation != nullptr) put(datum, value, bytes);
    const purpose_scope purpose(context(), communication::barrier);
    set_flag(datum + options_.line_bytes, meetings_);
  }
  return spread(value, operation, bytes);
}

word_t flag_data_parallel::reduce(word_t value, combining_operation operation,
                                  std::uint32_t bytes) {
  check_value(bytes);
  const purpose_scope purpose(context(), communication::reduce);
  return meet(cut(value, bytes), &operation, bytes);
}

void flag_data_parallel::barrier() {
  const purpose_scope purpose(context(), communication::barrier);
  meet(0, nullptr, 0);
}

void flag_data_parallel::broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) {
  check_item(offset, bytes);
  const purpose_scope purpose(context(), communication::broadcast);
  for (std::uint32_t done = 0; done < bytes; done += options_.slot_bytes) {
    broadcast_piece(owner, offset + done, std::min(options_.slot_bytes, bytes - done));
  }
}

void flag_data_parallel::broadcast_piece(node_id owner, std::uint64_t offset, std::uint32_t bytes) {
  if (slots_used_ == options_.slots) barrier();
  ++pieces_;
  const std::uint64_t own = data_at(node(), offset, bytes);
  const std::uint64_t slot =
      at(node(), places_.pieces + (places_.slot + places_.line) * slots_used_);
  std::vector<word_t> piece(words_of(bytes));
  const auto load = [&](std::uint64_t from) {
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = context().load(from + i * word_bytes);
  };
  if (node() == owner) {
    load(own);
    if (index(owner) != 0) hand_to(node_id{0}, piece, bytes);
  }
  const bool receives = index(node()) != 0 || index(owner) != 0;
  if (receives) {
    {
      const purpose_scope purpose(context(), communication::barrier);
      await_flag(slot + places_.slot * word_bytes, pieces_);
    }
    load(slot);
  }
  for_each_child([&](node_id child, std::uint32_t /*i*/) { hand_to(child, piece, bytes); });
  if (node() != owner) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      put(own + i * word_bytes, piece[i], left_at(i, bytes));
    }
  }
  ++slots_used_;
}

void flag_data_parallel::hand_to(node_id node, const std::vector<word_t>& piece,
                                 std::uint32_t bytes) {
  const std::uint64_t slot = at(node, places_.pieces + (places_.slot + places_.line) * slots_used_);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    put(slot + i * word_bytes, piece[i], left_at(i, bytes));
  }
  const purpose_scope purpose(context(), communication::barrier);
  set_flag(slot + places_.slot * word_bytes, pieces_);
}

}  // namespace tributary
