// The cloud provider: `cloud/0`.
//
// Launches an instance as one fleet call does, boots its node's host, terminates and describes
// instances, and takes spot instances back after a notice. An instance exists, and costs money,
// from the end of its launch to the end of its termination. Not modelled: quotas of the account,
// request throttling. Faults may disturb launches (launch_faults.h).
//
// Its instances outlive a crash of its host, as the world outside does; calls under way are lost.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/actor.h"
#include "actors/cloud/launch_faults.h"
#include "actors/cloud/offerings.h"
#include "actors/context.h"
#include "actors/random.h"
#include "messages/runtime.pb.h"

namespace troupe::cloud {

class CloudProviderActor final : public Actor {
 public:
  /// EC2: a spot instance is told two minutes before it is interrupted.
  static constexpr Duration kSpotNotice = std::chrono::minutes(2);

  /// `attachments` go to every node that it boots: the ServingWorkloads of the run.
  CloudProviderActor(std::shared_ptr<const hosts::CloudConfig> config,
                     std::vector<Payload> attachments);

  void receive(Context& context, const Delivery& delivery) override;

 private:
  struct Caller {
    Address address;
    std::uint64_t request_id = 0;
  };
  struct Record {
    Instance instance;
    std::size_t pool = 0;
    LaunchInstance call;
    std::vector<Caller> callers;  ///< of the launch, until it is over
    std::vector<OfferingError> errors;
    LaunchFate fate;
    bool launched = false;
    bool interrupted = false;
    SimTime reclaimed{};  ///< of an interrupted one: when it is taken back
  };
  struct Refusal {
    Caller caller;
    LaunchInstanceReply reply;
  };

  void keep(Context& context, const Record& record) const;
  void restore(Context& context, const runtime::Restored& restored);
  void restore(Context& context, const KeptInstance& kept);
  void launch(Context& context, const LaunchInstance& call, const Address& sender);
  void begin(Context& context, const LaunchInstance& call, const Offerings::Choice& choice,
             const Caller& caller);
  void refuse(Context& context, const Offerings::Choice& choice, const Caller& caller);
  void launched(Context& context, Record& record);
  void boot(Context& context, const Record& record);
  void answer_launch(Context& context, const Record& record, const Caller& caller) const;
  void terminate(Context& context, const TerminateInstance& call, const Address& sender);
  void describe(Context& context, const DescribeInstances& call, const Address& sender) const;
  void interrupt(Context& context, const InterruptInstance& what, Duration notice);
  [[nodiscard]] Duration usual_notice() const;
  void gone(Context& context, const std::string& id, const std::string& reason);
  void on_timer(Context& context, const InstanceTimer& timer);

  [[nodiscard]] std::vector<OfferingError> report_dry(Context& context,
                                                      const std::vector<std::size_t>& pools) const;
  [[nodiscard]] std::string free_name(const std::string& wanted) const;
  [[nodiscard]] Duration launch_time(Context& context);

  std::shared_ptr<const hosts::CloudConfig> config_;
  std::vector<Payload> attachments_;
  Offerings offerings_;
  LaunchFaults faults_;
  RandomStream launch_times_{"launch"};
  RandomStream terminate_times_{"terminate"};
  RandomStream ids_{"instance id"};
  std::map<std::string, Record> instances_;      ///< by id
  std::map<std::string, std::string> by_token_;  ///< client token to id
  std::map<std::uint64_t, Refusal> refusals_;    ///< calls under way that will fail
  std::uint64_t last_refusal_ = 0;
  std::vector<Address> subscribers_;  ///< of the interruption queue
};

/// The builder of the host kind "cloud": `host_start` carries a CloudConfig, and with it what its
/// nodes need.
[[nodiscard]] std::unique_ptr<Actor> make_cloud(const Payload& host_start);

}  // namespace troupe::cloud
