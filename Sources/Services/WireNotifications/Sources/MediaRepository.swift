import WireBase
package import WireService
import WireStore

/// The files of pictures, and the notifications that use them.
///
/// A use is stored before the picture is fetched, so a file without a use is not ours. A file that several
/// notifications show is removed with the last of them.
package struct MediaRepository: Sendable {
    let files: any FileWriting
    let folder: String
    let repository: NotificationRepository
    private let digest: @Sendable (String) -> String

    init(
        _ repository: NotificationRepository,
        _ files: any FileWriting,
        _ data: DataFolder,
        digest: @escaping @Sendable (String) -> String
    ) {
        (self.repository, self.files, self.digest) = (repository, files, digest)
        folder = "\(data.path)/notifications"
    }

    /// The file name of an address without its extension; environments share no files.
    func stem(of address: String) -> String { String(digest("\(repository.root)\n\(address)").prefix(32)) }

    // MARK: What is there

    /// The file's name; nil where it has not been fetched.
    func file(_ stem: String) -> String? {
        MediaKind.allCases.lazy.map { "\(stem).\($0.rawValue)" }.first { files.fileMark(at: $0, in: folder) != nil }
    }

    private func size(_ stem: String) -> Int { file(stem).flatMap { files.fileMark(at: $0, in: folder)?.size } ?? 0 }

    // MARK: Who wants it

    private static let fetched = "file/"
    private static let wanted = "for/"

    private static func key(_ stem: String, _ id: String) -> String { "\(wanted)\(stem)/\(id)" }

    /// Stores that a notification uses a picture; returns when that is on the disk.
    func want(_ stem: String, for id: String, keeping lifetime: Duration) async throws(StoreFailure) {
        let value = NewValue([], type: "application/octet-stream", lifetime: lifetime)
        // In this order: tidying must find no picture without a use.
        _ = try await repository.device.put(value, under: Self.key(stem, id), in: repository.media, if: .always)
        _ = try await repository.device.put(
            NewValue([], type: "application/octet-stream"),
            under: Self.fetched + stem,
            in: repository.media,
            if: .always
        )
    }

    /// Extends the use for as long as the notification is kept.
    func keep(_ path: String, of id: String, for lifetime: Duration) async throws(StoreFailure) {
        guard let stem = stem(at: path) else { return }
        let value = NewValue([], type: "application/octet-stream", lifetime: lifetime)
        _ = try await repository.device.put(value, under: Self.key(stem, id), in: repository.media, if: .always)
    }

    /// Nil for a foreign file.
    private func stem(at path: String) -> String? {
        guard path.hasPrefix("\(folder)/") else { return nil }
        return path.dropFirst(folder.count + 1).split(separator: ".").first.map(String.init)
    }

    /// Ends a notification's use of a picture, and removes the picture without other uses.
    func release(_ path: String, of id: String) async throws(StoreFailure) {
        guard let stem = stem(at: path) else { return }
        _ = try await repository.device.remove(Self.key(stem, id), in: repository.media, if: .always)
        let others = try await repository.device.list(
            repository.media,
            prefix: "\(Self.wanted)\(stem)/",
            after: nil,
            limit: 1
        )
        if others.isEmpty { try await remove(stem) }
    }

    /// Removes a picture, whatever uses it: the file first, so that a process killed in between finds it again.
    private func remove(_ stem: String) async throws(StoreFailure) {
        try await removeFiles(stem)
        _ = try await repository.device.clear(repository.media, keysBeginning: "\(Self.wanted)\(stem)/")
        _ = try await repository.device.remove(Self.fetched + stem, in: repository.media, if: .always)
    }

    private func removeFiles(_ stem: String) async throws(StoreFailure) {
        for kind in MediaKind.allCases {
            for name in ["\(stem).\(kind.rawValue)", "\(stem).\(kind.rawValue).part"]
            where files.fileMark(at: name, in: folder) != nil {
                do throws(FileFailure) {
                    try await files.remove(name, in: folder)
                } catch {
                    throw StoreFailure(.other, error.reason)
                }
            }
        }
    }

    // MARK: Tidying

    /// Removes pictures that are unused, too old, or beyond the size limit; returns when to call again.
    func tidy(_ rules: Media?, at now: Int64, isThere: (String) async throws(StoreFailure) -> Bool)
        async throws(StoreFailure) -> Duration
    {
        var next = Self.longestPause
        // Pictures are listed before uses, never the other way round.
        let fetched = try await all(Self.fetched)
        var wanted: Set<String> = []
        for summary in try await all(Self.wanted) {
            let parts = summary.key.dropFirst(Self.wanted.count).split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            // A notification received without a runner may have been renamed.
            let isYoung = now - summary.modified < Self.grace
            if !isYoung, try await !isThere(parts[1]) {
                _ = try await repository.device.remove(summary.key, in: repository.media, if: .version(summary.version))
                continue
            }
            wanted.insert(parts[0])
            if let expires = summary.expires { next = min(next, .milliseconds(max(1_000, expires - now))) }
            if isYoung { next = min(next, .milliseconds(Self.grace)) }
        }
        var kept: [(stem: String, fetched: Int64, size: Int)] = []
        for summary in fetched {
            let stem = String(summary.key.dropFirst(Self.fetched.count))
            let age = Duration.milliseconds(max(0, now - summary.modified))
            guard wanted.contains(stem), let rules, age < rules.keep else {
                try await remove(stem)
                continue
            }
            next = min(next, max(.seconds(1), rules.keep - age))
            kept.append((stem, summary.modified, size(stem)))
        }
        guard let rules else { return next }
        var held = kept.reduce(0) { $0 + $1.size }
        for item in kept.sorted(by: { ($0.fetched, $0.stem) < ($1.fetched, $1.stem) }) where held > rules.maxTotal.bytes
        {
            try await remove(item.stem)
            held -= item.size
        }
        return next
    }

    private static let longestPause = Duration.seconds(3_600)
    /// In milliseconds.
    private static let grace: Int64 = 600_000

    private func all(_ prefix: String) async throws(StoreFailure) -> [StoredEntry.Summary] {
        var (found, after): ([StoredEntry.Summary], String?) = ([], nil)
        while true {
            let page = try await repository.device.list(repository.media, prefix: prefix, after: after, limit: 500)
            found += page
            guard page.count == 500, let last = page.last else { return found }
            after = last.key
        }
    }

    // MARK: Clearing

    /// Removes all pictures of a namespace; returns their number.
    func clear(_ namespace: String, with eraser: Eraser) async throws(StoreFailure) -> Int {
        var count = 0
        try await eraser.clear(namespace, keysBeginning: Self.fetched) { key throws(StoreFailure) in
            let stem = String(key.dropFirst(Self.fetched.count))
            if file(stem) != nil { count += 1 }
            if !eraser.isDryRun { try await removeFiles(stem) }
        }
        try await eraser.clear(namespace)
        return count
    }
}

extension NotificationsService.Present {
    /// Nil where files cannot be written.
    var media: MediaRepository? {
        guard let files = host.find(.fileWriting), let data = host.find(.dataFolder) else { return nil }
        return MediaRepository(repository, files, data, digest: digest)
    }
}

extension NotificationReceiver {
    package func media(_ files: any FileWriting, _ data: DataFolder) -> MediaRepository {
        MediaRepository(repository, files, data, digest: digest)
    }
}
