package import WireHTTP
package import WireNetworkContract

// Inputs of the operations on downloads.

/// A file to download.
package struct NewDownload: JSONRecord {
    /// An address as in the services file: below the base URL, or a whole URL.
    package var address: String
    /// The id, which identifies equal requests; made from the address where nil.
    package var id: String?
    /// The file name in the download folder; from the response where nil.
    package var name: String?
    /// The expected SHA-256 digest, in hexadecimal digits.
    package var sha256: String?
    /// The token to send.
    package var authorization = ServerCall.Authorization.usual
    /// The tokens that the caller may use; never in JSON.
    package var tokenRights = TokenRights.all
    /// The priority; higher values are first.
    package var priority = 0
    /// The service that requests the download; `app` for programs.
    package var service = "app"

    package static let priorities = -100...100

    package init(_ address: String, service: String) {
        (self.address, self.service) = (address, service)
    }
}

extension NewDownload {
    package static let form = JSONForm<Self>("NewDownload", "A file to download.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        address = try members.required(
            "address",
            \.address,
            "A URL, or a path below the base URL of the environment.",
            .schema(.text(upTo: 8_192)),
            .example("https://files.example.com/guide.pdf")
        )
        id = try members.optional(
            "id",
            \.id,
            "The id; made from the address where absent.",
            idRule,
            .example("guide-2")
        )
        name = try members.optional(
            "name",
            \.name,
            "The file name; from the response where absent.",
            .schema(.text(upTo: 200)),
            .example("guide.pdf")
        )
        sha256 = try members.optional(
            "sha256",
            \.sha256,
            "The expected SHA-256 digest.",
            .schema(.text(pattern: "^[0-9A-Fa-f]{64}$"))
        )
        authorization = try members.value(
            "authorization",
            \.authorization,
            "The token to send, to hosts that may receive it.",
            or: .usual
        )
        priority = try members.value(
            "priority",
            \.priority,
            "The priority; higher values are first.",
            or: 0,
            .in(Self.priorities)
        )
    }
}

/// Selects a page of downloads.
package struct DownloadListRequest: JSONRecord {
    package var state: Download.State?
    package var after: String?
    package var limit: Int?

    package init() {}
}

extension DownloadListRequest {
    package static let form = JSONForm<Self>("DownloadListRequest", "The selection of downloads.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.query("state", \.state, "Only downloads in this state.")
        after = try members.query("after", \.after, "Only downloads after this one; the 'next' of the previous page.")
        limit = try members.query("limit", \.limit, "The maximum number of downloads.", .in(1...1_000))
    }
}

/// The id of a download.
package struct DownloadID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension DownloadID {
    package static let form = JSONForm<Self>("DownloadID", "The id of a download.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the download.", idRule, .example("guide-2"))
    }
}

/// A download to remove.
package struct DownloadRemoval: JSONRecord {
    package let id: String
    package var withFile = false

    package init(_ id: String) { self.id = id }
}

extension DownloadRemoval {
    package static let form = JSONForm<Self>("DownloadRemoval", "A download to remove.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the download.", idRule, .example("guide-2"))
        withFile = try members.queryFlag("file", \.withFile, "Remove the complete file too.")
    }
}

private let idRule = JSONRule<String>.schema(.text(pattern: "^[A-Za-z0-9._:~-]{1,200}$"))
