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

/// The transfer of one download: requests, validation and writes to the draft.
struct DownloadWork {
    let fetch: DownloadFetch
    let rules: DownloadRules
    let folder: String
    let files: any FileWriting
    let requests: any ServerClient
    let draft: any DraftFile
    private var digest: (any RunningDigest)?
    /// Whether all bytes came in one response, so that none belong to a former state of the file.
    private var isOfOneAnswer = false

    init(
        fetch: DownloadFetch,
        rules: DownloadRules,
        folder: String,
        files: any FileWriting,
        requests: any ServerClient,
        draft: any DraftFile
    ) {
        (self.fetch, self.rules, self.folder) = (fetch, rules, folder)
        (self.files, self.requests, self.draft) = (files, requests, draft)
    }

    private var id: String { fetch.job.id }
    private var clock: TimeSource { fetch.host.clock }

    // MARK: Requests

    /// Returns when the draft is complete, or throws the obstacle.
    mutating func goOn(_ record: DownloadRecord) async throws(FetchEnd) {
        try await takeUp(record)
        var record = record
        var (hops, restarts, parts) = (0, 0, 0)
        var address = record.address
        while true {
            if Task.isCancelled { throw .stopped }
            if let size = record.size, draft.size == size, size > 0 || isOfOneAnswer {
                guard try await isRight(record) else {
                    // The bytes came in several responses: fetch the whole file again, once.
                    guard !isOfOneAnswer else { throw .failed(try wrongDigest()) }
                    restarts += 1
                    record = try await restart(because: "the SHA-256 does not match")
                    continue
                }
                return
            }
            let question = RangeQuestion(offset: draft.size, size: record.size, validator: record.validator)
            let answer = try await ask(address, question, record)
            let verdict = RangeAnswer(answer.status, answer.fields, to: question)
            switch verdict {
            case .body(let offset, let end, let size, let validator):
                parts += 1
                guard parts <= 10_000 else {
                    throw .hold(.retry, reason: "the server sends the file in parts that are too small", after: nil)
                }
                let body = ComingBody(offset: offset, end: end, size: size, validator: validator)
                record = try await take(body, of: answer, from: address)
                if record.size == nil {
                    // Without an announced size, the file ends where the response does.
                    let size = draft.size
                    record = try await fetch.write { $0.size = size }
                }
            case .complete:
                let size = draft.size
                record = try await fetch.write { $0.size = size }
            case .restart(let reason):
                restarts += 1
                guard restarts <= 3 else { throw .hold(.retry, reason: reason, after: nil) }
                record = try await restart(because: reason)
            case .elsewhere(let location):
                hops += 1
                guard hops <= 10 else { throw .failed(Fault("more than 10 consecutive redirects")) }
                address = try redirect(from: address, to: location)
            case .later(let reason, let after):
                throw .hold(.retry, reason: reason, after: after.map { min($0, fetch.part.present.retry.max) })
            case .never(let reason): throw .failed(Fault(reason))
            }
        }
    }

    /// Determines how many of the present bytes can be kept.
    private mutating func takeUp(_ record: DownloadRecord) async throws(FetchEnd) {
        // Bytes of an earlier boot count only as far as they were flushed.
        var usable = canResume(record) ? record.boot == files.boot ? draft.size : min(draft.size, record.synced) : 0
        if let size = record.size, usable > size { usable = 0 }
        try await cut(to: usable)
        // After a lack of space, the request is repeated only when there is enough.
        if let size = record.size ?? record.atLeast, size > usable { try await checkFreeSpace(for: size - usable) }
        if record.sha256 != nil { try await beginDigest() }
        note(draft.size)
    }

    /// Whether the present bytes can be kept.
    ///
    /// Without a validator they may belong to another state of the file, unless a digest proves them in the end.
    private func canResume(_ record: DownloadRecord) -> Bool {
        rules.resume && (record.validator != nil || (record.sha256 != nil && record.size != nil))
    }

    private mutating func beginDigest() async throws(FetchEnd) {
        guard let digests = fetch.host.find(.runningDigests) else {
            throw .failed(Fault("this program cannot compute a SHA-256"))
        }
        let digest: any RunningDigest
        do throws(Fault) {
            digest = try digests.begin()
        } catch {
            throw .failed(Fault("the SHA-256 cannot be computed: \(error.reason)"))
        }
        self.digest = digest
        try await FetchEnd.rethrowing(try await draft.witness { digest.add($0) })
    }

    /// Deletes the present bytes, then resets the record.
    private mutating func restart(because reason: String) async throws(FetchEnd) -> DownloadRecord {
        fetch.host.log.notice("a download restarts", ["id": .text(id), "reason": .text(reason)])
        fetch.part.measures.restarted()
        try await cut(to: 0)
        let record = try await fetch.write { $0.forgetProgress() }
        isOfOneAnswer = false
        if record.sha256 != nil { try await beginDigest() }
        fetch.part.scheduler.withLock { $0.markRestarted(id) }
        return record
    }

