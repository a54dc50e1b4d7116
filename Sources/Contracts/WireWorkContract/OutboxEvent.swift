package import WireHTTP

/// What an event of the outbox says of a request, or of what is paused.
package struct OutboxEvent: JSONRecord, Equatable {
    package var id, lane, service, method, path: String?
    package var status, attempts: Int?
    package var reason: String?
    /// How long it waits, in seconds.
    package var seconds: Double?
    package var waitsFor: String?

    package init(lane: String?) { self.lane = lane }

    package init(_ id: String, lane: String, service: String) {
        (self.id, self.lane, self.service) = (id, lane, service)
    }
}

extension OutboxEvent {
    package static let form = JSONForm<Self>("OutboxEvent", "What an event of the outbox says.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The request.")
        lane = try members.optional("lane", \.lane, "Its lane, or the one that is paused or resumed.")
        service = try members.optional("service", \.service, "Whose it is.")
        method = try members.optional("method", \.method, "What it wants done.")
        path = try members.optional("path", \.path, "Where it goes, without its query.")
        status = try members.optional("status", \.status, "What the server answered.")
        attempts = try members.optional("attempts", \.attempts, "How often it was tried.")
        reason = try members.optional("reason", \.reason, "Why it waits, or how it ended.")
        seconds = try members.optional("seconds", \.seconds, "How long it waits.")
        waitsFor = try members.optional("for", \.waitsFor, "What it waits for besides its time.")
    }
}
