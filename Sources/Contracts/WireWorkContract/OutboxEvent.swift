package import WireHTTP

/// The payload of an outbox event.
package struct OutboxEvent: JSONRecord, Equatable {
    package var id, lane, service, method, path: String?
    package var status, attempts: Int?
    package var reason: String?
    /// The delay in seconds.
    package var seconds: Double?
    package var waitsFor: String?

    package init(lane: String?) { self.lane = lane }

    package init(_ id: String, lane: String, service: String) {
        (self.id, self.lane, self.service) = (id, lane, service)
    }
}

extension OutboxEvent {
    package static let form = JSONForm<Self>("OutboxEvent", "The payload of an outbox event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The request.")
        lane = try members.optional("lane", \.lane, "The lane of the request, or the paused or resumed lane.")
        service = try members.optional("service", \.service, "The service that posted the request.")
        method = try members.optional("method", \.method, "The method.")
        path = try members.optional("path", \.path, "The path without the query.")
        status = try members.optional("status", \.status, "The status of the response.")
        attempts = try members.optional("attempts", \.attempts, "The number of attempts.")
        reason = try members.optional("reason", \.reason, "Why the request waits, or how it ended.")
        seconds = try members.optional("seconds", \.seconds, "The delay in seconds.")
        waitsFor = try members.optional("for", \.waitsFor, "What the request waits for besides its delay.")
    }
}
