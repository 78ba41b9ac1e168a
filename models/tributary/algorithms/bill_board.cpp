// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/bill_board.h>

#include <fmt/format.h>

#include <tributary/nic/reflective_ring.h>
#include <tributary/sim/error.h>

namespace tributary {

std::uint64_t bill_board_layout::message_flag(std::uint32_t source, std::uint32_t destination,
                                              std::uint32_t buffer) const {
  const std::uint64_t partition = std::uint64_t{2} * nodes * buffers * destination;
  return reflected_address(first + partition + std::uint64_t{source} * buffers + buffer);
}

std::uint64_t bill_board_layout::acknowledgement_flag(std::uint32_t source,
                                                      std::uint32_t destination,
                                                      std::uint32_t buffer) const {
  const std::uint64_t partition = std::uint64_t{2} * nodes * buffers * source;
  return reflected_address(first + partition + (std::uint64_t{nodes} + destination) * buffers +
                           buffer);
}

std::uint64_t bill_board_layout::message(std::uint32_t source, std::uint32_t buffer,
                                         std::uint64_t word) const {
  return reflected_address(first + flags() + (std::uint64_t{source} * buffers + buffer) * words +
                           word);
}

bill_board::bill_board(program_context& context, const bill_board_layout& layout)
    : context_(context), layout_(layout), readers_(layout.buffers) {
  const std::size_t flags = std::size_t{layout.nodes} * layout.buffers;
  for (std::vector<word_t>* each : {&notified_, &seen_, &acknowledged_, &awaited_}) {
    each->resize(flags);
  }
}

void bill_board::check(const words& data) const {
  if (data.size() <= layout_.words) return;
  throw simulation_error(
      fmt::format("node {} writes a message of {} words, and a buffer of the bill board has {}; "
                  "choose longer buffers",
                  context_.rank(), data.size(), layout_.words));
}

void bill_board::multicast(const ranks& destinations, const words& data) {
  const std::uint32_t buffer = next_;
  next_ = (next_ + 1) % layout_.buffers;
  write(buffer, data, destinations);
  for (const std::uint32_t each : destinations) notify(each, buffer);
}

bill_board::words bill_board::receive(std::uint32_t source, std::uint64_t size) {
  for (std::uint32_t buffer = 0;; buffer = (buffer + 1) % layout_.buffers) {
    const word_t flag = context_.load(layout_.message_flag(source, context_.rank(), buffer));
    word_t& seen = seen_[place(source, buffer)];
    if (flag == seen) continue;
    seen = flag;
    words data = read(source, buffer, size);
    acknowledge(source, buffer);
    return data;
  }
}

void bill_board::reclaim(std::uint32_t buffer) {
  for (const std::uint32_t each : readers_[buffer]) {
    const word_t awaited = awaited_[place(each, buffer)];
    context_.spin(layout_.acknowledgement_flag(context_.rank(), each, buffer),
                  [awaited](word_t flag) { return flag == awaited; });
  }
  readers_[buffer].clear();
}

void bill_board::write(std::uint32_t buffer, const words& data, const ranks& readers) {
  check(data);
  reclaim(buffer);
  readers_[buffer] = readers;
  for (const std::uint32_t each : readers) awaited_[place(each, buffer)] ^= 1;
  for (std::size_t i = 0; i < data.size(); ++i) {
    context_.store(layout_.message(context_.rank(), buffer, i), data[i]);
  }
}

void bill_board::notify(std::uint32_t destination, std::uint32_t buffer) {
  word_t& flag = notified_[place(destination, buffer)];
  flag ^= 1;
  context_.store(layout_.message_flag(context_.rank(), destination, buffer), flag);
}

void bill_board::await(std::uint32_t source, std::uint32_t buffer) {
  word_t& seen = seen_[place(source, buffer)];
  seen ^= 1;
  const word_t awaited = seen;
  context_.spin(layout_.message_flag(source, context_.rank(), buffer),
                [awaited](word_t flag) { return flag == awaited; });
}

bill_board::words bill_board::read(std::uint32_t source, std::uint32_t buffer, std::uint64_t size) {
  words data;
  for (std::uint64_t i = 0; i < size; ++i) {
    data.push_back(context_.load(layout_.message(source, buffer, i)));
  }
  return data;
}

void bill_board::acknowledge(std::uint32_t source, std::uint32_t buffer) {
  word_t& flag = acknowledged_[place(source, buffer)];
  flag ^= 1;
  context_.store(layout_.acknowledgement_flag(source, context_.rank(), buffer), flag);
}

}  // namespace tributary
