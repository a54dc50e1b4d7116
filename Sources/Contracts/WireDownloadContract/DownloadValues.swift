package import WireHTTP

/// A file that is wanted, or was.
package struct Download: JSONRecord, Equatable {
    package enum State: String, JSONWord, PlainCodable {
        case waiting, running, paused, done, failed, cancelled
    }

    package let id: String
    /// With its query, which may be a secret and is never written.
    package let address: String
    package var state: State
    package let service: String
    package var priority = 0
    /// In bytes.
    package var received = 0
    /// Nil while the server has not told.
    package var size: Int?
    /// How many bytes come in a second, and how many seconds the rest takes at that rate; nil where that cannot be told.
    package var rate, remaining: Int?
    /// Where the file is; nil until it is whole.
    package var path: String?
    package var sha256: String?
    /// Why it failed, or what it waits for.
    package var reason: String?
    package var help: String?
    /// In milliseconds since 1970.
    package let created: Int64
    package var ended: Int64?

    package init(_ id: String, _ address: String, _ state: State, service: String, created: Int64) {
        (self.id, self.address, self.state, self.service, self.created) = (id, address, state, service, created)
    }

    package var hasEnded: Bool { state == .done || state == .failed || state == .cancelled }

    /// The same, given up.
    package var cancelled: Download {
        var download = self
        (download.state, download.path, download.reason) = (.cancelled, nil, "it was cancelled")
        return download
    }
}

extension Download {
    package static let form = JSONForm<Self>("Download", "A file that is wanted, or was.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The same wish is known by it.", .example("guide-2"))
        address = try members.required(
            "address",
            \.shownAddress,
            "Where it comes from, without the query.",
            .example("https://files.example.com/guide.pdf")
        )
        state = try members.required("state", \.state, "How it is.")
        service = try members.required("service", \.service, "Who wants it; 'app' for programs.", .example("app"))
        priority = try members.required("priority", \.priority, "Those with more go first.")
        received = try members.required("received", \.received, "How many bytes are here.", .count)
        size = try members.optional("size", \.size, "How many it has, once the server has told.", .count)
        rate = try members.optional("rate", \.rate, "How many bytes come in a second.", .count)
        remaining = try members.optional(
            "remaining",
            \.remaining,
            "How many seconds it takes at that rate.",
            .count
        )
        path = try members.optional("path", \.path, "Where the file is, once it is whole.")
        sha256 = try members.optional("sha256", \.sha256, "What it has to come to, where that was said.")
        reason = try members.optional("reason", \.reason, "Why it failed, or what it waits for.")
        help = try members.optional("help", \.help, "What can be done about it.")
        created = try members.required("created", \.created, "When it was first wanted.", .moment)
        ended = try members.optional("ended", \.ended, "When it was done or failed.", .moment)
    }

    private var shownAddress: String {
        guard let mark = address.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return address }
        return address[..<mark] + "?…"
    }
}

/// A page of downloads.
package struct DownloadPage: JSONRecord {
    package let downloads: [Download]
    package let next: String?

    package init(_ downloads: [Download], next: String?) {
        (self.downloads, self.next) = (downloads, next)
    }
}

extension DownloadPage {
    package static let form = JSONForm<Self>("Downloads", "A page of downloads.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        downloads = try members.required(
            "downloads",
            \.downloads,
            "Those that run first, those that have ended last."
        )
        next = try members.optional("next", \.next, "Where the next page begins, as 'after'.")
    }
}

/// What an event says of a download that comes, or was removed.
package struct DownloadEvent: JSONRecord, Equatable {
    package let id: String
    package var received, size, rate, remaining: Int?

    package init(_ id: String) { self.id = id }
}

extension DownloadEvent {
    package static let form = JSONForm<Self>("DownloadEvent", "What an event says of a download that comes.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Which one.")
        received = try members.optional("received", \.received, "How many bytes are here.", .count)
        size = try members.optional("size", \.size, "How many it has, once the server has told.", .count)
        rate = try members.optional("rate", \.rate, "How many bytes come in a second.", .count)
        remaining = try members.optional(
            "remaining",
            \.remaining,
            "How many seconds it takes at that rate.",
            .count
        )
    }
}
