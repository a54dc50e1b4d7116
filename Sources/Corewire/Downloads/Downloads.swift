import WireBackground
import WireBase
import WireDownloadContract
import WireHTTP
import WireRuntime

extension Corewire {
    /// Downloads: the key `background.downloads` of the file, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var downloads: Downloads { Downloads(corewire: self) }

    /// Downloads files and retries until they are complete, across restarts and outages.
    ///
    /// ```swift
    /// let wanted = try await corewire.downloads.fetch("https://files.example.com/map.zip", sha256: sum)
    /// for await progress in corewire.downloads.progress(of: wanted.id) { print(progress.received, progress.size ?? 0) }
    /// let path = try await corewire.downloads.file(of: wanted.id)
    /// ```
    ///
    /// The rules and limits are those of the services file, and programs that use the socket see the same downloads.
    /// Holding this value keeps ``Corewire`` alive.
    public struct Downloads: Sendable {
        let corewire: Corewire

        // MARK: State

        /// A download by its id; nil where the id is unknown.
        public subscript(id: String) -> Download? { corewire.fetching?.find(id).map(Download.init) }

        /// All known downloads: running ones first, ended ones last.
        public var all: [Download] { corewire.fetching?.all.map(Download.init) ?? [] }

        /// The progress of a download, beginning with its current state, until it has ended.
        ///
        /// Continues across reloads, and ends after ``Corewire/stop()`` and for a cancelled task. A slow subscriber
        /// gets the latest state.
        public func progress(of id: String) -> DownloadProgress { DownloadProgress(id: id, corewire: corewire) }

        // MARK: Changes

        /// Queues a download and returns when it is on the disk; equal requests share one download.
        ///
        /// The address is a URL, or a path below the base URL of the environment. The default id is made from the
        /// address, and the default file name is from the response. `sha256` is the expected digest in hexadecimal
        /// digits. A token is sent only to the server of the base URL and those of `network.tokenHosts`. Priorities
        /// range from -100 to 100; higher values are first.
        @concurrent
        public func fetch(
            _ address: String,
            id: String? = nil,
            name: String? = nil,
            sha256: String? = nil,
            authorization: Corewire.Network.Authorization = .usual,
            priority: Int = 0
        ) async throws(CorewireError) -> Download {
            var newDownload = NewDownload(address, service: "app")
            (newDownload.id, newDownload.name, newDownload.sha256, newDownload.priority) = (id, name, sha256, priority)
            newDownload.authorization = authorization.service
            return Download(try await perform(DownloadCalls.add, newDownload))
        }

        /// Waits for a file and returns its path; throws where the download fails.
        @concurrent
        public func file(of id: String) async throws(CorewireError) -> String {
            var last: Download?
            for await download in progress(of: id) { last = download }
            guard let last else {
                throw corewire.runner.isStopping
                    ? CorewireError.stopped : CorewireError(.noSuchDownload, "unknown download \(id.quoted)")
            }
            switch last.state {
            case .done: if let path = last.path { return path }
            case .failed: throw CorewireError(.failed, last.reason ?? "it failed")
            case .cancelled: throw CorewireError(.cancelled, "the download was cancelled")
            case .waiting, .running, .paused: break
            }
            throw Task.isCancelled ? CorewireError(.cancelled, "the task was cancelled") : CorewireError.stopped
        }

        /// Pauses a download; the partial file stays.
        @concurrent
        public func pause(_ id: String) async throws(CorewireError) {
            _ = try await perform(DownloadCalls.pause, DownloadID(id))
        }

        /// Resumes a paused download, or retries a failed or waiting one now.
        @concurrent
        public func resume(_ id: String) async throws(CorewireError) {
            _ = try await perform(DownloadCalls.resume, DownloadID(id))
        }

        /// Cancels and removes a download; a complete file stays, unless its removal is requested.
        @concurrent
        public func cancel(_ id: String, removingFile: Bool = false) async throws(CorewireError) {
            var removal = DownloadRemoval(id)
            removal.withFile = removingFile
            _ = try await perform(DownloadCalls.remove, removal)
        }

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, DownloadFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            do throws(CorewireError) {
                return try await corewire.perform(call, input, in: .downloads)
            } catch {
                // Without the service no download is known.
                guard error.code == .noSuchDownload, corewire.fetching == nil else { throw error }
                throw CorewireError(
                    .downloadsUndeclared,
                    "the file does not declare a folder for downloads",
                    help: Area.downloads.help
                )
            }
        }
    }

    /// The download service of the current generation; nil where there is none.
    var fetching: (any WireDownloadContract.Downloads)? { runner.find(BackgroundService.self)?.downloads }
}

extension Area {
    static let downloads = Area(section: BackgroundSection.name, help: "set 'directory' of 'background.downloads'")
}
