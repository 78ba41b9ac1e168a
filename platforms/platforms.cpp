// SPDX-License-Identifier: Apache-2.0
#include "platforms.h"

#include <algorithm>
#include <memory>

#include <tributary/sim/error.h>

#include <cluster/cluster_model.h>
#include <data_parallel/data_parallel_model.h>
#include <flash/flash_model.h>
#include <reflective/reflective_model.h>
#include <smp/smp_model.h>
#include <ultracomputer/ultracomputer_model.h>

namespace tributary {
namespace {

struct platform {
  const char* name;
  std::unique_ptr<platform_model> (*make)();
};

template <class Model>
std::unique_ptr<platform_model> make() {
  return std::make_unique<Model>();
}

/// One line a platform; the first is the usual one.
constexpr platform platforms[] = {
    {ultracomputer_model::name, make<ultracomputer_model>},
    {flash_model::name, make<flash_model>},
    {smp_model::name, make<smp_model>},
    {data_parallel_model::name, make<data_parallel_model>},
    {cluster_model::name, make<cluster_model>},
    {reflective_model::name, make<reflective_model>},
};

}  // namespace

const std::vector<std::string>& platform_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const platform& each : platforms) list.emplace_back(each.name);
    return list;
  }();
  return names;
}

bool is_platform(const std::string& name) {
  const std::vector<std::string>& names = platform_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

machine_choice machine_of(const std::string& name) {
  for (const platform& each : platforms) {
    if (name == each.name) return machine_choice(each.make());
  }
  throw error("there is no platform \"" + name + "\"");
}

}  // namespace tributary
