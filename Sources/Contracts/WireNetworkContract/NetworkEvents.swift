package import WireHTTP

/// What happens to the way to servers.
package enum NetworkEvents: String, APIEvent {
    package typealias Payload = NetworkEvent

    case online = "network.online"
    case offline = "network.offline"
    case hostResting = "network.hostResting"
    case hostBack = "network.hostBack"

    package var help: String {
        switch self {
        case .online: "Servers can be reached again."
        case .offline: "There is no network, or requests to the base URL fail again and again."
        case .hostResting: "A host has failed so often that it is asked nothing for a while."
        case .hostBack: "A host that was asked nothing is asked again."
        }
    }
}

/// What an event of the network carries.
package struct NetworkEvent: JSONRecord {
    package var reason, host: String?

    package init(reason: String? = nil, host: String? = nil) { (self.reason, self.host) = (reason, host) }
}

extension NetworkEvent {
    package static let form = JSONForm<Self>("NetworkEvent", "What an event of the network carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        reason = try members.optional("reason", \.reason, "Why there is no network.")
        host = try members.optional("host", \.host, "The host.")
    }
}

/// Every request that ends, while somebody watches events of this name.
package enum RequestEvents: String, APIEvent {
    package typealias Payload = RequestEvent

    case ended = "network.request"

    package var help: String {
        "A request has ended. It is emitted only to those who watch events by this name, and is in no other list of events."
    }
}

/// How a request ended.
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
    package static let form = JSONForm<Self>("RequestEvent", "How a request ended.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        method = try members.required("method", \.method, "Its method.")
        url = try members.required("url", \.url, "Where it went, without the query.")
        status = try members.optional("status", \.status, "What the server answered.")
        outcome = try members.optional("outcome", \.outcome, "Why there is no answer.")
        reason = try members.optional("reason", \.reason, "The same in words.")
        cache = try members.optional("cache", \.cache, "What stored answers had to do with it.")
        attempts = try members.required("attempts", \.attempts, "How often it was sent.", .count)
        milliseconds = try members.required("milliseconds", \.milliseconds, "How long it took.", .count)
        waited = try members.optional(
            "waited",
            \.waited,
            "How many milliseconds of these it waited to be sent.",
            .count
        )
        origin = try members.required("for", \.origin, "The service or the caller it was sent for.")
    }
}
