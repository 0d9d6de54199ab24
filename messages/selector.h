// Whom a selector means, by the rules of Kubernetes' API documents.
//
// Two selectors exist: over labels (In, NotIn, Exists, DoesNotExist) and over nodes (those, and Gt
// and Lt on whole numbers). A key that is absent satisfies NotIn and DoesNotExist and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "messages/k8s/placement.pb.h"
#include "messages/labels.h"
#include "messages/result.h"

namespace troupe {

using ValueList = google::protobuf::RepeatedPtrField<std::string>;

/// One requirement on one label, given as its parts; an unknown operator matches nothing.
[[nodiscard]] bool requirement_matches(const LabelMap& labels, std::string_view key,
                                       std::string_view op, const ValueList& values);

/// True if all of the selector holds. An empty selector matches everything; what an absent one
/// means is the caller's to know (nothing for a PodDisruptionBudget or a Service, everything for a
/// topology spread in some versions).
[[nodiscard]] bool matches(const k8s::LabelSelector& selector, const LabelMap& labels);
/// True if `labels` has each pair of `wanted`: a Service's selector, a pod's nodeSelector.
[[nodiscard]] bool contains_all(const LabelMap& labels, const LabelMap& wanted);

/// A term without requirements matches nothing; matchFields knows metadata.name alone, as
/// Kubernetes does.
[[nodiscard]] bool matches(const k8s::NodeSelectorTerm& term, const k8s::ObjectMeta& node);
/// True if one of the terms matches.
[[nodiscard]] bool matches(const k8s::NodeSelector& selector, const k8s::ObjectMeta& node);

/// The selector in the form that the scale subresource carries: "app=llama,tier in (a,b),!canary".
[[nodiscard]] std::string selector_text(const k8s::LabelSelector& selector);
/// Reads that form, and the equality form with == and != as well.
Result<k8s::LabelSelector> parse_selector(std::string_view text);

}  // namespace troupe
