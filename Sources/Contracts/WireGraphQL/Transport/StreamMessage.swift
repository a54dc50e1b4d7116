package import WireBase
package import WireConfig

/// A GraphQL event of a `text/event-stream` in distinct connections mode (graphql-sse).
package enum StreamMessage: Sendable {
    case next(JSONValue)
    /// The last event of the stream.
    case complete

    /// Parses an event by its name and data; nil for an event of another name.
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

    /// The text in `data:`; empty for a completion, which browsers deliver only with such a line.
    package var data: String {
        switch self {
        case .next(let result): result.text()
        case .complete: ""
        }
    }
}
