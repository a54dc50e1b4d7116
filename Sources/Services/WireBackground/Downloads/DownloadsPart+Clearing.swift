import Synchronization
import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP
import WireService
import WireStore

/// Removes all downloads with their files.
extension DownloadsPart {
    func pause(_ scope: ClearingScope) async {
        isClearing.withLock { $0 = true }
        await rest()
    }

    func resume() async {
        isClearing.withLock { $0 = false }
        changes.signal()
    }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        try await Fault.wrapping { () async throws(StoreFailure) in
            // Another process may have added one meanwhile.
            try await load()
            var removed = Removed()
            for id in ledger.withLock(\.ids) {
                let view = try await remove(id)
                removed.count(view)
            }
            // Records of unknown formats are removed as well.
            removed.downloads += try await repository.forgetRest()
            if scope == .all { try await clearOthers(&removed) }
            try await repository.forgetWork()
            return [Cleared("downloads", removed.downloads), Cleared("downloaded files", removed.files)]
        }
    }

    private struct Removed {
        var downloads = 0
        var files = 0

        mutating func count(_ removed: (isThere: Bool, hadFile: Bool)) {
            if removed.isThere { downloads += 1 }
            if removed.hadFile { files += 1 }
        }
    }

    /// The file goes before the record, so that after a crash the record leads to the rest.
    private func remove(_ id: String) async throws(StoreFailure) -> (isThere: Bool, hadFile: Bool) {
        guard let entry = ledger.withLock({ $0[id] }) else { return (false, false) }
        let hadFile = try await removeFile(of: entry.record, draft: draftName(of: id))
        do throws(DownloadFailure) {
            return (try await remove(id, withFile: true), hadFile)
        } catch {
            throw StoreFailure(.other, error.reason, help: error.help)
        }
    }

    /// Removes the file of a download, unless it has other contents by now; returns whether it was complete.
    private func removeFile(of record: DownloadRecord, draft: String) async throws(StoreFailure) -> Bool {
        guard let files, let folder = present.folder else { return false }
        do throws(FileFailure) {
            if files.fileMark(at: draft, in: folder) != nil, let open = try? await files.open(draft, in: folder) {
                await open.discard()
            }
            guard let file = record.file, let mark = record.mark,
                files.fileMark(at: file, in: folder)?.identity == mark
            else { return false }
            try await files.remove(file, in: folder)
            return true
        } catch {
            throw StoreFailure(.other, error.reason)
        }
    }

    /// The downloads of other environments, which have no worker.
    private func clearOthers(_ removed: inout Removed) async throws(StoreFailure) {
        let app = "\(present.host.app?.id.text ?? "app")/"
        while true {
            let page = try repository.stores.values.list(
                DownloadRepository.namespace,
                prefix: app,
                after: nil,
                limit: 256
            )
            guard !page.isEmpty else { return }
            for summary in page {
                let end = summary.key.lastIndex(of: "/") ?? summary.key.startIndex
                let other = repository.at(String(summary.key[...end]))
                let id = String(summary.key[end...].dropFirst())
                if let record = try other.records.readable(id)?.record {
                    let draft = draftName(of: id, in: other.scope)
                    let hadFile = try await removeFile(of: record, draft: draft)
                    removed.count((true, hadFile))
                    try await other.drop(record, host: requests?.host(of: record.address))
                }
                _ = try await repository.stores.values.remove(
                    summary.key,
                    in: DownloadRepository.namespace,
                    if: .always
                )
            }
        }
    }
}

extension DownloadRepository {
    /// The same store for another app or environment.
    func at(_ scope: String) -> DownloadRepository { DownloadRepository(self, at: scope) }

    /// Removes all queue entries with the ids of done work.
    ///
    /// The queues' names are digests, so those of removed downloads cannot be listed. For downloads that others
    /// still want, a process that finds the record adds the entry again.
    fileprivate func forgetWork() async throws(StoreFailure) {
        _ = try await stores.queue.forget(queues: "downloads/")
    }

    fileprivate func forgetRest() async throws(StoreFailure) -> Int {
        try await stores.values.clear(Self.namespace, keysBeginning: scope)
    }
}
