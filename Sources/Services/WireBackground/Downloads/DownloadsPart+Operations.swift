import Synchronization
import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// Requests for downloads, from the local API and from code in this process.
extension DownloadsPart {
    func fetch(_ newDownload: NewDownload) async throws(DownloadFailure) -> Download {
        try await want(newDownload).download
    }

    /// Requests a download; also returns whether it is new.
    func want(_ newDownload: NewDownload) async throws(DownloadFailure) -> (download: Download, isNew: Bool) {
        let (rules, id) = try judge(newDownload)
        if let download = find(id) { return (download, false) }
        let limit = rules.maxPending
        guard scheduler.withLock(\.pending) < limit else {
            throw refusal(
                .full,
                "the limit of \(limit) pending downloads is reached",
                help: "raise 'background.downloads.maxPending', or cancel downloads",
                at: \.$maxPending,
                "maxPending"
            )
        }
        let record = DownloadRecord(
            newDownload,
            id: id,
            of: present.host.owner(of: newDownload.authorization),
            ticket: newTicket(id),
            created: present.host.clock.wall()
        )
        let host = requests?.host(of: record.address)
        let isNew = try await DownloadFailure.wrapping { () async throws(StoreFailure) in
            let isNew = try await repository.records.add(record, of: id)
            var trouble: StoreFailure?
            do throws(StoreFailure) { try await refresh(id) } catch { trouble = error }
            // After a crash between the two writes, a process that finds the record adds the missing entry.
            if isNew { try await repository.add(record, host: host) }
            if let trouble { throw trouble }
            return isNew
        }
        changes.signal()
        guard let download = find(id) else {
            throw DownloadFailure(
                .storeUnavailable,
                "the stored download has an unknown format, or was removed"
            )
        }
        if isNew { emit(.wanted, id) }
        return (download, isNew)
    }

    func ended(_ id: String) async -> Download? {
        guard let entry = scheduler.withLock({ $0[id] }) else { return nil }
        await entry.ending.wait()
        return find(id) ?? describe(entry).cancelled
    }

    // MARK: Reading

    func find(_ id: String) -> Download? { scheduler.withLock { $0[id] }.map(describe) }

    /// All downloads, in the order of their turns; those that ended last come last.
    var all: [Download] {
        let scheduler = scheduler.withLock { $0 }
        return scheduler.ids.compactMap { scheduler[$0] }.map(describe).sorted { left, right in
            (left.order, -left.priority, left.created, left.id)
                < (right.order, -right.priority, right.created, right.id)
        }
    }

    /// A download as callers see it.
    func describe(_ entry: DownloadScheduler.Entry) -> Download {
        let present = present
        let reason: String? =
            if let connectivity = present.host.uses.connectivity, !connectivity.isOnline {
                connectivity.obstacle ?? "there is no network"
            } else if present.rules == nil {
                "'background.downloads' has been removed from the file"
            } else if scheduler.withLock({ $0.hasRoom(for: entry) }) {
                "the download is about to start"
            } else {
                "other downloads are ahead in the queue"
            }
        return Download(
            entry,
            folder: present.folder,
            at: present.host.clock.monotonic(),
            otherwise: reason
        )
    }

    // MARK: Changing

    /// Keeps the received bytes, and stops the download until ``resume(_:)``.
    func pause(_ id: String) async throws(DownloadFailure) {
        guard let entry = scheduler.withLock({ $0[id] }) else { return }
        let changed = try await DownloadFailure.wrapping { () async throws(StoreFailure) in
            let changed = try await self.change(id) { record in
                guard record.state == .wanted else { return false }
                record.state = .paused
                return true
            }
            if changed != nil { try await self.repository.drop(entry.record, host: entry.host) }
            return changed
        }
        if changed != nil { emit(.paused, id) }
    }

    /// Resumes a paused download, restarts a failed one, and ends the wait of a waiting one.
    func resume(_ id: String) async throws(DownloadFailure) {
        guard let entry = scheduler.withLock({ $0[id] }), entry.running == nil else { return }
        let ticket = newTicket(id)
        let changed = try await DownloadFailure.wrapping { () async throws(StoreFailure) in
            let changed = try await self.change(id) { record in
                guard record.state != .done else { return false }
                (record.state, record.ticket) = (.wanted, ticket)
                (record.reason, record.help, record.ended) = (nil, nil, nil)
                return true
            }
            guard let changed else { return false }
            try await self.repository.add(changed, host: entry.host)
            if entry.record.state == .wanted { try await self.repository.drop(entry.record, host: entry.host) }
            return true
        }
        guard changed else { return }
        emit(.resumed, id)
        changes.signal()
    }

