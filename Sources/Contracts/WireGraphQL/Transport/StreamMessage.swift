package import WireBase
package import WireConfig

/// An event of a `text/event-stream` with GraphQL, in the mode of distinct connections (graphql-sse).
package enum StreamMessage: Sendable {
    case next(JSONValue)
    /// The stream ends with it.
    case complete

    /// Reads an event by its name and data; nil for an event of another name.
    package init?(event name: String?, data: String, limits: ReadingLimits) throws(Fault) {
        switch name {
        case "next":
            let value = try JSONValue(Array(data.utf8), of: "the event", limits: limits)
            guard case .object = value else {
                throw Fault("expected an object, found \(value.kindInWords)")
            }
            self = .next(value)
        case "complete": self = .complete
        default: return nil
        }
    }

    /// The name in `event:`.
    package var name: String {
        switch self {
        case .next: "next"
        case .complete: "complete"
        }
    }

    /// The text in `data:`; empty for a completion, which clients of browsers hear only where there is such a line.
    package var data: String {
        switch self {
        case .next(let result): result.text()
        case .complete: ""
        }
    }
}
