package import WireService

/// What whoever holds the services can do with downloads, besides what other services can.
package protocol DownloadControl: Downloads {
    /// All that are known, in the order in which they are fetched; those that have ended last.
    var all: [Download] { get }

    /// Keeps what is here, and fetches no more of it; nil where there is no such download.
    func pause(_ id: String) async throws(DownloadRefusal) -> Download?

    /// Fetches on what was paused, anew what has failed, and at once what waits.
    func resume(_ id: String) async throws(DownloadRefusal) -> Download?

    /// Gives it up and forgets it; a file that is whole stays, unless it is to go too.
    func cancel(_ id: String, removingFile: Bool) async throws(DownloadRefusal) -> Download?
}

extension BackgroundService {
    /// Nil where the file does not say where downloads go.
    package var downloads: (any DownloadControl)? {
        abilities.first { $0.provision == Ability.downloads.provision }?.value as? any DownloadControl
    }
}

extension DownloadsPart: DownloadControl {
    var all: [Download] { views.map(\.download) }

    func pause(_ id: String) async throws(DownloadRefusal) -> Download? {
        try await self.pause(id, told: { $0.download })
    }

    func resume(_ id: String) async throws(DownloadRefusal) -> Download? {
        try await self.resume(id, told: { $0.download })
    }

    func cancel(_ id: String, removingFile: Bool) async throws(DownloadRefusal) -> Download? {
        try await remove(id, withFile: removingFile)?.cancelled.download
    }
}
