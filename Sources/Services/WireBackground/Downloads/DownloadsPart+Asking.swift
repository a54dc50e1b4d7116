import WireHTTP
import WireSecrets
import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

/// What can be asked of downloads; the local API and code in this process ask alike.
extension DownloadsPart {
    func fetch(_ wish: DownloadWish) async throws(DownloadRefusal) -> Download {
        try await want(wish).view.download
    }

    /// The same, with whether it is new.
    func want(_ wish: DownloadWish) async throws(DownloadRefusal) -> (view: DownloadView, isNew: Bool) {
        let (rules, id) = try judge(wish)
        if let view = view(id) { return (view, false) }
        let limit = rules.maxPending
        guard ledger.withLock(\.pending) < limit else {
            throw refusal(
                .full,
                "as many downloads wait as may, \(limit)",
                help: "raise 'background.downloads.maxPending', or cancel some",
                at: \.$maxPending,
                "maxPending"
            )
        }
        let record = DownloadRecord(
            wish,
            id: id,
            of: present.host.owner(of: wish.authorization),
            ticket: newTicket(id),
            created: present.host.clock.wall()
        )
        let host = requests?.host(of: record.address)
        var isNew = true
        do throws(StoreFailure) {
            do throws(StoreFailure) {
                let version = try await shelf.put(record, if: .absent)
                // Where the program ends between the two, whoever finds the record finds that its work is missing.
                ledger.withLock { _ = $0.put(record, version, host: host) }
                try await shelf.add(record, host: host)
            } catch {
                guard error.kind == .conflict else { throw error }
                isNew = false
                try refresh(id)
            }
        } catch {
            throw DownloadRefusal(.notWritten, error.reason, help: error.help)
        }
        changes.signal()
        guard let view = view(id) else {
            throw DownloadRefusal(
                .notWritten,
                "the download is not as this version writes it, or was removed meanwhile"
            )
        }
        if isNew { tell("download.wanted", id) }
        return (view, isNew)
    }

    func look(_ id: String) -> Download? { view(id)?.download }

    func ended(_ id: String) async -> Download? {
        guard let entry = ledger.withLock({ $0[id] }) else { return nil }
        await entry.ending.wait()
        return look(id) ?? view(entry).cancelled.download
    }

    func watch(_ id: String) -> AsyncStream<Download> { watch(id) { $0.download } }

    // MARK: Looking

    func view(_ id: String) -> DownloadView? {
        ledger.withLock { $0[id] }.map(view)
    }

    /// All that are known, in the order in which they are fetched; those that have ended last.
    var views: [DownloadView] {
        let ledger = ledger.withLock { $0 }
        return ledger.ids.compactMap { ledger[$0] }.map(view).sorted { left, right in
            (left.order, -left.record.priority, left.record.created, left.record.id)
                < (right.order, -right.record.priority, right.record.created, right.record.id)
        }
    }

    func view(_ entry: DownloadLedger.Entry) -> DownloadView {
        let present = present
        let reason: String? =
            if let connectivity = present.host.find(.connectivity), !connectivity.isOnline {
                connectivity.obstacle ?? "there is no network"
            } else if present.rules == nil {
                "the file does not say where downloads go any more"
            } else if ledger.withLock({ $0.hasRoom(for: entry) }) {
                "it is about to begin"
            } else {
                "others are fetched before it"
            }
        return DownloadView(
            entry,
            folder: present.folder,
            at: present.host.clock.monotonic(),
            otherwise: reason
        )
    }

    // MARK: Changing

    /// Keeps what is here, and fetches no more of it until ``resume(_:)``; nil where there is no such download.
    func pause<Told>(_ id: String, told: (DownloadView) -> Told) async throws(DownloadRefusal) -> Told? {
        guard let entry = ledger.withLock({ $0[id] }) else { return nil }
        let changed = try await writing { () async throws(StoreFailure) in
            let changed = try await self.change(id) { record in
                guard record.state == .wanted else { return false }
                record.state = .paused
                return true
            }
            if changed != nil { try await self.shelf.drop(entry.record, host: entry.host) }
            return changed
        }
        if changed != nil { tell("download.paused", id) }
        return view(id).map(told)
    }

    /// Fetches on what was paused, anew what has failed, and at once what waits.
    func resume<Told>(_ id: String, told: (DownloadView) -> Told) async throws(DownloadRefusal) -> Told? {
        guard let entry = ledger.withLock({ $0[id] }) else { return nil }
        guard entry.running == nil else { return view(id).map(told) }
        let ticket = newTicket(id)
        let changed = try await writing { () async throws(StoreFailure) in
            let changed = try await self.change(id) { record in
                guard record.state != .done else { return false }
                (record.state, record.ticket) = (.wanted, ticket)
                (record.reason, record.help, record.ended) = (nil, nil, nil)
                return true
            }
            guard let changed else { return false }
            try await self.shelf.add(changed, host: entry.host)
            if entry.record.state == .wanted { try await self.shelf.drop(entry.record, host: entry.host) }
            return true
        }
        if changed {
            tell("download.resumed", id)
            changes.signal()
        }
        return view(id).map(told)
    }

