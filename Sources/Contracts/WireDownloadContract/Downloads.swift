import WireConfig
package import WireService

/// Downloads files and retries until they are complete.
package protocol Downloads: Sendable {
    /// Returns when the request is on the disk; a known id changes nothing and returns its state.
    func fetch(_ newDownload: NewDownload) async throws(DownloadFailure) -> Download

    /// All known downloads in the order of processing, ended ones last.
    var all: [Download] { get }

    /// The state of a download; nil where the id is unknown.
    func find(_ id: String) -> Download?

    /// Waits for the end of a download; nil where the id is unknown.
    func ended(_ id: String) async -> Download?

    /// Yields the state, beginning with the current one, at most about once a second; ends with the download or the
    /// service.
    func watch(_ id: String) -> AsyncStream<Download>
}

extension ServiceAbility where Value == any Downloads {
    package static var downloads: Self { Self(Provision(.downloads)) }
}
