package import WireHTTP

/// What happens to the state of apps.
package enum StateEvents: String, APIEvent {
    package typealias Payload = StateEvent

    case full = "state.full"
    case cleared = "state.cleared"
    case resealed = "state.resealed"

    package var help: String {
        switch self {
        case .full: "A limit is reached: writes are refused, or the oldest entries make room."
        case .cleared: "All entries of a namespace were removed."
        case .resealed: "Values were encrypted again with another key."
        }
    }
}

/// What an event of the state carries.
package struct StateEvent: JSONRecord {
    package var namespace, limit: String?
    package var removesOldest: Bool?
    package var entries, resealed, left: Int?

    package init(_ namespace: String? = nil) { self.namespace = namespace }
}

extension StateEvent {
    package static let form = JSONForm<Self>("StateEvent", "What an event of the state carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.optional("namespace", \.namespace, "The namespace.")
        limit = try members.optional("limit", \.limit, "The limit for which writes are refused.")
        removesOldest = try members.optional("removesOldest", \.removesOldest, "Whether the oldest entries make room.")
        entries = try members.optional("entries", \.entries, "How many entries were removed.", .count)
        resealed = try members.optional("resealed", \.resealed, "How many values were encrypted again.", .count)
        left = try members.optional("left", \.left, "How many could not be.", .count)
    }
}
