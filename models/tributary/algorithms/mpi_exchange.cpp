// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mpi_exchange.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint32_t sender = 0;
constexpr std::uint32_t receiver = 1;

// Words of the two elements' parts of the region "local". What each of them polls is in its own
// part, and no two of these share a line.
constexpr std::uint64_t flag_word = 0;       // the sender's, of its block transfers
constexpr std::uint64_t given_back = 64;     // the sender's: messages that were taken
constexpr std::uint64_t sent = 0;            // the receiver's: messages that are in the buffer
constexpr std::uint64_t begun = sent + 1;    // the receiver's: when the last one began
constexpr std::uint64_t first_buffer = 512;  // of both
constexpr std::uint64_t buffer_grain = 512;  // words; pages of 4 KB

class mpi_exchange_program final : public program {
 public:
  mpi_exchange_program(const mpi_exchange_config& config, const std::optional<copying_nodes>& nodes)
      : config_(config), nodes_(nodes) {}

  static std::uint64_t second_buffer(const mpi_exchange_config& config) {
    const std::uint64_t words = config.message_bytes / word_bytes;
    return first_buffer + (words + buffer_grain - 1) / buffer_grain * buffer_grain;
  }

  void run(program_context& context) override {
    if (context.rank() == sender) send_all(context);
    if (context.rank() == receiver) receive_all(context);
  }

 private:
  bool uses(copy_method method) const {
    return config_.method == method && config_.message_bytes >= config_.block_bytes;
  }
  static word_t word_of(std::uint64_t message, std::uint64_t at) { return message << 32 | at; }

  void send_all(program_context& context) {
    const std::uint64_t own = context.local_address(pe_id{sender}, first_buffer);
    const std::uint64_t shared = context.local_address(pe_id{receiver}, first_buffer);
    for (std::uint64_t message = 1; message <= config_.messages; ++message) {
      context.spin(context.local_address(pe_id{sender}, given_back),
                   [=](word_t seen) { return seen + 1 == message; });
      for (std::uint64_t at = 0; at < config_.message_bytes; at += word_bytes) {
        context.store(own + at, word_of(message, at));
      }
      const cycle_t start = context.now();
      if (uses(copy_method::fbcopy)) {
        transfer(context, own, shared, message);
      } else {
        copy_block(context, own, shared);
      }
      // What tells of the message must not come before it.
      context.fence();
      context.store(context.local_address(pe_id{receiver}, begun), start);
      context.store(context.local_address(pe_id{receiver}, sent), message);
    }
  }

  void receive_all(program_context& context) {
    const std::uint64_t shared = context.local_address(pe_id{receiver}, first_buffer);
    const std::uint64_t own = context.local_address(pe_id{receiver}, second_buffer(config_));
    for (std::uint64_t message = 1; message <= config_.messages; ++message) {
      context.spin(context.local_address(pe_id{receiver}, sent),
                   [=](word_t seen) { return seen == message; });
      const cycle_t start = context.load(context.local_address(pe_id{receiver}, begun));
      copy_block(context, shared, own);
      context.sample("message", context.now() - start);
      compare(context, own, message);
      context.fence();
      context.store(context.local_address(pe_id{sender}, given_back), message);
    }
  }

  void copy_block(program_context& context, std::uint64_t from, std::uint64_t to) const {
    if (uses(copy_method::prefetched_bcopy)) {
      prefetched_bcopy(context, config_.loop, nodes_->line, from, to, config_.message_bytes);
    } else {
      bcopy(context, config_.loop, from, to, config_.message_bytes);
    }
  }

  void transfer(program_context& context, std::uint64_t from, std::uint64_t to,
                std::uint64_t message) const {
    program_port port(context);
    const std::uint64_t flag = context.local_address(pe_id{sender}, flag_word);
    const fbcopy_mapping mapping =
        physical_mapping(nodes_->addresses, node_id{sender}, nodes_->page_bytes, nodes_->line);
    const fbcopy_outcome outcome = fbcopy(port, mapping, from, to, config_.message_bytes, flag);
    if (outcome.result != block_transfer_result::accepted &&
        outcome.copied_by_processor != config_.message_bytes) {
      throw simulation_error(
          fmt::format("the block transfer of message {} was refused with result {}", message,
                      static_cast<word_t>(outcome.result)));
    }
    fbcopy_wait(port, flag, message);
  }

  void compare(program_context& context, std::uint64_t own, std::uint64_t message) const {
    for (std::uint64_t at = 0; at < config_.message_bytes; at += word_bytes) {
      const word_t seen = context.load(own + at);
      if (seen == word_of(message, at)) continue;
      throw simulation_error(
          fmt::format("message {} has the word {:#x} at byte {} instead of {:#x}", message, seen,
                      at, word_of(message, at)));
    }
  }

  mpi_exchange_config config_;
  std::optional<copying_nodes> nodes_;
};

}  // namespace

void mpi_exchange_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add_choice("method", method, copy_methods(),
                        "Who copies: the processor, without or with prefetches, or its node's "
                        "controller.");
  parameters.add("message_bytes", message_bytes, u64{8, std::uint64_t{1} << 24}, "bytes",
                 "Length of a message, a multiple of 8.");
  parameters.add("block_bytes", block_bytes, u64{0, std::uint64_t{1} << 24}, "bytes",
                 "Shorter messages are copied by loads and stores, whatever the method (FLASH "
                 "5.5.2: 2 KB).");
  parameters.add("messages", messages, u64{1, 1000000}, "", "Messages, one after the other.");
  parameters.add_group("loop", loop, "The loop of a processor's copy.");
}

std::unique_ptr<program> make_mpi_exchange_program(const mpi_exchange_config& config,
                                                   const address_map& map,
                                                   const std::optional<copying_nodes>& nodes) {
  const auto refuse = [](const char* key, const std::string& problem, const std::string& allowed,
                         const char* advice) {
    throw configuration_error(
        {std::string("workload.program.mpi_exchange.") + key, "", problem, allowed, advice});
  };
  if (config.method != copy_method::bcopy && !nodes) {
    refuse("method", "the processors of this machine have no caches", "bcopy",
           "choose it, or set node.processor_caches.present on FLASH");
  }
  if (config.message_bytes % word_bytes != 0) {
    refuse("message_bytes", std::to_string(config.message_bytes) + " bytes are no doublewords",
           "multiples of 8", "choose one");
  }
  const address_region* const local = map.region_named("local");
  const std::uint64_t needed = 2 * mpi_exchange_program::second_buffer(config) - first_buffer;
  const std::uint64_t there = local == nullptr ? 0 : map.rows(*local);
  if (map.modules() < 2 || there < needed) {
    refuse(
        "message_bytes",
        fmt::format("messages of {} bytes need {} words in the region \"local\" of two elements, "
                    "and each of {} has {}",
                    config.message_bytes, needed, map.modules(), there),
        "shorter messages", "shorten them, or enlarge the memories");
  }
  return std::make_unique<mpi_exchange_program>(config, nodes);
}

}  // namespace tributary
