// SPDX-License-Identifier: Apache-2.0
// Uncached loads and stores of the processor, to the memory of its own node and of others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>

namespace tributary {

class parameter_set;

/// Occupancy of the handlers, none of which is published.
struct uncached_costs {
  std::uint64_t load = 11;
  std::uint64_t store = 8;
  std::uint64_t forward = 3;
  std::uint64_t reply = 2;
  std::uint64_t again = 10;
  void bind(parameter_set& parameters);
};

/// Doublewords in the normal space. An access to a remote node goes to its home as a request and
/// comes back as a reply. Stores are posted: their acknowledgements are only counted. Accesses of
/// one processor to one home happen in its order, loads that find no buffer there excepted: those
/// are tried again, and later stores may come before them.
class uncached_protocol final : public fiber_protocol {
 public:
  enum class message_type : std::uint8_t {
    load_request = 16,
    load_reply,
    load_refused,
    store_request,
    store_done
  };

  explicit uncached_protocol(const uncached_costs& costs) : costs_(costs) {}

  std::string name() const override { return "uncached"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// Stores to other nodes that have not been acknowledged.
  word_t stores_under_way(const word_memory& memory) const;

 private:
  enum class place : std::uint16_t;

  void load(handler_context& context);
  void load_again(handler_context& context);
  void remote_load(handler_context& context);
  void remote_load_again(handler_context& context);
  void home_load(handler_context& context);
  void load_reply(handler_context& context);
  void load_refused(handler_context& context);
  void store(handler_context& context);
  void remote_store(handler_context& context);
  void home_store(handler_context& context);
  void store_done(handler_context& context);

  void count_stores(handler_context& context, word_t more) const;
  void defer(handler_context& context, std::uint64_t tag, place run) const;
  bool get_line(handler_context& context, payload_handle& line) const;

  uncached_costs costs_;
  protocol_storage storage_;
};

}  // namespace tributary
