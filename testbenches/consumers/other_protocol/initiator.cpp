// SPDX-License-Identifier: Apache-2.0
#include "types.h"

void bind(tlm::tlm_initiator_socket<64, PROTOCOL>& cpu, tributary::combining_network& network) {
  cpu.bind(network.target_sockets[0]);
}

int sc_main(int, char**) { return 0; }
