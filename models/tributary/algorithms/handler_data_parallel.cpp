// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/handler_data_parallel.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/algorithms/purpose_scope.h>
#include <tributary/memory/packet.h>
#include <tributary/protocols/primitives/primitive_commands.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using communication = communication_purpose;

reduction_operation number_of(combining_operation operation) {
  switch (operation) {
    case combining_operation::maximum:
      return reduction_operation::max;
    case combining_operation::minimum:
      return reduction_operation::min;
    case combining_operation::sum_double:
      return reduction_operation::double_sum;
    case combining_operation::maximum_double:
      return reduction_operation::double_max;
    case combining_operation::sum:
      break;
  }
  return reduction_operation::sum;
}

}  // namespace

handler_data_parallel::handler_data_parallel(program_context& context,
                                             const handler_runtime_place& place)
    : data_parallel(context, place.data_bytes), place_(place) {
  if (context.processes() == 1) return;
  throw simulation_error(fmt::format(
      "the run-time of a data-parallel language on {} processes a node; it has one a node",
      context.processes()));
}

std::uint64_t handler_data_parallel::place_of(std::uint64_t offset) const {
  return place_.memory_place + offset;
}

std::uint64_t handler_data_parallel::own(std::uint64_t offset) const {
  return place_.addresses.address_of(node(), 0, place_of(offset));
}

word_t handler_data_parallel::read(std::uint64_t offset) {
  check_place(offset, word_bytes);
  return context().load(own(offset));
}

void handler_data_parallel::write(std::uint64_t offset, word_t value) {
  check_place(offset, word_bytes);
  context().post(operation::store, own(offset), value);
}

void handler_data_parallel::command(node_id node, std::uint64_t at, word_t word) {
  context().post(operation::store, primitive_command::address(place_.addresses, node, at), word);
}

word_t handler_data_parallel::await(std::uint64_t what) {
  return context().load(primitive_command::address(place_.addresses, node(), what));
}

template <class Visit>
void handler_data_parallel::for_each_piece(std::uint64_t offset, std::uint32_t bytes,
                                           Visit&& visit) const {
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t rest = place_.line.bytes() - place_.line.offset(place_of(offset + done));
    const auto next = static_cast<std::uint32_t>(std::min<std::uint64_t>(rest, bytes - done));
    visit(done, next);
    done += next;
  }
}

/// Within this node.
void handler_data_parallel::copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  for (std::uint32_t done = 0; done < bytes; done += word_bytes) {
    const word_t value = context().load(own(from + done));
    if (bytes - done >= word_bytes) {
      context().post(operation::store, own(to + done), value);
      continue;
    }
    const word_t lower = byte_mask(0x0f);
    const word_t kept = context().load(own(to + done)) & ~lower;
    context().post(operation::store, own(to + done), kept | (value & lower));
  }
}

void handler_data_parallel::get(const node_data& from, std::uint64_t to, std::uint32_t bytes) {
  check_item(from.offset, bytes);
  check_item(to, bytes);
  const purpose_scope purpose(context(), communication::get);
  if (from.node == node()) {
    copy(from.offset, to, bytes);
    return;
  }
  for_each_piece(from.offset, bytes, [&](std::uint32_t done, std::uint32_t piece) {
    const primitive_transfer what{primitive_kind::get, reduction_operation::sum, piece,
                                  place_of(to + done)};
    command(from.node, place_of(from.offset + done), what.word());
  });
}

void handler_data_parallel::send(const node_data& to, std::uint64_t from, std::uint32_t bytes) {
  check_item(to.offset, bytes);
  check_item(from, bytes);
  const purpose_scope purpose(context(), communication::send);
  if (to.node == node()) {
    copy(from, to.offset, bytes);
    return;
  }
  for_each_piece(from, bytes, [&](std::uint32_t done, std::uint32_t piece) {
    const primitive_transfer what{primitive_kind::send, reduction_operation::sum, piece,
                                  place_of(from + done)};
    command(to.node, place_of(to.offset + done), what.word());
  });
}

void handler_data_parallel::combining_send(const node_data& to, word_t value,
                                           combining_operation operation, std::uint32_t bytes) {
  check_value(bytes);
  check_place(to.offset, bytes);
  const purpose_scope purpose(context(), communication::combining_send);
  const primitive_transfer what{primitive_kind::combine, number_of(operation), bytes,
                                place_of(to.offset)};
  command(node(), primitive_command::operand, value);
  if (to.node == node()) {
    command(node(), primitive_command::combine, what.word());
  } else {
    command(to.node, what.offset, what.word());
  }
}

void handler_data_parallel::broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) {
  check_item(offset, bytes);
  const purpose_scope purpose(context(), communication::broadcast);
  std::uint64_t pieces = 0;
  for_each_piece(offset, bytes, [&](std::uint32_t done, std::uint32_t piece) {
    if (node() == owner) {
      const primitive_transfer what{primitive_kind::send, reduction_operation::sum, piece,
                                    place_of(offset + done)};
      command(node(), primitive_command::broadcast, what.word());
    }
    if (++pieces < primitive_command::most_pieces) return;
    await(primitive_command::arrived(pieces));
    pieces = 0;
  });
  if (pieces != 0) await(primitive_command::arrived(pieces));
}

word_t handler_data_parallel::reduce(word_t value, combining_operation operation,
                                     std::uint32_t bytes) {
  check_value(bytes);
  const purpose_scope purpose(context(), communication::reduce);
  command(node(), primitive_command::operand, value);
  return await(primitive_command::reduce(number_of(operation), bytes));
}

void handler_data_parallel::barrier() {
  const purpose_scope purpose(context(), communication::barrier);
  await(primitive_command::barrier);
}

}  // namespace tributary
