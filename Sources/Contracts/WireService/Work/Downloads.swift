package import WireBase
package import WireConfig
package import WireHTTP

/// Files that are fetched until they are here, whole.
package protocol Downloads: Sendable {
    /// Returns when the wish is on the disk; one whose id is known already changes nothing and tells how it is.
    func fetch(_ wish: DownloadWish) async throws(DownloadRefusal) -> Download

    /// How it is with a download; nil where nothing is known of it.
    func look(_ id: String) -> Download?

    /// Returns when it has ended in one way or another; nil where nothing is known of it.
    func ended(_ id: String) async -> Download?

    /// How it is, beginning with now and told at most about once a second while it comes; ends when it has ended, or with
    /// the service.
    func watch(_ id: String) -> AsyncStream<Download>
}

extension Ability where Value == any Downloads {
    package static var downloads: Ability<any Downloads> { Ability(Provision(.downloads)) }
}

/// A file that is wanted.
package struct DownloadWish: Sendable {
    /// The same wish twice is one download; made from the address where nil.
    package var id: String?
    /// As the file names addresses: below the base URL, or a whole URL.
    package var address: String
    /// What the file is called in the folder of downloads; found out from the answer where nil.
    package var name: String?
    /// What its bytes must come to, in hexadecimal.
    package var sha256: String?
    /// Whether a token goes along.
    package var authorization = ServerCall.Authorization.usual
    /// Which tokens may go along, by what the caller may have.
    package var tokenRights = TokenRights.all
    /// Those with more go first.
    package var priority = 0
    /// The service it is for; `app` for one that a program wants.
    package var service: String

    package init(_ address: String, service: String) {
        (self.address, self.service) = (address, service)
    }
}

/// How it is with a file that is wanted.
package struct Download: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case waiting, running, paused, done, failed, cancelled
    }

    package let id: String
    package let address: String
    package let state: State
    /// Where the file is, or will be.
    package let path: String?
    package let received: ByteCount
    /// Nil while the server has not told.
    package let size: ByteCount?
    /// Why it failed, or what it waits for.
    package let reason: String?
    /// How many bytes come in a second, and how long the rest takes at that rate; nil where that cannot be told.
    package var rate: Int?
    package var remaining: Duration?

    package init(
        id: String,
        address: String,
        state: State,
        path: String?,
        received: ByteCount,
        size: ByteCount?,
        reason: String?
    ) {
        (self.id, self.address, self.state, self.path) = (id, address, state, path)
        (self.received, self.size, self.reason) = (received, size, reason)
    }

    package var hasEnded: Bool { state == .done || state == .failed || state == .cancelled }
}

/// Why a file is not fetched.
package struct DownloadRefusal: Error, Sendable {
    package enum Kind: String, Sendable {
        case undeclared, forbidden, invalid, full, notWritten, ended
    }

    package let kind: Kind
    package let reason: String
    package let help: String?
    package let origin: ValueOrigin?

    package init(_ kind: Kind, _ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
    }
}
