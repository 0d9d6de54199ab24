// What a message carries: an immutable protobuf message, shared and never copied, with the objects
// that travel with it.
//
// A watch event about a Pod goes to many watchers; the Pod must be neither copied nor hashed for
// each. So a payload is a small message (`WatchEvent`) with attachments (the Pod) that are payloads
// themselves. Each is serialised at most once: its bytes serve the hash, the journal and the wire.
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
    body->type = {&M::default_instance(), kind};
    body->message = &body->owned;
    body->attachments = std::move(attachments);
    return Payload(std::move(body));
  }
  /// For a message whose type is known at run time only.
  Payload(std::unique_ptr<const google::protobuf::Message> message,
          std::vector<Payload> attachments);

  explicit operator bool() const { return body_ != nullptr; }

  /// The message if it is an M, else null. Costs one comparison.
  template <class M>
  [[nodiscard]] const M* as() const {
    return body_ && body_->type.prototype == &M::default_instance()
               ? static_cast<const M*>(body_->message)
               : nullptr;
  }
  /// The message, shared on its own: it stays alive after the payload.
  template <class M>
  [[nodiscard]] std::shared_ptr<const M> share() const {
    return {body_, as<M>()};
  }

  [[nodiscard]] const google::protobuf::Message& message() const { return *body_->message; }
  [[nodiscard]] const std::vector<Payload>& attachments() const;
  /// The name of the message's type, without its package: "WatchEvent".
  [[nodiscard]] const std::string& type_name() const;
  /// A hash of the type's full name.
  [[nodiscard]] std::uint64_t kind() const { return body_->type.kind; }
  /// XXH3 over the type, the serialised message and the attachments; computed on first use.
  [[nodiscard]] std::uint64_t hash() const;
  /// The serialised message without its attachments; computed on first use.
  [[nodiscard]] std::string bytes() const;

  friend bool operator==(const Payload& a, const Payload& b) { return a.body_ == b.body_; }

 private:
  struct Type {
    const google::protobuf::Message* prototype =
        nullptr;  ///< default instance: the type's identity
    std::uint64_t kind = 0;
  };
  struct Body {
    Type type;
    const google::protobuf::Message* message = nullptr;
    std::vector<Payload> attachments;
    /// 0: not computed yet; equal whoever computes it, so a race is harmless.
    mutable std::atomic<std::uint64_t> hash = 0;
  };
  /// Body and message in one allocation.
  template <class M>
  struct BodyOf : Body {
    explicit BodyOf(M m) : owned(std::move(m)) {}
    M owned;
  };

  explicit Payload(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  static std::uint64_t kind_of(const google::protobuf::Descriptor& type);

  std::shared_ptr<const Body> body_;
};

}  // namespace troupe
