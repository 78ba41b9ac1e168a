// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/message_interface_config.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void message_interface_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add_choice(
      "design", design,
      {{"traditional", interface_design::traditional}, {"language", interface_design::language}},
      "language: reads, writes and acknowledgements are served by the interface "
      "(Klaiber 6.3); traditional: all by the processor (6.2).");
  parameters.add("broadcast", broadcast,
                 "Broadcasts use the network's hardware broadcast, which network.broadcast must "
                 "give.");
  parameters.add("dma", dma,
                 "Bodies of messages go from and to memory without the processor, and the "
                 "interface makes packets of them.");
  parameters.add("sticky_header", sticky_header,
                 "The interface keeps the header and counter of a message for those that follow, "
                 "which begin with their address (6.3).");
  parameters.add("header_template", header_template,
                 "A kept header may leave the node to the address of each message (6.3).");
  parameters.add("packet_bytes", packet_bytes, u32{8, 65536}, "bytes",
                 "Greatest body of a message (Klaiber Figure 5.1: 32).");
  parameters.add("receive_bytes", receive_bytes, u32{0, 1048576}, "bytes",
                 "Receive buffer; 0: 4096 of a traditional interface, 512 of the other (6.4).");
  parameters.add(
      "send_messages", send_messages, u32{1, 64}, "messages",
      "Messages of each channel that wait for the network, of software and of the engine "
      "each (assumed).");
  parameters.add("translations", translations, u32{1, 256}, "entries",
                 "Entries of the TLB, fully associative, filled by software (6.4).");
  parameters.add("page_bytes", page_bytes, u32{64, 1048576}, "bytes", "A page (6.4).");
  parameters.add("counters", counters, u32{1, 16}, "counters",
                 "Remote counters, and as many local ones (6.3: 16 suffice).");
  parameters.add("register_cycles", register_cycles, u32{1, 100000}, "cycles",
                 "An access of the processor to a register (assumed).");
  parameters.add("memory_cycles", memory_cycles, u32{1, 100000}, "cycles",
                 "A word that the interface moves from or to memory (assumed).");
  parameters.add("channels", channels, u32{1, 2}, "channels",
                 "For requests and replies; with one of them replies wait for requests, and may do "
                 "so for ever (6.3), which may_deadlock must allow.");
  parameters.add("may_deadlock", may_deadlock,
                 "Whether one channel is allowed: an experiment that shows why there are two.");
  parameters.add("strict", strict,
                 "A message that the interface cannot serve ends the simulation; if not, it is "
                 "dropped and counted.");
}

void message_interface_config::validate() const {
  check_ranges(*this);
  if (channels == 1 && (!may_deadlock || !has_engines())) {
    throw configuration_error({"channels", "",
                               "one channel with reads: a reply may wait for requests for ever",
                               "2; 1 with may_deadlock = true and design = language",
                               "choose 2, or allow it as an experiment"});
  }
  if (packet_bytes % word_bytes != 0) {
    throw configuration_error({"packet_bytes", "",
                               fmt::format("{} are no whole words", packet_bytes),
                               "a multiple of 8", "round it"});
  }
  if (header_template && !sticky_header) {
    throw configuration_error({"header_template", "", "a template is a header that is kept",
                               "false, as long as sticky_header is false",
                               "set sticky_header, or clear this"});
  }
  if ((page_bytes & (page_bytes - 1)) != 0) {
    throw configuration_error(
        {"page_bytes", "", fmt::format("{}", page_bytes), "a power of two", "round it"});
  }
  // DMA needs all pages of a packet at a time.
  if (dma && has_engines() && std::uint64_t{translations - 1} * page_bytes < packet_bytes) {
    throw configuration_error({"translations", "",
                               fmt::format("{} pages of {} bytes may not hold a packet of {}",
                                           translations, page_bytes, packet_bytes),
                               "with dma, (translations - 1) x page_bytes of packet_bytes at least",
                               "raise it"});
  }
  if (buffer_bytes() < most_packet()) {
    throw configuration_error(
        {"receive_bytes", "", fmt::format("{} hold no packet", buffer_bytes()),
         fmt::format("at least packet_bytes + 24 = {}", most_packet()), "raise it"});
  }
}

}  // namespace tributary
