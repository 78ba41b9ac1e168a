// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/block_transfer/block_transfer_config.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
void block_transfer_config::bind(parameter_set& parameters) {
  parameters.add("chunk", chunk, {0, 6}, "lines",
                 "Lines that an invocation of the transfer handler sends at most; 0 is the handler "
                 "without chunking, which sends one (FLASH 5.2.3; published with 4).");
  parameters.add("page_bytes", page_bytes, {512, 8192}, "bytes",
                 "Page of the machine, a power of two; one of more lines than the 64 that a vector "
                 "marks goes in portions (FLASH 5.2.2; published with 4096).");
  parameters.add_choice(
      "dirty_elsewhere", dirty_elsewhere,
      {{"forward", remote_lines::forward}, {"collect", remote_lines::collect}},
      "How a line comes that another node's caches have dirty: its owner sends it to the "
      "destination (forward), or home, which sends it on (collect; FLASH 5.3.1).");
  parameters.add("state_records", state_records, {2, most_records}, "records",
                 "Transfers that a node runs at once as initiator or home of the source; one stays "
                 "free for requests of other nodes (not published).");
  parameters.add("receive_records", receive_records, {1, most_records}, "records",
                 "Pages that a node receives at once (not published).");
}

void block_transfer_config::validate() const {
  check_ranges(*this);
  if ((page_bytes & (page_bytes - 1)) != 0) {
    throw configuration_error(configuration_problem{
        "block_transfer.page_bytes", "", std::to_string(page_bytes) + " is not a power of two",
        "512, 1024, 2048, 4096 or 8192 bytes", "choose one of these"});
  }
}

void block_transfer_costs::transfer_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("base", base,
      "An invocation before its first line: full coherence 72, local coherence 55 (fits of FLASH "
      "Figures 5.16 and 5.9).");
  add("line", line, "Each line: 28 (FLASH Figure 5.9).");
  add("last", last,
      "More in the invocation that ends a page: 12 with full coherence (FLASH Figure 5.16: 8 x 184 "
      "+ 12), 0 with local coherence.");
  add("unchunked", unchunked, "The handler without chunking: 65 (FLASH Figure 5.8).");
  add("stalled", stalled, "An invocation that finds no buffer or no space (not published).");
  add("dirty", dirty,
      "More for each line that the source's processor has dirty: full coherence 15 (FLASH Figure "
      "5.19: 61 - 46), local coherence 18 (fit of Figure 5.9).");
  add("unchunked_dirty", unchunked_dirty, "The same without chunking: 34 (FLASH Figure 5.8).");
  add("forward", forward,
      "More for each line that its owner is asked for: 10 (FLASH Figure 5.17: 224 / 4 - 46).");
}

void block_transfer_costs::realigned_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("base", base, "An invocation of the transfer phase before its first line (fit of 5.11).");
  add("line", line, "Each line of the transfer phase (fit of FLASH Figure 5.11).");
  add("collect", collect, "Each clean line of the collect phase (not published; fit of 5.11).");
  add("collect_dirty", collect_dirty, "More for a dirty one: 44 (FLASH Figure 5.11).");
}

void block_transfer_costs::source_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("retry_dirty", retry_dirty, "More for a dirty line sent again: 32 (FLASH 5.2.3: 96).");
  add("forward", forward, "A dirty owner that sends a line on: 62 (FLASH 5.4.3).");
  add("fetch", fetch, "One that sends it home only (not published, unverified: 38).");
  add("fetched", fetched,
      "Sending on a line that was sent home (not published; 64, as a line sent again).");
  add("line_back", line_back,
      "A line that was sent on, for memory: 24 (FLASH Figure 5.19, by subtraction).");
}

void block_transfer_costs::destination_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("shared", shared, "A line that the processor there shares: 43 (FLASH Figure 5.19).");
  add("dirty", dirty, "One that it has dirty: 64 (FLASH Figure 5.19).");
  add("owned", owned, "One that another node has dirty: 46 (FLASH Figure 5.19).");
  add("one_sharer", one_sharer, "One that another node shares: 51 (FLASH Figure 5.19).");
  add("two_sharers", two_sharers, "One that two others share: 95 (FLASH Figure 5.19).");
  add("further_sharer", further_sharer, "Each sharer more: 15 (FLASH Figure 5.19: 110 - 95).");
  add("drop", drop, "Taking a line from a processor's caches (not published).");
  add("invalidated", invalidated, "A sharer that has acknowledged: 22 (FLASH 5.4.3).");
  add("disowned", disowned, "An owner that has acknowledged: 26 (FLASH Figure 5.19).");
}

void block_transfer_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("argument", argument,
      "Logging an argument or an address; with four of them 131 cycles pass until the set-up "
      "begins (fitted to FLASH Table 5.1).");
  add("context_switch", context_switch, "Forgetting a sequence (not published).");
  add("setup", setup, "Set-up and verification: 233 (FLASH Table 5.1).");
  add("refusal", refusal, "Verification that refuses the request (not published).");
  add("announce", announce, "Sending the envelope of a further page (not published).");
  add("envelope", envelope,
      "Taking a receive record: with the reply 102 cycles for the exchange (FLASH Table 5.1).");
  add("envelope_reply", envelope_reply, "The reply to an envelope (see envelope).");
  parameters.add_group("transfer", transfer, "Transfer of lines that are aligned alike.");
  parameters.add_group("realigned", realigned, "Transfer of lines that are not aligned alike.");
  parameters.add_group("source", source, "Lines of the source that caches have.");
  parameters.add_group("destination", destination, "Lines of the destination that caches have.");
  add("retry", retry, "One line sent again: 64 (FLASH 5.2.3).");
  add("receive", receive, "One line received into uncached memory: 30 (FLASH Figure 5.19).");
  add("receive_cleanup", receive_cleanup, "More for a page's last line: 16 (FLASH Table 5.1).");
  add("nak", nak, "A line refused, and its refusal (not published).");
  add("acknowledged", acknowledged, "A page that has arrived (not published).");
  add("flag_update", flag_update,
      "Clean-up and flag without the ownership of its line: 43 of 159 (FLASH Table 5.1, 4.4.2).");
  add("delegate", delegate, "Sending a request to a remote home (not published).");
  add("delegated", delegated,
      "Taking the request of another node: about 250 cycles for all that a remote home costs "
      "(FLASH 5.3.2).");
  add("completion", completion, "Telling the initiator, and being told (not published).");
  add("confirm", confirm,
      "Asking a flag's home whether its write-back has come, and each answer (not published).");
}

}  // namespace tributary
