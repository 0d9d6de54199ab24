// What a message carries: an immutable protobuf message, shared and never copied, with the objects
// that travel with it.
//
// A watch event about a Pod goes to many watchers; the Pod must be neither copied nor hashed for
// each. So a payload is a small message (`WatchEvent`) with attachments (the Pod) that are payloads
// themselves. One that crosses a process is serialised once, however many receivers it has; there
// its bytes serve the hash and the next wire, and they are parsed when somebody reads the message.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/message.h>

namespace troupe {

class Payload {
 public:
  Payload() = default;

  /// Takes over `message`; nobody may change it afterwards.
  template <class M>
  static Payload of(M message, std::vector<Payload> attachments = {}) {
    static const std::uint64_t kind = kind_of(*M::descriptor());
    auto body = std::make_shared<BodyOf<M>>(std::move(message));
    body->type = {&M::default_instance(), kind, &M::descriptor()->full_name()};
    body->message.store(&body->owned, std::memory_order_relaxed);
    body->attachments = std::move(attachments);
    return Payload(std::move(body));
  }
  /// For a message whose type is known at run time only.
  Payload(std::unique_ptr<const google::protobuf::Message> message,
          std::vector<Payload> attachments);

  /// A message that came as these bytes, which live as long as `keeps`; empty if this program has
  /// no type of that full name.
  static Payload received(std::string_view type, std::string_view bytes,
                          std::shared_ptr<const void> keeps, std::vector<Payload> attachments);

  explicit operator bool() const { return body_ != nullptr; }

  /// The message if it is an M, else null. Costs one comparison.
  template <class M>
  [[nodiscard]] const M* as() const {
    return body_ && body_->type.prototype == &M::default_instance()
               ? static_cast<const M*>(&message())
               : nullptr;
  }
  /// The message, shared on its own: it stays alive after the payload.
  template <class M>
  [[nodiscard]] std::shared_ptr<const M> share() const {
    return {body_, as<M>()};
  }

  /// Of received bytes that do not parse: a ContractViolation, since their frame was whole and from
  /// a program of this build.
  [[nodiscard]] const google::protobuf::Message& message() const {
    const auto* message = body_->message.load(std::memory_order_acquire);
    return message != nullptr ? *message : parse();
  }
  [[nodiscard]] const std::vector<Payload>& attachments() const;
  /// The name of the message's type, without its package: "WatchEvent".
  [[nodiscard]] const std::string& type_name() const;
  /// A hash of the type's full name.
  [[nodiscard]] std::uint64_t kind() const { return body_->type.kind; }
  /// XXH3 over the type, the serialised message and the attachments; computed on first use.
  [[nodiscard]] std::uint64_t hash() const;
  /// The serialised message without its attachments.
  [[nodiscard]] std::string bytes() const;
  /// The same, kept as long as the payload: for what is written more than once.
  [[nodiscard]] std::string_view shared_bytes() const;
  /// The type's full name: "troupe.api.WatchEvent".
  [[nodiscard]] const std::string& full_type_name() const { return *body_->type.full_name; }

  friend bool operator==(const Payload& a, const Payload& b) { return a.body_ == b.body_; }

 private:
  struct Type {
    const google::protobuf::Message* prototype =
        nullptr;  ///< default instance: the type's identity
    std::uint64_t kind = 0;
    const std::string* full_name = nullptr;
  };
  /// What follows from something else is computed once it is asked for; equal whoever computes it,
  /// so that a race has no loser but the second copy.
  struct Body {
    Body() = default;
    ~Body() { delete serialised.load(std::memory_order_relaxed); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    Type type;
    std::vector<Payload> attachments;
    mutable std::atomic<const google::protobuf::Message*> message = nullptr;
    mutable std::atomic<const std::string*> serialised = nullptr;
    mutable std::atomic<std::uint64_t> hash = 0;  ///< 0: not yet
    bool from_bytes = false;                      ///< the body is a ReceivedBody
  };
  /// Body and message in one allocation.
  template <class M>
  struct BodyOf : Body {
    explicit BodyOf(M m) : owned(std::move(m)) {}
    M owned;
  };

  struct ReceivedBody : Body {
    ~ReceivedBody() { delete message.load(std::memory_order_relaxed); }
    std::string_view bytes;
    std::shared_ptr<const void> keeps;
  };

  explicit Payload(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  const google::protobuf::Message& parse() const;
  static std::uint64_t kind_of(const google::protobuf::Descriptor& type);
  static Type type_of(const google::protobuf::Descriptor& type,
                      google::protobuf::MessageFactory* factory);

  std::shared_ptr<const Body> body_;
};

}  // namespace troupe