    private func ask(
        _ address: String,
        _ question: RangeQuestion,
        _ record: DownloadRecord
    ) async throws(FetchEnd) -> ServerAnswer {
        var call = try await self.call(address, record)
        let target = try await asking { () throws(CallFailure) in try requests.target(of: call) }
        guard rules.allow(target.url.host) else {
            throw .failed(
                Fault(
                    "the host \(target.url.host.quoted) is not allowed",
                    help: "list it under 'background.downloads.hosts'",
                    origin: fetch.origin(\.$hosts, "hosts")
                )
            )
        }
        if target.authorization.isOfUser, let reason = fetch.host.absence(of: record.user) {
            throw .hold(.signIn, reason: reason, after: nil)
        }
        call.place = fetch.origin(\.$directory, "directory")
        call.fields = question.fields
        // Another user may sign in until the token is read.
        (call.tokenRights, call.user) = (record.tokenRights, record.user)
        // Each redirect target is checked here.
        call.redirects = .none
        call.offlinePolicy = OfflinePolicy.none
        call.retries = 0
        call.waitsForNetwork = false
        call.isLong = true
        return try await asking { () async throws(CallFailure) in try await requests.send(call) }
    }

    private func asking<Answer>(
        _ work: () async throws(CallFailure) -> Answer
    ) async throws(FetchEnd) -> Answer {
        do throws(CallFailure) { return try await work() } catch { throw FetchEnd(error) }
    }

    /// The request for a download at any address.
    static func call(
        _ address: String,
        _ authorization: ServerCall.Authorization
    ) throws(CallFailure) -> ServerCall {
        let destination = try CallFailure.rethrowing(try ServerCall.Destination(parsing: address))
        var call = ServerCall(.get, destination, from: "background")
        call.authorization = authorization
        return call
    }

    /// The request with the download's token; after a redirect, only a server with a right to the token receives it.
    private func call(_ address: String, _ record: DownloadRecord) async throws(FetchEnd) -> ServerCall {
        guard address != record.address, let url = try? WebURL(parsing: address) else {
            return try await asking { () throws(CallFailure) in try Self.call(address, record.authorization) }
        }
        var call = ServerCall(.get, .address(Address(url)), from: "background")
        call.authorization = record.authorization
        if (try? requests.target(of: call)) == nil { call.authorization = .none }
        return call
    }

    private func redirect(from address: String, to location: String) throws(FetchEnd) -> String {
        let base = (try? Address(parsing: address)).flatMap { requests.url(of: $0) }
        guard let base, let target = base.resolving(location) else {
            throw .failed(Fault("the server redirected to an invalid address"))
        }
        guard !(base.scheme == "https" && target.scheme != "https") else {
            throw .failed(Fault("the server redirected from https to \(target.scheme.quoted), which is not encrypted"))
        }
        return target.description
    }

    // MARK: The body

    private mutating func take(
        _ body: ComingBody,
        of answer: ServerAnswer,
        from address: String
    ) async throws(FetchEnd) -> DownloadRecord {
        let (offset, size, validator) = (body.offset, body.size, body.validator)
        if let size, size > rules.maxSize.bytes { throw .failed(tooLarge("\(ByteCount.bytes(size))")) }
        if let size { try await keepReserve(for: size - offset, wanting: size) }
        if offset == 0, draft.size > 0 { try await cut(to: 0) }
        isOfOneAnswer = offset == 0
        if offset == 0 {
            if digest != nil { try await beginDigest() }
            fetch.part.scheduler.withLock { $0.markRestarted(id) }
        }
        let title = offset == 0 ? FileTitle(of: answer.fields, at: address)?.text : nil
        let (boot, synced) = (files.boot, offset)
        var record = try await fetch.write { record in
            (record.size, record.validator, record.boot, record.synced) = (size, validator, boot, synced)
            record.atLeast = nil
            if offset == 0 { (record.title, record.file, record.mark) = (title, nil, nil) }
        }
        fetch.part.emit(.started, id)
        var pauses = WritePauses(at: clock.monotonic())
        do {
            while let bytes = try await fetch.job.watch.reading({ try await answer.body.read() }) {
                if bytes.isEmpty { continue }
                if let end = body.end, draft.size + bytes.count > end {
                    throw FetchEnd.hold(.retry, reason: "the server sent more than it announced", after: nil)
                }
                guard draft.size + bytes.count <= rules.maxSize.bytes else {
                    throw FetchEnd.failed(tooLarge("more than \(rules.maxSize)"))
                }
                do throws(FetchEnd) {
                    try await keepReserve(for: bytes.count, wanting: draft.size + bytes.count)
                } catch {
                    // Bytes that cannot be resumed need not take space.
                    if !canResume(record) { try await cut(to: 0) }
                    throw error
                }
                try await FetchEnd.rethrowing(try await draft.append(bytes))
                fetch.part.measures.received(bytes.count)
                note(draft.size)
                // Without a validator the download cannot be resumed, so the progress is not stored.
                if pauses.isTimeToWrite(at: clock.monotonic()), validator != nil {
                    let synced = try await sync()
                    record = try await fetch.write { $0.synced = synced }
                }
            }
        } catch let end as FetchEnd {
            throw end
        } catch {
            if Task.isCancelled { throw .stopped }
            let reason =
                (error as? TransferFailure)?.reason ?? (error as? CallFailure)?.reason ?? "the connection was lost"
            throw .hold(.retry, reason: reason, after: nil)
        }
        if let end = body.end, draft.size < end {
            throw .hold(.retry, reason: "the response ended after \(draft.size) of \(end) bytes", after: nil)
        }
        return record
    }

