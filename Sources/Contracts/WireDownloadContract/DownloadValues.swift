package import WireHTTP

/// A download and its state.
package struct Download: JSONRecord, Equatable {
    package enum State: String, JSONWord, PlainCodable {
        case waiting, running, paused, done, failed, cancelled
    }

    package let id: String
    /// The URL with its query, which may be a secret and is never written.
    package let address: String
    package var state: State
    package let service: String
    package var priority = 0
    /// The received bytes.
    package var received = 0
    /// The size; nil until the server has sent it.
    package var size: Int?
    /// The rate in bytes per second, and the remaining time in seconds; nil where unknown.
    package var rate, remaining: Int?
    /// The path of the file; nil until it is complete.
    package var path: String?
    package var sha256: String?
    /// Why the download failed, or what it waits for.
    package var reason: String?
    package var help: String?
    /// The creation time in milliseconds since 1970.
    package let created: Int64
    package var ended: Int64?

    package init(_ id: String, _ address: String, _ state: State, service: String, created: Int64) {
        (self.id, self.address, self.state, self.service, self.created) = (id, address, state, service, created)
    }

    package var hasEnded: Bool { state == .done || state == .failed || state == .cancelled }

    /// The download as cancelled.
    package var cancelled: Download {
        var download = self
        (download.state, download.path, download.reason) = (.cancelled, nil, "it was cancelled")
        return download
    }
}

extension Download {
    package static let form = JSONForm<Self>("Download", "A download and its state.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id, which identifies equal requests.", .example("guide-2"))
        address = try members.required(
            "address",
            \.shownAddress,
            "The URL without the query.",
            .example("https://files.example.com/guide.pdf")
        )
        state = try members.required("state", \.state, "The state.")
        service = try members.required("service", \.service, "The service; 'app' for programs.", .example("app"))
        priority = try members.required("priority", \.priority, "The priority; higher values are first.")
        received = try members.required("received", \.received, "The received bytes.", .count)
        size = try members.optional("size", \.size, "The size in bytes, once the server has sent it.", .count)
        rate = try members.optional("rate", \.rate, "The rate in bytes per second.", .count)
        remaining = try members.optional(
            "remaining",
            \.remaining,
            "The remaining time in seconds.",
            .count
        )
        path = try members.optional("path", \.path, "The path of the complete file.")
        sha256 = try members.optional("sha256", \.sha256, "The expected digest, if one was given.")
        reason = try members.optional("reason", \.reason, "Why the download failed, or what it waits for.")
        help = try members.optional("help", \.help, "What to do about the failure.")
        created = try members.required("created", \.created, "The creation time.", .moment)
        ended = try members.optional("ended", \.ended, "The end.", .moment)
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
            "The downloads: running ones first, ended ones last."
        )
        next = try members.optional("next", \.next, "The value of 'after' for the next page.")
    }
}

/// The payload of a progress or removal event.
package struct DownloadEvent: JSONRecord, Equatable {
    package let id: String
    package var received, size, rate, remaining: Int?

    package init(_ id: String) { self.id = id }
}

extension DownloadEvent {
    package static let form = JSONForm<Self>("DownloadEvent", "The payload of a download event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the download.")
        received = try members.optional("received", \.received, "The received bytes.", .count)
        size = try members.optional("size", \.size, "The size in bytes, once the server has sent it.", .count)
        rate = try members.optional("rate", \.rate, "The rate in bytes per second.", .count)
        remaining = try members.optional(
            "remaining",
            \.remaining,
            "The remaining time in seconds.",
            .count
        )
    }
}