    /// Cancels and removes a download with its partial file; a complete file stays unless it is to be removed as well.
    ///
    /// False where there is no such download.
    func remove(_ id: String, withFile: Bool) async throws(DownloadFailure) -> Bool {
        guard let entry = scheduler.withLock({ $0[id] }), let download = find(id) else { return false }
        try await DownloadFailure.wrapping { () async throws(StoreFailure) in
            // The record goes first, so that a running attempt stores nothing any more.
            try await self.repository.records.remove(id)
            _ = self.scheduler.withLock { $0.remove(id) }
            try await self.repository.drop(entry.record, host: entry.host)
        }
        // A running attempt removes its draft when it ends.
        if entry.running == nil { await removeDraft(of: id) }
        if let folder = present.folder, let files {
            if withFile, entry.record.state == .done, let file = entry.record.file,
                files.fileMark(at: file, in: folder)?.identity == entry.record.mark
            {
                try? await files.remove(file, in: folder)
            }
        }
        watches.notify(download.cancelled)
        present.host.emit(DownloadNotices.removed, DownloadEvent(id))
        changes.signal()
        return true
    }

    // MARK: Validation

    private func judge(_ newDownload: NewDownload) throws(DownloadFailure) -> (DownloadRules, String) {
        guard let rules = present.rules else {
            throw DownloadFailure(
                .undeclared,
                "no folder for downloads is set",
                help: "set 'directory' of 'background.downloads'"
            )
        }
        guard let requests else { throw DownloadFailure(.ending, "the network service has ended") }
        let url: WebURL
        do throws(CallFailure) {
            url = try requests.target(of: try DownloadWork.call(newDownload.address, newDownload.authorization)).url
        } catch {
            throw DownloadFailure(.invalid, error.reason, help: error.help, origin: error.origin)
        }
        guard rules.allow(url.host) else {
            throw refusal(
                .forbidden,
                "the host \(url.host.quoted) is not allowed",
                help: "list it under 'background.downloads.hosts'",
                at: \.$hosts,
                "hosts"
            )
        }
        try Self.judge(newDownload)
        if let id = newDownload.id { return (rules, id) }
        return (rules, try usualID(newDownload.address))
    }

    private static func judge(_ newDownload: NewDownload) throws(DownloadFailure) {
        if let name = newDownload.name, FileTitle(exactly: name) == nil {
            throw DownloadFailure(
                .invalid,
                "found the name \(name.quoted), expected a file name without slashes and control characters, not beginning with '.' or '-', of at most \(FileTitle.longest) bytes"
            )
        }
        if let sum = newDownload.sha256, Hexadecimal.bytes(of: sum)?.count != 32 {
            throw DownloadFailure(
                .invalid,
                "found a SHA-256 of \(sum.utf8.count) characters, expected 64 hexadecimal digits"
            )
        }
        if let id = newDownload.id, !NewDownload.isID(id) {
            throw DownloadFailure(
                .invalid,
                "found the id \(id.quoted), expected 1 to 200 letters, digits, '.', '_', '-', ':' or '~', and not only dots"
            )
        }
    }

    private func usualID(_ address: String) throws(DownloadFailure) -> String {
        guard let digest = try? present.host.find(.secrecy)?.digest(Array(address.utf8)) else {
            throw DownloadFailure(.invalid, "this program cannot derive an id from the address", help: "set an id")
        }
        return String(digest.hexadecimal.prefix(32))
    }

    private func refusal(
        _ kind: DownloadFailureKind,
        _ reason: String,
        help: String,
        at place: KeyPath<DownloadRules, Place>,
        _ key: String
    ) -> DownloadFailure {
        let present = present
        let origin = present.rules.flatMap {
            present.host.places.origin(of: $0[keyPath: place], "background.downloads.\(key)")
        }
        return DownloadFailure(kind, reason, help: help, origin: origin)
    }

    // MARK: Events

    /// Sends an event of a download to subscribers and to the log.
    func emit(_ event: DownloadEvents, _ id: String) {
        watches.notify(find(id))
        guard let download = find(id) else { return }
        let log = present.host.log
        switch event {
        case .done:
            log.info("a download is done", ["id": .text(id), "bytes": .integer(download.received)])
        case .started: log.debug("a download starts", ["id": .text(id), "from": .integer(download.received)])
        default: break
        }
        present.host.emit(event, download)
    }

    func tellProgress(_ id: String) {
        watches.notify(find(id))
        guard let download = find(id) else { return }
        var event = DownloadEvent(id)
        (event.received, event.size) = (download.received, download.size)
        (event.rate, event.remaining) = (download.rate, download.remaining)
        present.host.emit(DownloadNotices.progress, event)
    }
}

extension NewDownload {
    static func isID(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-:~".utf8.contains(byte)
                }
            }
    }
}
