// SPDX-License-Identifier: Apache-2.0
// The RTL in the order of compilation, relative to this folder (-F).
tributary_pkg.sv
apply_unit.sv
compose_unit.sv
combining_queue.sv
systolic_queue.sv
wait_buffer.sv
reverse_queue.sv
combining_switch.sv
omega_network.sv
fetch_op_unit.sv
message_interface_pkg.sv
message_interface_receive.sv
