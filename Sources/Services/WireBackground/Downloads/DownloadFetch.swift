import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireStore

/// Runs one attempt of a download, from the present bytes to the end or to an obstacle.
///
/// The record of a state of the file is stored before its bytes are written, and removed after they are deleted, so
/// that bytes of one state are never taken for another's. The final name and the file's identity are stored before the
/// file is renamed, so that after a crash the next attempt finds the renamed file.
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
                    // The draft is empty, or a hard link to the final file.
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

    /// The record, read while the draft is locked; throws where another process has ended the download.
    private func wanted(_ draft: any DraftFile) async throws(FetchEnd) -> DownloadRecord {
        do throws(StoreFailure) {
            try await part.refresh(job.id)
        } catch {
            throw .hold(.retry, reason: "the store cannot be read: \(error.reason)", after: nil)
        }
        let record = part.scheduler.withLock { $0[job.id]?.record }
        if let record, record.state == .wanted, record.ticket == job.claim.id { return record }
        let isWorthless = record.map { $0.state == .done || $0.state == .failed } ?? true
        if isWorthless || draft.size == 0 { await draft.discard() }
        throw .stopped
    }

    /// The size of the file if it has its final name but the record does not say so; else nil.
    private func named(_ record: DownloadRecord, _ files: any FileWriting, _ folder: String) -> Int? {
        guard let file = record.file, let mark = record.mark, let found = files.fileMark(at: file, in: folder),
            found.identity == mark, found.size == record.size
        else { return nil }
        return found.size
    }

    // MARK: The record

    /// Changes the record if this job still has the download.
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
            // Another process has found the renamed file and recorded it first.
            let record = part.scheduler.withLock { $0[job.id]?.record }
            guard let record, record.state == .done, record.ticket == ticket else { throw error }
        }
    }

    // MARK: Failures

    func origin(_ place: KeyPath<DownloadRules, Place>, _ key: String) -> ValueOrigin? {
        rules.flatMap { host.places.origin(of: $0[keyPath: place], "background.downloads.\(key)") }
    }
}

extension FetchEnd {
    /// Whether the failure has a cause besides the end of the connection.
    var isKnown: Bool {
        if case .stopped = self { false } else { true }
    }

    var isDone: Bool {
        if case .done = self { true } else { false }
    }
}

extension FetchEnd: WrappingError {
    typealias Cause = FileFailure

    /// The end of an attempt after a file failure.
    init(_ failure: FileFailure) {
        self =
            switch failure.kind {
            case .full: .hold(.space, reason: "the disk is full: \(failure.reason)", after: nil)
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

    /// The end of an attempt after a request without a response.
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
