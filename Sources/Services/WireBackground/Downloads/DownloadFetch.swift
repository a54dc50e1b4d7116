import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// Works on one download, once, from what is there already to the end or to what is in its way.
///
/// What the record says of the file is written down before the bytes it speaks of, and taken back after they are gone: at
/// no moment can bytes of one state of the file be taken for those of another.
struct DownloadFetch: Sendable {
    let part: DownloadsPart
    let job: DownloadJob
    let host: ServiceHost
    let rules: DownloadRules?
    let folder: String?

    init(_ part: DownloadsPart, _ job: DownloadJob) {
        let present = part.present
        (self.part, self.job) = (part, job)
        (host, rules, folder) = (present.host, present.rules, present.folder)
    }

    func run() async -> FetchEnd {
        guard let rules, let folder, let files = part.files, let requests = part.requests,
            let record = part.ledger.withLock({ $0[job.id]?.record })
        else { return .stopped }
        do throws(FetchEnd) {
            if try await wasFinished(record, files, folder) { return .done }
            let draft: any DraftFile
            do throws(FileFailure) {
                try await files.prepare(folder)
                draft = try await files.open(part.draftName(of: job.id), in: folder)
            } catch {
                throw end(error)
            }
            var work = DownloadWork(
                fetch: self,
                rules: rules,
                folder: folder,
                files: files,
                requests: requests,
                draft: draft
            )
            do throws(FetchEnd) {
                try await checkIsWanted(folder, files, isEmpty: draft.size == 0)
                try await work.goOn(record)
                try await work.finish()
            } catch {
                await draft.close()
                throw error
            }
            await draft.close()
            return .done
        } catch {
            return Task.isCancelled && !error.isDone ? .stopped : error
        }
    }

    /// Throws where another process has ended it before this one had the draft, which nobody else can write from here on.
    private func checkIsWanted(_ folder: String, _ files: any FileWriting, isEmpty: Bool) async throws(FetchEnd) {
        do throws(StoreFailure) {
            try part.refresh(job.id)
        } catch {
            throw .hold(.retry, reason: "the store cannot be read: \(error.reason)", after: nil)
        }
        let record = part.ledger.withLock { $0[job.id]?.record }
        if record?.state == .wanted, record?.ticket == job.claim.id { return }
        if isEmpty { try? await files.remove(part.draftName(of: job.id), in: folder) }
        throw .stopped
    }

    /// Whether the file has got its name already, and only that was not written down any more.
    private func wasFinished(
        _ record: DownloadRecord,
        _ files: any FileWriting,
        _ folder: String
    ) async throws(FetchEnd) -> Bool {
        guard let file = record.file, let mark = record.mark, let found = files.look(at: file, in: folder),
            found.identity == mark, record.size ?? found.size == found.size,
            files.look(at: part.draftName(of: job.id), in: folder) == nil
        else { return false }
        try await writeDone(size: found.size)
        return true
    }

    // MARK: The record

    /// Changes the record, where the download is still this job's.
    @discardableResult
    func write(_ change: @escaping @Sendable (inout DownloadRecord) -> Void) async throws(FetchEnd) -> DownloadRecord {
        let ticket = job.claim.id
        do throws(StoreFailure) {
            let record = try await part.change(job.id) { record in
                guard record.state == .wanted, record.ticket == ticket else { return false }
                change(&record)
                return true
            }
            if let record { return record }
        } catch {
            throw .hold(.retry, reason: "the store cannot be written: \(error.reason)", after: nil)
        }
        throw .stopped
    }

    func writeDone(size: Int) async throws(FetchEnd) {
        let now = host.clock.wall()
        try await write { record in
            (record.state, record.size, record.synced, record.ended) = (.done, size, size, now)
            (record.reason, record.help) = (nil, nil)
        }
    }

    // MARK: Failures

    /// What a file that cannot be written means for the download.
    func end(_ failure: FileFailure) -> FetchEnd {
        switch failure.kind {
        case .full: .hold(.space, reason: "there is no room: \(failure.reason)", after: nil)
        case .taken: .hold(.elsewhere, reason: failure.reason, after: nil)
        case .refused:
            .hold(
                .retry,
                reason: "the folder for downloads cannot be written: \(failure.reason)",
                after: nil
            )
        case .exists, .broken, .other: .hold(.retry, reason: failure.reason, after: nil)
        }
    }

    /// What a request without an answer means for the download.
    func end(_ failure: CallFailure) -> FetchEnd {
        switch failure.kind {
        case .cancelled: .stopped
        case .offline: .hold(.network, reason: failure.reason, after: nil)
        case .noToken(.signedOut), .noToken(.locked): .hold(.signIn, reason: failure.reason, after: nil)
        default:
            failure.mayPass ? .hold(.retry, reason: failure.reason, after: failure.retryAfter) : .failed(failure.fault)
        }
    }

    func origin(_ place: KeyPath<DownloadRules, Place>, _ key: String) -> ValueOrigin? {
        rules.flatMap { host.places.origin(of: $0[keyPath: place], "background.downloads.\(key)") }
    }
}

extension FetchEnd {
    /// Whether it says more than that it has ended.
    var isKnown: Bool {
        if case .stopped = self { false } else { true }
    }

    var isDone: Bool {
        if case .done = self { true } else { false }
    }
}
