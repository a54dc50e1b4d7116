import Synchronization
import WireBase
import WireConfig
package import WireDownloadContract
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The part for downloads, which survive interruptions and restarts.
///
/// A request is stored before it is confirmed; the progress is the size of the draft. Each download is claimed before
/// an attempt, so that only one process fetches it.
final class DownloadsPart: BackgroundPart, Downloads {
    /// The present settings; replaced as a whole.
    final class Present: Sendable {
        let rules: DownloadRules?
        let retry: RetryRules
        let host: BackgroundHost
        /// The folder of downloads; nil where the file sets none.
        let folder: String?

        init(_ settings: BackgroundSection, _ host: BackgroundHost) {
            (rules, retry, self.host) = (settings.downloads, settings.retry, host)
            folder = settings.downloads.map { rules in
                let path = rules.directory.path
                if path.hasPrefix("/") { return Files.normalized(path) }
                return Files.normalized("\(host.find(.dataFolder)?.path ?? host.folder)/\(path)")
            }
        }
    }

    private let state: Mutex<Present>
    let scheduler = Mutex(DownloadScheduler())
    let repository: DownloadRepository
    let files: (any FileWriting)?
    let measures: DownloadMeasures
    let watches = DownloadWatches()
    let changes = ChangeSignal()
    let folderWakeup = Wakeup()
    /// Why the folder is not writable.
    let obstacle = Mutex<String?>(nil)
    private let isDraining = Mutex(false)
    /// Whether downloads are being cleared, by one task at a time; nothing begins meanwhile.
    let isClearing = Mutex(false)
    private let ending = OneShot()

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        state = Mutex(Present(settings, host))
        files = host.find(.fileWriting)
        let secrecy = host.find(.secrecy)
        let short: @Sendable (String) -> String = { text in
            // Without digests, names stay long, and the store reports it if they are too long.
            let digest = try? secrecy?.digest(Array(text.utf8)).hexadecimal
            return digest.map { String($0.prefix(32)) } ?? text
        }
        repository = DownloadRepository(
            host.stores.device,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope,
            short: short
        )
        measures = DownloadMeasures(host.metrics)
    }

    var present: Present { state.withLock { $0 } }

    var abilities: [OfferedAbility] {
        present.rules == nil ? [] : [ServiceAbility.downloads.offered(by: self)]
    }

    // MARK: Life

    func start() async throws {
        takeOver(present)
        guard present.rules != nil else { return }
        try await load()
        await prune()
    }

    func run() async throws {
        defer { scheduler.withLock { $0.release() } }
        guard present.rules != nil || !scheduler.withLock(\.ids).isEmpty else {
            return await untilStopped()
        }
        measures.watch(self)
        await work()
    }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        let next = Present(settings, host)
        state.withLock { $0 = next }
        takeOver(next)
        changes.signal()
        // Reported again, with the present place in the file.
        obstacle.withLock { if $0 != nil { $0 = "" } }
        folderWakeup.wake()
    }

    /// The progress is stored and claims are given back, for the next process.
    func drain() async {
        isDraining.withLock { $0 = true }
        await rest()
    }

    /// Returns when all attempts have ended, or the task is cancelled.
    func rest() async {
        scheduler.withLock { $0.stopAll() }
        changes.signal()
        while !Task.isCancelled {
            let count = changes.count
            if scheduler.withLock(\.running) == 0 { return }
            await changes.wait(after: count)
        }
    }

    func stop() async {
        isDraining.withLock { $0 = true }
        ending.fire()
        scheduler.withLock { scheduler in
            scheduler.stopAll()
            scheduler.release()
        }
        watches.end()
    }

    var mayBegin: Bool {
        !isClearing.withLock { $0 } && !isDraining.withLock { $0 } && present.rules != nil && !ending.hasFired
    }

    private func untilStopped() async { await ending.wait() }

    private func takeOver(_ present: Present) {
        guard let rules = present.rules else { return }
        scheduler.withLock { scheduler in
            (scheduler.parallel, scheduler.perHost) = (rules.parallel, rules.perHost)
        }
    }

    // MARK: Records

    /// Reads all downloads of this app and environment.
    func load() async throws(StoreFailure) {
        // Downloads that are added during the read must not be removed because they were not found.
        let before = scheduler.withLock { scheduler in scheduler.ids.map { ($0, scheduler[$0]?.version) } }
        let found = try await repository.records.all()
        let requests = requests
        let known = Set(found.map(\.record.id))
        for stored in found {
            let record = stored.record
            let host = requests?.host(of: record.address)
            let size = draftSize(of: record)
            scheduler.withLock { scheduler in
                scheduler.put(record, stored.version, host: host)
                if let size, scheduler[record.id]?.running == nil {
                    _ = scheduler.record(size, of: record.id, at: .zero - .seconds(60))
                }
            }
        }
        for (id, version) in before where !known.contains(id) { forget(id, version) }
    }

    /// Removes downloads that ended long ago.
    func prune() async {
        guard let rules = present.rules else { return }
        let limit = present.host.clock.wall() - rules.remember.inMicroseconds / 1_000
        for id in scheduler.withLock(\.ids) {
            guard let ended = scheduler.withLock({ $0[id]?.record.ended }), ended < limit else { continue }
            do throws(StoreFailure) {
                try await repository.records.remove(id)
                _ = scheduler.withLock { $0.remove(id) }
            } catch {
                present.host.log.warning("an ended download could not be removed", ["reason": .text(error.reason)])
                return
            }
        }
    }

    /// Changes a record in the store and in memory; the closure may return false to leave it unchanged.
    ///
    /// Nil where it is unchanged, or does not exist any more.
    func change(
        _ id: String,
        _ change: @Sendable (inout DownloadRecord) -> Bool
    ) async throws(StoreFailure) -> DownloadRecord? {
        guard let entry = scheduler.withLock({ $0[id] }) else { return nil }
        let (isChanged, stored) = try await repository.records.edit(id) { record in
            guard var changed = record, change(&changed) else { return false }
            record = changed
            return true
        }
        guard isChanged, let stored else {
            try await refresh(id)
            return nil
        }
        scheduler.withLock { _ = $0.put(stored.record, stored.version, host: entry.host) }
        return stored.record
    }

    /// Reads the record of a download again.
    func refresh(_ id: String) async throws(StoreFailure) {
        let before = scheduler.withLock { $0[id]?.version }
        if let stored = try await repository.records.readable(id) {
            let host = requests?.host(of: stored.record.address)
            let isChange = scheduler.withLock { $0.put(stored.record, stored.version, host: host) }
            if isChange { watches.notify(find(id)) }
        } else {
            forget(id, before)
        }
    }

    /// Removes a download that another process removed, unless it was requested again since.
    private func forget(_ id: String, _ version: Int64?) {
        let gone = scheduler.withLock { $0[id]?.version == version ? $0.remove(id) : nil }
        guard let entry = gone else { return }
        watches.notify(describe(entry).cancelled)
    }

    var requests: (any ServerClient)? { present.host.uses.requests }

    // MARK: Files

    /// The name of the draft: fixed for a download, and unique.
    func draftName(of id: String) -> String { draftName(of: id, in: repository.scope) }

    func draftName(of id: String, in scope: String) -> String {
        let digest = try? present.host.find(.secrecy)?.digest(Array("\(scope)\(id)".utf8)).hexadecimal
        return ".\(digest.map { String($0.prefix(32)) } ?? id).part"
    }

    /// Removes the draft of a download, unless another process is writing to it.
    func removeDraft(of id: String) async {
        let name = draftName(of: id)
        guard let files, let folder = present.folder, files.fileMark(at: name, in: folder) != nil,
            let draft = try? await files.open(name, in: folder)
        else { return }
        await draft.discard()
    }

    private func draftSize(of record: DownloadRecord) -> Int? {
        guard record.state == .wanted || record.state == .paused, let folder = present.folder else { return nil }
        return files?.fileMark(at: draftName(of: record.id), in: folder)?.size
    }
}

extension BackgroundService {
    /// Nil where the file sets no folder for downloads.
    package var downloads: (any Downloads)? {
        Abilities(abilities)[.downloads]
    }
}

extension ServerClient {
    /// The host of an address; nil where the address is invalid.
    func host(of address: String) -> String? {
        (try? Address(parsing: address)).flatMap { url(of: $0) }?.host
    }
}
