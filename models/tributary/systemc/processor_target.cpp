// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/processor_target.h>

#include <algorithm>
#include <cstring>

#include <tributary/sim/error.h>
#include <tributary/systemc/magic_node_module.h>

namespace tributary {

processor_target::processor_target(magic_node_module& owner)
    : word_target(owner, owner.core_->processor(), owner.core_->clockwork()), owner_(owner) {}

processor_target::~processor_target() = default;

const char* processor_target::socket_name() const { return owner_.processor.name(); }

tlm::tlm_response_status processor_target::check_place(const access& asked) const {
  try {
    static_cast<void>(owner_.core_->processor().translate(asked));
  } catch (const simulation_error&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

unsigned processor_target::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return 0;
  if (!has_debug_data(socket_name(), payload)) return 0;
  const address_layout& layout = owner_.core_->config().addresses;
  word_memory& memory = owner_.core_->memory();
  unsigned char* const data = payload.get_data_ptr();
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    const std::uint64_t address = payload.get_address() + done;
    const std::uint64_t in_word = address % word_bytes;
    access asked;
    asked.address = address - in_word;
    message where;
    try {
      where = owner_.core_->processor().translate(asked);
    } catch (const simulation_error&) {
      break;
    }
    const std::uint64_t offset = layout.offset_of(where.address);
    if (layout.space_of(where.address) != 0 ||
        layout.node_of(where.address) != owner_.place().here ||
        offset >= owner_.core_->config().memory.bytes) {
      break;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(word_bytes - in_word, payload.get_data_length() - done));
    word_t word = memory.read(offset);
    auto* const bytes = reinterpret_cast<unsigned char*>(&word) + in_word;
    if (payload.is_read()) {
      std::memcpy(data + done, bytes, count);
    } else {
      std::memcpy(bytes, data + done, count);
      memory.write(offset, word);
    }
    done += count;
  }
  return done;
}

}  // namespace tributary
