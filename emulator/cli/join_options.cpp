#include "emulator/cli/join_options.h"

#include <iostream>

#include "emulator/cli/exit_code.h"
#include "emulator/transport/endpoint.h"
#include "messages/units.h"

namespace troupe::cli {
namespace {

using transport::Endpoint;
using transport::RunKeys;

// The keys of a network's endpoint; none elsewhere.
Result<std::optional<RunKeys>> keys_for(const Endpoint& endpoint,
                                        const std::optional<std::string>& file) {
  if (!endpoint.network) {
    if (file) return fail("is a socket of this machine: it takes no --keys", endpoint.text);
    return std::optional<RunKeys>();
  }
  if (!file) {
    return fail(
        "a network needs keys: `troupe keys FILE` makes them; give --keys FILE here, and the same "
        "file to each process of the run",
        endpoint.text);
  }
  Result<RunKeys> keys = transport::read_keys(*file);
  if (!keys) return tl::unexpected(keys.error());
  return std::optional<RunKeys>(*std::move(keys));
}

// Those that are started here would tell the others an address that means their own machine.
Result<void> check_spawn(const Endpoint& listen, std::uint32_t spawned, std::uint32_t processes) {
  if (spawned > processes) {
    return fail("--spawn " + std::to_string(spawned) + " is more than --processes " +
                std::to_string(processes));
  }
  if (spawned > 0 && spawned < processes && listen.every_interface()) {
    return fail(
        "with --spawn the address must be the one at which other machines reach this one, not "
        "every interface",
        listen.text);
  }
  return {};
}

}  // namespace

void add_listen_options(CLI::App& command, ListenArguments& arguments) {
  command.add_option("--listen", arguments.listen,
                     "wait at this endpoint, ipc://PATH or tcp://ADDRESS:PORT, until as many "
                     "workers as --processes says have dialled in with `troupe worker --join`");
  command.add_option("--keys", arguments.keys,
                     "the key file of the run, from `troupe keys`: for tcp");
  command.add_option("--spawn", arguments.spawn,
                     "with --listen: start so many of the workers here (default 0)");
}

Result<CrewOptions> crew_of(const ListenArguments& arguments, std::uint32_t processes) {
  CrewOptions crew;
  crew.processes = processes;
  crew.spawned = processes;
  if (!arguments.listen) {
    if (arguments.any()) return fail("--keys and --spawn go with --listen");
    return crew;
  }
  if (processes < 2) return fail("--listen needs --processes 2 or more");
  const Result<Endpoint> endpoint = transport::parse_endpoint(*arguments.listen);
  if (!endpoint) return tl::unexpected(endpoint.error());
  Result<std::optional<RunKeys>> keys = keys_for(*endpoint, arguments.keys);
  if (!keys) return tl::unexpected(keys.error());
  crew.spawned = arguments.spawn.value_or(0);
  if (const Result<void> fine = check_spawn(*endpoint, crew.spawned, processes); !fine) {
    return tl::unexpected(fine.error());
  }
  crew.listen = endpoint->text;
  crew.keys = *std::move(keys);
  crew.keys_file = arguments.keys.value_or("");
  return crew;
}

void add_join_options(CLI::App& command, JoinArguments& arguments) {
  command.add_option("--join", arguments.join, "the endpoint that `troupe run --listen` waits at")
      ->required();
  command.add_option("--keys", arguments.keys,
                     "the key file of the run, from `troupe keys`: for tcp");
  command.add_option("--address", arguments.address,
                     "the address of this machine at which the other workers reach it; else the "
                     "one from which it reaches the launcher");
  command.add_option("--wait", arguments.wait,
                     "for how long the launcher may not be up yet (default 60s)");
}

Result<WorkerOptions> worker_of(const JoinArguments& arguments) {
  const Result<Endpoint> endpoint = transport::parse_endpoint(arguments.join);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (endpoint->port == "*") return fail("has no port to dial", endpoint->text);
  Result<std::optional<RunKeys>> keys = keys_for(*endpoint, arguments.keys);
  if (!keys) return tl::unexpected(keys.error());
  const Result<Duration> wait = parse_duration(arguments.wait);
  if (!wait) return fail("--wait: " + wait.error().message, arguments.wait);
  WorkerOptions options{.launcher = endpoint->text, .keys = *std::move(keys)};
  options.wait = std::chrono::duration_cast<std::chrono::milliseconds>(*wait);
  if (!arguments.address) return options;
  if (!endpoint->network) return fail("--address goes with a tcp:// endpoint", endpoint->text);
  const Result<Endpoint> own = transport::parse_endpoint("tcp://" + *arguments.address + ":*");
  if (!own || own->every_interface()) {
    return fail("--address is what the others dial: expected an address of this machine",
                *arguments.address);
  }
  options.address = *arguments.address;
  return options;
}

int report_bad_input(const Error& error) {
  std::cerr << "troupe: " << (error.where.empty() ? "" : error.where + ": ") << error.message
            << '\n';
  return kBadInput;
}

}  // namespace troupe::cli
