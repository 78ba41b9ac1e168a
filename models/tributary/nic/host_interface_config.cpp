// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/host_interface_config.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void dma_cost::bind(parameter_set& parameters) {
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("startup", startup, u64{0, 1000000000}, "cycles", "Of each transfer.");
  parameters.add("byte", byte, u64{0, 1000000}, "cycles", "Of each byte.");
}

void host_interface_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("packet_bytes", packet_bytes, u32{8, 65536}, "bytes",
                 "Of a staging buffer, and of the longest packet; whole doublewords.");
  parameters.add("staging", staging, u32{2, 4096}, "buffers", "Staging buffers.");
  parameters.add("memory_bytes", memory_bytes, u64{4096, std::uint64_t{1} << 24}, "bytes",
                 "Memory of the interface, which its firmware and the host see.");
  parameters.add("processors", processors, u32{1, 2}, "processors",
                 "2: the loops that send and receive run beside each other; 1: in turn.");
  parameters.add("write_cycles", write_cycles, u64{1, 1000000000}, "cycles",
                 "Of a write of 4 bytes by the host.");
  parameters.add("read_cycles", read_cycles, u64{1, 1000000000}, "cycles",
                 "Of a read of 4 bytes by the host.");
  parameters.add_choice(
      "doorbells", doorbells,
      {{"per_queue", doorbell_kind::per_queue}, {"central", doorbell_kind::central}},
      "per_queue: each queue has a page, and the firmware looks at all active ones in turn; "
      "central: the kernel writes into one queue.");
  parameters.add("queues", queues, u32{1, 1024}, "queues", "Queues that have a doorbell.");
  parameters.add("posts", posts, u32{1, 4096}, "posts",
                 "That a doorbell holds; the write of one more waits.");
  parameters.add("scan_cycles", scan_cycles, u64{0, 1000000000}, "cycles",
                 "Of a look of the firmware at one doorbell, or at the central queue.");
  parameters.add("transmit_byte", transmit_byte, u64{0, 1000000}, "cycles",
                 "Of each byte from a staging buffer to the link.");
  parameters.add_group("to_host", to_host, "DMA from the interface to memory.");
  parameters.add_group("from_host", from_host, "DMA from memory to the interface.");
}

void host_interface_config::validate() const {
  check_ranges(*this);
  if (packet_bytes < header_bytes) {
    throw configuration_error({"interface.packet_bytes", "",
                               std::to_string(packet_bytes) + " bytes are below the header",
                               std::to_string(header_bytes) + " or more", "raise it"});
  }
  if (packet_bytes % 8 != 0) {
    throw configuration_error({"interface.packet_bytes", "",
                               std::to_string(packet_bytes) + " bytes are no whole doublewords",
                               "a multiple of 8", "round it"});
  }
  const std::uint64_t least = (std::uint64_t{queues} + 1) * 4096;
  if (memory_bytes % 8 != 0 || memory_bytes < least) {
    throw configuration_error(
        {"interface.memory_bytes", "",
         std::to_string(memory_bytes) + " bytes do not hold a page for each queue and the firmware",
         "a multiple of 8, at least " + std::to_string(least), "raise it"});
  }
}

}  // namespace tributary
