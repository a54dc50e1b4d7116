import WireConfig
package import WireService

/// Files that are fetched until they are here, whole.
package protocol Downloads: Sendable {
    /// Returns when the wish is on the disk; one whose id is known already changes nothing and returns its state.
    func fetch(_ wish: DownloadWish) async throws(DownloadFailure) -> Download

    /// All that are known, in the order in which they are fetched; those that have ended last.
    var all: [Download] { get }

    /// How it is with a download; nil where nothing is known of it.
    func look(_ id: String) -> Download?

    /// Returns when it has ended in one way or another; nil where nothing is known of it.
    func ended(_ id: String) async -> Download?

    /// How it is, beginning with now and told at most about once a second while it comes; ends when it has ended, or with
    /// the service.
    func watch(_ id: String) -> AsyncStream<Download>
}

extension ServiceAbility where Value == any Downloads {
    package static var downloads: Self { Self(Provision(.downloads)) }
}
