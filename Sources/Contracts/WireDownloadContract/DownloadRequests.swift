package import WireHTTP
package import WireNetworkContract

// What the operations on downloads are asked with.

/// A file that is wanted.
package struct DownloadWish: JSONRecord {
    /// As the file names addresses: below the base URL, or a whole URL.
    package var address: String
    /// The same wish twice is one download; made from the address where nil.
    package var id: String?
    /// What the file is called in the folder of downloads; found out from the answer where nil.
    package var name: String?
    /// What its bytes must come to, in hexadecimal.
    package var sha256: String?
    /// Whether a token goes along.
    package var authorization = ServerCall.Authorization.usual
    /// Which tokens may go along, by what the caller may have; never in a JSON text.
    package var tokenRights = TokenRights.all
    /// Those with more go first.
    package var priority = 0
    /// The service it is for; `app` for one that a program wants.
    package var service = "app"

    package static let priorities = -100...100

    package init(_ address: String, service: String) {
        (self.address, self.service) = (address, service)
    }
}

extension DownloadWish {
    package static let form = JSONForm<Self>("DownloadWish", "A file that is wanted.")

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
            "What it is known by; made from the address where it is missing.",
            idRule,
            .example("guide-2")
        )
        name = try members.optional(
            "name",
            \.name,
            "What the file is called; as the server says where it is missing.",
            .schema(.text(upTo: 200)),
            .example("guide.pdf")
        )
        sha256 = try members.optional(
            "sha256",
            \.sha256,
            "What its bytes must come to.",
            .schema(.text(pattern: "^[0-9A-Fa-f]{64}$"))
        )
        authorization = try members.value(
            "authorization",
            \.authorization,
            "Whose token goes along, to hosts that are given one.",
            or: .usual
        )
        priority = try members.value(
            "priority",
            \.priority,
            "Those with more go first.",
            or: 0,
            .in(Self.priorities)
        )
    }
}

/// A page of downloads that is asked for.
package struct DownloadListRequest: JSONRecord {
    package var state: Download.State?
    package var after: String?
    package var limit: Int?

    package init() {}
}

extension DownloadListRequest {
    package static let form = JSONForm<Self>("DownloadListRequest", "A page of downloads that is asked for.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.query("state", \.state, "Only those that are so.")
        after = try members.query("after", \.after, "Only what follows this one; the 'next' of the answer before.")
        limit = try members.query("limit", \.limit, "How many at most.", .in(1...1_000))
    }
}

/// Which download is meant.
package struct DownloadID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension DownloadID {
    package static let form = JSONForm<Self>("DownloadID", "Which download is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "Which one.", idRule, .example("guide-2"))
    }
}

/// A download that is given up.
package struct DownloadRemoval: JSONRecord {
    package let id: String
    package var withFile = false

    package init(_ id: String) { self.id = id }
}

extension DownloadRemoval {
    package static let form = JSONForm<Self>("DownloadRemoval", "A download that is given up.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "Which one.", idRule, .example("guide-2"))
        withFile = try members.queryFlag("file", \.withFile, "Remove a file that is whole, too.")
    }
}

private let idRule = JSONRule<String>.schema(.text(pattern: "^[A-Za-z0-9._:~-]{1,200}$"))