    /// Gives a download up and forgets it, with what is here of it; a file that is whole stays, unless it is to go too.
    func remove(_ id: String, withFile: Bool) async throws(DownloadRefusal) -> DownloadView? {
        guard let entry = ledger.withLock({ $0[id] }), let view = view(id) else { return nil }
        try await writing { () async throws(StoreFailure) in
            // First the record: whoever is fetching it finds that it is gone, and writes nothing down any more.
            try await self.shelf.remove(id)
            _ = self.ledger.withLock { $0.remove(id) }
            try await self.shelf.drop(entry.record, host: entry.host)
        }
        // Where it is being written to, whoever does so removes it when that has ended.
        if entry.running == nil { await removeDraft(of: id) }
        if let folder = present.folder, let files {
            if withFile, entry.record.state == .done, let file = entry.record.file,
                files.look(at: file, in: folder)?.identity == entry.record.mark
            {
                try? await files.remove(file, in: folder)
            }
        }
        watches.tell(view.cancelled)
        emit("download.removed", .members(["id": .string(id)]))
        changes.signal()
        return view
    }

    private func writing<Result>(
        _ work: () async throws(StoreFailure) -> Result
    ) async throws(DownloadRefusal) -> Result {
        do throws(StoreFailure) { return try await work() } catch {
            throw DownloadRefusal(.notWritten, error.reason, help: error.help)
        }
    }

    // MARK: Judging

    private func judge(_ wish: DownloadWish) throws(DownloadRefusal) -> (DownloadRules, String) {
        guard let rules = present.rules else {
            throw DownloadRefusal(
                .undeclared,
                "the file does not say where downloads go",
                help: "set 'directory' of 'background.downloads'"
            )
        }
        guard let requests else { throw DownloadRefusal(.ended, "nothing sends requests any more") }
        let url: WebURL
        do throws(CallFailure) {
            url = try requests.target(of: try DownloadWork.call(wish.address, wish.authorization)).url
        } catch {
            throw DownloadRefusal(.invalid, error.reason, help: error.help, origin: error.origin)
        }
        guard rules.allow(url.host) else {
            throw refusal(
                .forbidden,
                "nothing may come from \(url.host.quoted)",
                help: "list it under 'background.downloads.hosts'",
                at: \.$hosts,
                "hosts"
            )
        }
        try Self.judge(wish)
        if let id = wish.id { return (rules, id) }
        return (rules, try usualID(wish.address))
    }

    private static func judge(_ wish: DownloadWish) throws(DownloadRefusal) {
        if let name = wish.name, FileTitle(exactly: name) == nil {
            throw DownloadRefusal(
                .invalid,
                "found the name \(name.quoted), expected one of a file: no slashes, no control characters, no dot or '-' at its beginning, at most \(FileTitle.longest) bytes"
            )
        }
        if let sum = wish.sha256, Hexadecimal.bytes(of: sum)?.count != 32 {
            throw DownloadRefusal(
                .invalid,
                "found a SHA-256 of \(sum.utf8.count) characters, expected 64 hexadecimal digits"
            )
        }
        if let id = wish.id, !DownloadWish.isID(id) {
            throw DownloadRefusal(
                .invalid,
                "found the id \(id.quoted), expected 1 to 200 letters, digits, '.', '_', '-', ':' or '~', and not only dots"
            )
        }
        guard DownloadWish.priorities.contains(wish.priority) else {
            throw DownloadRefusal(
                .invalid,
                "found the priority \(wish.priority), expected \(DownloadWish.priorities.lowerBound) to \(DownloadWish.priorities.upperBound)"
            )
        }
    }

    private func usualID(_ address: String) throws(DownloadRefusal) -> String {
        guard let digest = try? present.host.find(.secrecy)?.digest(Array(address.utf8)) else {
            throw DownloadRefusal(.invalid, "nothing here makes an id of the address", help: "give one")
        }
        return String(digest.hexadecimal.prefix(32))
    }

    private func refusal(
        _ kind: DownloadRefusal.Kind,
        _ reason: String,
        help: String,
        at place: KeyPath<DownloadRules, Place>,
        _ key: String
    ) -> DownloadRefusal {
        let present = present
        let origin = present.rules.flatMap {
            present.host.places.origin(of: $0[keyPath: place], "background.downloads.\(key)")
        }
        return DownloadRefusal(kind, reason, help: help, origin: origin)
    }

    // MARK: Telling

    /// Says what happened to a download, to whoever watches.
    func tell(_ event: String, _ id: String) {
        guard let view = view(id) else { return }
        watches.tell(view)
        let log = present.host.log
        switch event {
        case "download.done":
            log.info("a download is done", ["id": .text(id), "bytes": .integer(view.received)])
        case "download.started": log.debug("a download comes", ["id": .text(id), "from": .integer(view.received)])
        default: break
        }
        emit(event, view.json)
    }

    func tellProgress(_ id: String) {
        guard let view = view(id) else { return }
        watches.tell(view)
        emit(
            "download.progress",
            .members([
                "id": .string(id), "received": .integer(view.received), "size": view.record.size.map(JSONValue.integer),
                "rate": view.rate.map(JSONValue.integer), "remaining": view.remaining.map(JSONValue.integer),
            ])
        )
    }

    func emit(_ event: String, _ data: JSONValue) {
        present.host.events.emit(event, generation: present.host.generation, data)
    }
}

extension DownloadWish {
    static let priorities = -100...100

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

extension DownloadView {
    fileprivate var order: Int {
        switch state {
        case .running: 0
        case .waiting: 1
        case .paused: 2
        case .failed: 3
        case .done, .cancelled: 4
        }
    }
}
