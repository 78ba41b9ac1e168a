// SPDX-License-Identifier: Apache-2.0
// elaboration_probe N: elaborates a network of N ports on both sides, every socket bound, and
// prints the CPU seconds that it took and the megabytes that the process had at most (goal G9).
#include <cstdio>
#include <cstdlib>

#include <tributary/systemc/combining_network.h>

#include "process_cost.h"

namespace {

using tributary::benchmarks::cpu_seconds;
using tributary::benchmarks::peak_megabytes;

/// Somebody at every socket who does nothing.
class surroundings : public sc_core::sc_module,
                     private tlm::tlm_fw_transport_if<>,
                     private tlm::tlm_bw_transport_if<> {
 public:
  surroundings(const sc_core::sc_module_name& name, tributary::combining_network& network)
      : sc_module(name),
        initiators_("initiators", network.target_sockets.size()),
        targets_("targets", network.initiator_sockets.size()) {
    for (std::size_t i = 0; i < initiators_.size(); ++i) {
      initiators_[i].bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
      initiators_[i].bind(network.target_sockets[i]);
      targets_[i].bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
      network.initiator_sockets[i].bind(targets_[i]);
    }
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  sc_core::sc_vector<tlm::tlm_initiator_socket<>> initiators_;
  sc_core::sc_vector<tlm::tlm_target_socket<>> targets_;
};

void elaborate(std::uint32_t elements) {
  // What is printed is read by a program.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  const double begin = cpu_seconds();
  tributary::combining_network_config config;
  config.network.processing_elements = elements;
  sc_core::sc_clock clock("clock", sc_core::sc_time(1, sc_core::SC_NS));
  tributary::combining_network network("network", config);
  network.clock(clock);
  surroundings all("surroundings", network);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::printf("%.6f %.3f\n", cpu_seconds() - begin, peak_megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: elaboration_probe N\n", stderr);
    return 2;
  }
  elaborate(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)));
  return 0;
}
