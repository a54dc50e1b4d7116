package import WireHTTP

/// The events of the network.
package enum NetworkEvents: String, APIEvent {
    package typealias Payload = NetworkEvent

    case online = "network.online"
    case offline = "network.offline"
    case hostResting = "network.hostResting"
    case hostBack = "network.hostBack"

    package var help: String {
        switch self {
        case .online: "Servers are reachable again."
        case .offline: "There is no network, or requests to the base URL fail repeatedly."
        case .hostResting: "The circuit breaker of a host has opened after repeated failures."
        case .hostBack: "The circuit breaker of a host has closed."
        }
    }
}

/// The payload of a network event.
package struct NetworkEvent: JSONRecord {
    package var reason, host: String?

    package init(reason: String? = nil, host: String? = nil) { (self.reason, self.host) = (reason, host) }
}

extension NetworkEvent {
    package static let form = JSONForm<Self>("NetworkEvent", "The payload of a network event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        reason = try members.optional("reason", \.reason, "Why there is no network.")
        host = try members.optional("host", \.host, "The host.")
    }
}

/// The event for every ended request; emitted only while a subscriber asks for it by name.
package enum RequestEvents: String, APIEvent {
    package typealias Payload = RequestEvent

    case ended = "network.request"

    package var help: String {
        "A request has ended. Only subscribers that ask for this event by name receive it."
    }
}

/// The result of a request.
package struct RequestEvent: JSONRecord {
    package let method, url: String
    package var status: Int?
    package var outcome, reason, cache: String?
    package let attempts, milliseconds: Int
    package var waited: Int?
    package let origin: String

    package init(_ method: String, _ url: String, attempts: Int, milliseconds: Int, by origin: String) {
        (self.method, self.url, self.origin) = (method, url, origin)
        (self.attempts, self.milliseconds) = (attempts, milliseconds)
    }
}

extension RequestEvent {
    package static let form = JSONForm<Self>("RequestEvent", "The result of a request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        method = try members.required("method", \.method, "The HTTP method.")
        url = try members.required("url", \.url, "The URL without the query.")
        status = try members.optional("status", \.status, "The status of the response.")
        outcome = try members.optional("outcome", \.outcome, "The kind of failure.")
        reason = try members.optional("reason", \.reason, "The reason in words.")
        cache = try members.optional("cache", \.cache, "The use of the cache.")
        attempts = try members.required("attempts", \.attempts, "The number of attempts.", .count)
        milliseconds = try members.required("milliseconds", \.milliseconds, "The duration in milliseconds.", .count)
        waited = try members.optional(
            "waited",
            \.waited,
            "The milliseconds of waiting before the request was sent.",
            .count
        )
        origin = try members.required("for", \.origin, "The service or the caller.")
    }
}
