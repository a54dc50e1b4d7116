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

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        try await Fault.wrapping { () async throws(StoreFailure) in
            // Another process may have added one meanwhile.
            try await load()
            var (downloads, files) = (0, 0)
            // The downloads of other environments have no worker.
            let prefix = scope == .all ? "\(present.host.app?.id.text ?? "app")/" : repository.scope
            try await eraser.clear(DownloadRepository.namespace, keysBeginning: prefix) { key throws(StoreFailure) in
                // A record of an unknown format is removed as well.
                downloads += 1
                if try await removeFile(at: key, with: eraser) { files += 1 }
            }
            // The queues' names are digests, so those of removed downloads cannot be listed. For downloads that others
            // still want, a process that finds the record adds the entry again.
            try await eraser.forget(queues: "downloads/")
            return [Cleared("downloads", downloads), Cleared("downloaded files", files)]
        }
    }

    /// Removes the file of a download, then what is known of it in memory; returns whether it had a complete file.
    ///
    /// The file goes before the record, so that after a crash the record leads to the rest.
    private func removeFile(at key: String, with eraser: Eraser) async throws(StoreFailure) -> Bool {
        let end = key.lastIndex(of: "/").map(key.index(after:)) ?? key.startIndex
        let place = DownloadRepository(repository, at: String(key[..<end]))
        let id = String(key[end...])
        let own = place.scope == repository.scope ? scheduler.withLock { $0[id] } : nil
        let stored = await own == nil ? try place.records.readable(id)?.record : nil
        guard let record = own?.record ?? stored else { return false }
        let hadFile = hasFile(record)
        guard !eraser.isDryRun else { return hadFile }
        try await removeFiles(of: record, draft: draftName(of: id, in: place.scope))
        guard own != nil else {
            try await place.drop(record, host: requests?.host(of: record.address))
            return hadFile
        }
        do throws(DownloadFailure) {
            _ = try await remove(id, withFile: true)
        } catch {
            throw StoreFailure(.other, error.reason, help: error.help)
        }
        return hadFile
    }

    /// Whether a download has a complete file that has not been replaced.
    private func hasFile(_ record: DownloadRecord) -> Bool {
        guard let files, let folder = present.folder, let file = record.file, let mark = record.mark else {
            return false
        }
        return files.fileMark(at: file, in: folder)?.identity == mark
    }

    private func removeFiles(of record: DownloadRecord, draft: String) async throws(StoreFailure) {
        guard let files, let folder = present.folder else { return }
        do throws(FileFailure) {
            if files.fileMark(at: draft, in: folder) != nil, let open = try? await files.open(draft, in: folder) {
                await open.discard()
            }
            if hasFile(record), let file = record.file { try await files.remove(file, in: folder) }
        } catch {
            throw StoreFailure(.other, error.reason)
        }
    }
}