    private func sync() async throws(FetchEnd) -> Int {
        try await FetchEnd.rethrowing(try await draft.sync())
    }

    private func cut(to size: Int) async throws(FetchEnd) {
        guard draft.size > size else { return }
        try await FetchEnd.rethrowing(try await draft.cut(to: size))
        note(size)
    }

    private func note(_ received: Int) {
        let isTime = fetch.part.scheduler.withLock { $0.record(received, of: id, at: clock.monotonic()) }
        if isTime { fetch.part.tellProgress(id) }
    }

    private func tooLarge(_ found: String) -> Fault {
        Fault(
            "the file has \(found), expected \(rules.maxSize) at most",
            help: "raise 'background.downloads.maxSize'",
            origin: fetch.origin(\.$maxSize, "maxSize")
        )
    }

    /// Throws where the next bytes would use the reserve of the disk, and stores the minimum size of the file.
    private func keepReserve(for count: Int, wanting size: Int) async throws(FetchEnd) {
        do throws(FetchEnd) {
            try await checkFreeSpace(for: count)
        } catch {
            try await fetch.write { $0.atLeast = size }
            throw error
        }
    }

    /// Throws where the disk has less space than the bytes and the reserve need.
    private func checkFreeSpace(for count: Int) async throws(FetchEnd) {
        guard var room = files.room(in: folder) else { return }
        let (needed, isTooMuch) = count.addingReportingOverflow(rules.reserve.bytes)
        if !isTooMuch, room.bytes >= needed, room.bytes - needed < Self.unwritten {
            // Appended bytes that are not written yet need space as well.
            _ = try await sync()
            room = files.room(in: folder) ?? room
        }
        guard isTooMuch || room.bytes < needed else { return }
        throw .hold(
            .space,
            reason: "not enough disk space: \(room) are free, expected \(ByteCount.bytes(count)) and a reserve of "
                + "\(rules.reserve)",
            after: nil
        )
    }

    /// The bytes that a draft buffers before a write.
    private static let unwritten = 4 << 20

    // MARK: Completion

    private func isRight(_ record: DownloadRecord) async throws(FetchEnd) -> Bool {
        guard let wanted = record.sha256 else { return true }
        // The digest is complete once all bytes are written.
        _ = try await sync()
        return digest?.value?.hexadecimal == wanted
    }

    private func wrongDigest() throws(FetchEnd) -> Fault {
        Fault(
            "the file has the SHA-256 \(digest?.value?.hexadecimal ?? "of nothing"), which does not match",
            help: "check the file at the server, and the expected SHA-256"
        )
    }

    /// Gives the file its final name, and stores that.
    func finish() async throws(FetchEnd) {
        let identity = draft.mark.identity
        let size = draft.size
        let record = try await fetch.write { _ in }
        let title =
            record.name.flatMap(FileTitle.init(exactly:)) ?? record.title.flatMap(FileTitle.init(exactly:))
            ?? FileTitle(takenFrom: "download \(id)") ?? FileTitle(takenFrom: "download")
        guard let title else { throw .failed(Fault("the file has no name")) }
        var number = 1
        while true {
            if Task.isCancelled { throw .stopped }
            let name = title.numbered(number).text
            number += 1
            if files.fileMark(at: name, in: folder) != nil { continue }
            // After a crash, the stored identity tells that the file with this name is the download.
            try await fetch.write { ($0.file, $0.mark) = (name, identity) }
            do throws(FileFailure) {
                try await draft.finish(as: name)
            } catch {
                if error.kind == .exists { continue }
                throw FetchEnd(error)
            }
            break
        }
        try await fetch.writeDone(size: size)
    }
}

/// What the headers announce about a body.
private struct ComingBody {
    let offset: Int
    let end: Int?
    let size: Int?
    let validator: String?
}

/// Decides when to store the progress of a body.
private struct WritePauses {
    private var written: Duration
    private static let pause = Duration.seconds(5)

    init(at time: Duration) { written = time }

    mutating func isTimeToWrite(at time: Duration) -> Bool {
        guard time - written >= Self.pause else { return false }
        written = time
        return true
    }
}

extension DownloadRules {
    /// Whether downloads may come from a host.
    func allow(_ host: String) -> Bool { hosts.isEmpty || hosts.contains { $0.covers(host) } }
}
