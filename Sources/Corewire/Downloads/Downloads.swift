import WireBackground
import WireBase
import WireDownloadContract
import WireHTTP
import WireRuntime

extension Corewire {
    /// Files that are fetched: the key `background.downloads` of the file, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var downloads: Downloads { Downloads(corewire: self) }

    /// Files that are fetched until they are here, whole, over restarts and outages.
    ///
    /// ```swift
    /// let wanted = try await corewire.downloads.fetch("https://files.example.com/map.zip", sha256: sum)
    /// for await progress in corewire.downloads.progress(of: wanted.id) { print(progress.received, progress.size ?? 0) }
    /// let path = try await corewire.downloads.file(of: wanted.id)
    /// ```
    ///
    /// Rules and limits are those of the services file, and programs that ask over the socket see the same downloads. Who
    /// holds it holds ``Corewire`` as well.
    public struct Downloads: Sendable {
        let corewire: Corewire

        // MARK: Looking

        /// How it is with a download; nil where nothing is known of it.
        public subscript(id: String) -> Download? { corewire.fetching?.look(id).map(Download.init) }

        /// All that are known: those that run first, those that have ended last.
        public var all: [Download] { corewire.fetching?.all.map(Download.init) ?? [] }

        /// How a download gets on, beginning with how it is, until it has ended.
        ///
        /// It goes on over reloads, and ends after ``Corewire/stop()`` and for a cancelled task. Who is slow sees the latest.
        public func progress(of id: String) -> DownloadProgress { DownloadProgress(id: id, corewire: corewire) }

        // MARK: Changing

        /// Wants a file, and returns when that is on the disk; the same wish twice is one download.
        ///
        /// The address is a URL, or a path below the base URL of the environment. Without an id it is known by one made from
        /// the address, and without a name the file is called as the server says. The SHA-256 is what its bytes must come to,
        /// in hexadecimal. A token goes along to the server of the base URL and those of `network.tokenHosts` alone. Priorities go from -100 to 100; those with more go first.
        @concurrent
        public func fetch(
            _ address: String,
            id: String? = nil,
            name: String? = nil,
            sha256: String? = nil,
            authorization: Corewire.Network.Authorization = .usual,
            priority: Int = 0
        ) async throws(CorewireError) -> Download {
            var wish = DownloadWish(address, service: "app")
            (wish.id, wish.name, wish.sha256, wish.priority) = (id, name, sha256, priority)
            wish.authorization = authorization.service
            return Download(try await perform(DownloadCalls.add, wish))
        }

        /// The path of a file, once it is here; throws why it never will be.
        @concurrent
        public func file(of id: String) async throws(CorewireError) -> String {
            var last: Download?
            for await download in progress(of: id) { last = download }
            guard let last else {
                throw corewire.runner.isStopping
                    ? CorewireError.stopped : CorewireError(.noSuchDownload, "nothing is known of \(id.quoted)")
            }
            switch last.state {
            case .done: if let path = last.path { return path }
            case .failed: throw CorewireError(.failed, last.reason ?? "it failed")
            case .cancelled: throw CorewireError(.cancelled, "it was cancelled")
            case .waiting, .running, .paused: break
            }
            throw Task.isCancelled ? CorewireError(.cancelled, "the task was cancelled") : CorewireError.stopped
        }

        /// Keeps what is here of a download, and fetches no more of it.
        @concurrent
        public func pause(_ id: String) async throws(CorewireError) {
            _ = try await perform(DownloadCalls.pause, DownloadID(id))
        }

        /// Fetches on what was paused, anew what has failed, and at once what waits.
        @concurrent
        public func resume(_ id: String) async throws(CorewireError) {
            _ = try await perform(DownloadCalls.resume, DownloadID(id))
        }

        /// Gives a download up and forgets it; a file that is whole stays, unless it is to go too.
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
                // Where nothing fetches files no download is known.
                guard error.code == .noSuchDownload, corewire.fetching == nil else { throw error }
                throw CorewireError(
                    .downloadsUndeclared,
                    "the file does not say where downloads go",
                    help: Area.downloads.help
                )
            }
        }
    }

    /// What fetches files in the generation that runs; nil where nothing does.
    var fetching: (any WireDownloadContract.Downloads)? { runner.find(BackgroundService.self)?.downloads }
}

extension Area {
    static let downloads = Area(section: BackgroundSection.name, help: "set 'directory' of 'background.downloads'")
}
