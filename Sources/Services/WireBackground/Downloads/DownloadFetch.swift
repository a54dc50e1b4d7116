import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireStore

/// Works on one download, once, from what is there already to the end or to what is in its way.
///
/// What the record says of the file is written down before the bytes it speaks of, and taken back after they are gone: at
/// no moment can bytes of one state of the file be taken for those of another. What name the whole file gets, and which file
/// that is, is written down before it gets it: whoever comes next, for whatever reason, finds that it has its name already.
struct DownloadFetch: Sendable {
    let part: DownloadsPart
    let job: DownloadJob
    let host: BackgroundHost
    let rules: DownloadRules?
    let folder: String?

    init(_ part: DownloadsPart, _ job: DownloadJob) {
        let present = part.present
        (self.part, self.job) = (part, job)
        (host, rules, folder) = (present.host, present.rules, present.folder)
    }

    func run() async -> FetchEnd {
        guard let rules, let folder, let files = part.files, let requests = part.requests else { return .stopped }
        do throws(FetchEnd) {
            let draft = try await FetchEnd.wrapping { () async throws(FileFailure) in
                try await part.prepareFolder()
                return try await files.open(part.draftName(of: job.id), in: folder)
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
                let record = try await wanted(draft)
                if let size = named(record, files, folder) {
                    // The draft is empty, or another name of the same file.
                    await draft.discard()
                    try await writeDone(size: size)
                    return .done
                }
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

    /// The record as it is once nobody else can write the file; throws where another process has ended it before.
    private func wanted(_ draft: any DraftFile) async throws(FetchEnd) -> DownloadRecord {
        do throws(StoreFailure) {
            try part.refresh(job.id)
        } catch {
            throw .hold(.retry, reason: "the store cannot be read: \(error.reason)", after: nil)
        }
        let record = part.ledger.withLock { $0[job.id]?.record }
        if let record, record.state == .wanted, record.ticket == job.claim.id { return record }
        let isWorthless = record.map { $0.state == .done || $0.state == .failed } ?? true
        if isWorthless || draft.size == 0 { await draft.discard() }
        throw .stopped
    }

    /// How long the file is, where it has got its name already, and only that was not written down any more; else nil.
    private func named(_ record: DownloadRecord, _ files: any FileWriting, _ folder: String) -> Int? {
        guard let file = record.file, let mark = record.mark, let found = files.look(at: file, in: folder),
            found.identity == mark, found.size == record.size
        else { return nil }
        return found.size
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
        let (now, ticket) = (host.clock.wall(), job.claim.id)
        do throws(FetchEnd) {
            try await write { record in
                (record.state, record.size, record.synced, record.ended) = (.done, size, size, now)
                (record.reason, record.help) = (nil, nil)
            }
        } catch {
            // Another process has found that the file has its name, and was quicker to say so.
            let record = part.ledger.withLock { $0[job.id]?.record }
            guard let record, record.state == .done, record.ticket == ticket else { throw error }
        }
    }

    // MARK: Failures

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

extension FetchEnd: WrappingError {
    typealias Cause = FileFailure

    /// What a file that cannot be written means for the download.
    init(_ failure: FileFailure) {
        self =
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
    init(_ failure: CallFailure) {
        self =
            switch failure.kind {
            case .cancelled: .stopped
            case .offline: .hold(.network, reason: failure.reason, after: nil)
            case .noToken(.signedOut), .noToken(.locked), .noToken(.distrusted):
                .hold(.signIn, reason: failure.reason, after: nil)
            default:
                failure.mayPass
                    ? .hold(.retry, reason: failure.reason, after: failure.retryAfter) : .failed(failure.fault)
            }
    }
}
