package import WireHTTP

/// The events of the state of apps.
package enum StateEvents: String, APIEvent {
    package typealias Payload = StateEvent

    case full = "state.full"
    case cleared = "state.cleared"
    case resealed = "state.resealed"

    package var help: String {
        switch self {
        case .full: "A limit is reached: writes are rejected, or the oldest entries are removed."
        case .cleared: "All entries of a namespace were removed."
        case .resealed: "Values were encrypted with a new key."
        }
    }
}

/// The payload of a state event.
package struct StateEvent: JSONRecord {
    package var namespace, limit: String?
    package var removesOldest: Bool?
    package var entries, resealed, left: Int?

    package init(_ namespace: String? = nil) { self.namespace = namespace }
}

extension StateEvent {
    package static let form = JSONForm<Self>("StateEvent", "The payload of a state event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.optional("namespace", \.namespace, "The namespace.")
        limit = try members.optional("limit", \.limit, "The limit that is reached.")
        removesOldest = try members.optional("removesOldest", \.removesOldest, "Whether old entries are removed.")
        entries = try members.optional("entries", \.entries, "The number of removed entries.", .count)
        resealed = try members.optional("resealed", \.resealed, "The number of values encrypted again.", .count)
        left = try members.optional("left", \.left, "The number of values not encrypted again.", .count)
    }
}
