// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/magic_node_of_modules.h>

#include <utility>

#include <tributary/systemc/make_or_report.h>
#include <tributary/systemc/memory_controller_module.h>
#include <tributary/systemc/messages.h>

namespace tributary {

magic_node_of_modules::magic_node_of_modules(const sc_core::sc_module_name& name,
                                             const magic_node_config& config,
                                             const magic_node_place& place,
                                             std::vector<std::unique_ptr<protocol>> protocols,
                                             const memory_block_maker& memory)
    : magic_node_edges(name, place),
      config_(make_or_report(*this, messages::configuration,
                             [&] {
                               config.validate(place.nodes);
                               return config;
                             })),
      protocols_(make_or_report(*this, messages::configuration,
                                [&] {
                                  return std::make_unique<protocol_set>(
                                      config_.site(place.here, place.nodes), std::move(protocols));
                                })),
      executor_(
          std::make_unique<fiber_executor>(place.here, config_.addresses, protocols_->handlers())) {
  const node_id here = place.here;
  memory_ = memory ? memory("memory", config_.memory, here)
                   : std::make_unique<memory_controller_module>("memory", config_.memory, here);
  buffers_ = std::make_unique<data_buffers_module>("data_buffers", config_.buffers, here);
  network_interface_ = std::make_unique<magic_network_interface_module>(
      "network_interface", config_.network_interface, here, this->messages());
  processor_interface_ = std::make_unique<processor_interface_module>(
      "processor_interface", config_.processor_interface, config_.addresses, here, place.nodes);
  in_ = std::make_unique<inbox_module>("inbox", config_.in, config_.jump_table, protocols_->rules(),
                                       config_.addresses, here);
  out_ = std::make_unique<outbox_module>("outbox", config_.out);
  deferred_ = std::make_unique<software_queue_module>("software_queue", config_.memory.bytes,
                                                      config_.software_queue_anchor(), here);
  timed_ = std::make_unique<idle_handler_module>("idle_handler", config_.timed);
  protocol_processor_ =
      std::make_unique<protocol_processor_module>("protocol_processor", config_.protocol_processor,
                                                  here, config_.addresses, *protocols_, *executor_);
  bind();
  make_cores();
  protocols_->initialize(this->memory());
}

magic_node_of_modules::~magic_node_of_modules() = default;

void magic_node_of_modules::bind() {
  memory_->time(time_);

  buffers_->time(time_);

  network_interface_->time(time_);
  network_interface_->buffers(buffers_->buffers);
  network_interface_->network(link_);
  network_interface_->in(in_->look);

  processor_interface_->time(time_);
  processor_interface_->buffers(buffers_->buffers);
  processor_interface_->in(in_->look);

  in_->time(time_);
  in_->buffers(buffers_->buffers);
  in_->outgoing(network_interface_->space);
  in_->processor(processor_interface_->source);
  in_->request_lane(network_interface_->request_lane);
  in_->reply_lane(network_interface_->reply_lane);
  in_->third_lane(network_interface_->third_lane);
  in_->fourth_lane(network_interface_->fourth_lane);
  in_->deferred(deferred_->source);
  in_->timed(timed_->source);

  out_->network(network_interface_->outgoing);
  out_->processor(processor_interface_->answers);

  deferred_->memory(memory_->lines);

  timed_->time(time_);

  protocol_processor_->time(time_);
  protocol_processor_->in(in_->in);
  protocol_processor_->out(out_->out);
  protocol_processor_->outgoing(network_interface_->space);
  protocol_processor_->buffers(buffers_->buffers);
  protocol_processor_->memory(memory_->lines);
  protocol_processor_->deferred(deferred_->deferred);
  protocol_processor_->timed(timed_->timed);
}

// In the order of magic_node: who waits for buffers is told in the order in which it was made. And
// now, so that a node may be given work before the simulation begins.
void magic_node_of_modules::make_cores() {
  buffers_->join();
  network_interface_->core();
  processor_interface_->core();
  in_->core();
  network_interface_->join();
  processor_interface_->join();
  deferred_->join();
  timed_->join();
  out_->join();
  in_->join();
  protocol_processor_->join();
}

bool magic_node_of_modules::inner_idle() const {
  return protocol_processor_->core().idle() && network_interface_->core().idle() &&
         processor_interface_->core().idle() && deferred_->core().size() == 0 &&
         timed_->core().size() == 0 && memory_->idle();
}

void magic_node_of_modules::set_observer(observer<node_event>* who) {
  buffers_->core().set_observer(who);
  network_interface_->core().set_observer(who);
  processor_interface_->core().set_observer(who);
  in_->core().set_observer(who);
  protocol_processor_->core().set_observer(who);
}

void magic_node_of_modules::reset_inner_statistics() {
  memory_->reset_statistics();
  buffers_->core().reset_statistics();
  network_interface_->core().reset_statistics();
  processor_interface_->core().reset_statistics();
  in_->core().reset_statistics();
  out_->core().reset_statistics();
  deferred_->core().reset_statistics();
  timed_->core().reset_statistics();
  protocol_processor_->core().reset_statistics();
}

void magic_node_of_modules::report_inner(statistics_group& into, std::uint64_t cycles) const {
  protocol_processor_->core().report(into.group("protocol_processor"), cycles);
  in_->core().report(into.group("inbox"), cycles);
  deferred_->core().report(into.group("software_queue"), cycles);
  timed_->core().report(into.group("idle_handler"), cycles);
  buffers_->core().report(into.group("data_buffers"), cycles);
  out_->core().report(into.group("outbox"), cycles);
  network_interface_->core().report(into.group("network_interface"), cycles);
  processor_interface_->core().report(into.group("processor_interface"), cycles);
  memory_->report(into.group("memory"));
}

}  // namespace tributary
