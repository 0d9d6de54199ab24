// A Service and the pods that it means.
#pragma once

#include <string>

#include "messages/conditions.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads::testing {

inline k8s::Service service(const std::string& target_port = "8080") {
  k8s::Service made;
  made.mutable_metadata()->set_namespace_("default");
  made.mutable_metadata()->set_name("web");
  made.mutable_metadata()->set_uid("uid-service");
  set_label(*made.mutable_spec()->mutable_selector(), "app", "web");
  k8s::ServicePort& port = *made.mutable_spec()->add_ports();
  port.set_name("http");
  port.set_port(80);
  port.set_protocol("TCP");
  port.set_target_port(target_port);
  return made;
}

inline troupe::testing::PodBuilder pod_of_service(const std::string& name, bool ready = true) {
  troupe::testing::PodBuilder pod(name);
  pod.label("app", "web").on("n1");
  pod.raw().mutable_status()->set_pod_ip("node/n1/pod/" + name);
  set_condition(*pod.raw().mutable_status()->mutable_conditions(),
                {"Ready", ready ? "True" : "False"}, at(0s));
  return pod;
}

}  // namespace troupe::workloads::testing
