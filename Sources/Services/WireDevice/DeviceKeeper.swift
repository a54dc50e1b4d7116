import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

/// Keeps what is known of the device: a snapshot here, and the record in the store for all processes of a group.
final class DeviceKeeper: Sendable {
    struct Present: Sendable {
        let settings: DeviceSection
        let host: ServiceHost
    }

    private struct State {
        var present: Present
        var record: DeviceRecord
        /// The version of the record in the store; 0 where there is none.
        var version: Int64
        var watchers: [Int: AsyncStream<KnownDevice>.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    private let state: Mutex<State>

    /// Reads what is kept; nothing is written before the service starts.
    init(_ settings: DeviceSection, in host: ServiceHost) throws {
        let kept = try Self.read(host)
        let empty = DeviceRecord(KnownDevice(id: nil, alias: "", email: nil, tags: [], tokens: []))
        state = Mutex(
            State(
                present: Present(settings: settings, host: host),
                record: kept?.record ?? empty,
                version: kept?.version ?? 0
            )
        )
    }

    var present: Present { state.withLock { $0.present } }
    var record: DeviceRecord { state.withLock { $0.record } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func rebind(to settings: DeviceSection, in host: ServiceHost) {
        state.withLock { $0.present = Present(settings: settings, host: host) }
    }

    // MARK: The store

    private static func key(_ host: ServiceHost) -> String { "\(host.environmentScope)/device" }

    private static func read(_ host: ServiceHost) throws(Fault) -> (record: DeviceRecord, version: Int64)? {
        do throws(StoreFailure) {
            guard let entry = try host.stores.values.entry(key(host), in: DeviceAlias.namespace) else { return nil }
            guard let record = DeviceRecord(entry.bytes) else {
                throw StoreFailure(
                    .newer,
                    "what is kept of the device is not as this program writes it",
                    help: "run the version that wrote it"
                )
            }
            return (record, entry.summary.version)
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// Changes the record; returns it when it is on the disk.
    ///
    /// The change may be asked for several times, where others change it meanwhile. What servers are to be told makes another
    /// revision of it.
    @discardableResult
    func edit(_ change: @Sendable (inout DeviceRecord) -> Void) async throws(Fault) -> DeviceRecord {
        let host = present.host
        while true {
            guard !isOver else { throw Fault("the service ends") }
            let kept = try Self.read(host)
            var record = kept?.record ?? self.record
            if kept == nil { record.device.alias = try await DeviceAlias.find(in: host) }
            let former = record
            change(&record)
            if !record.device.isSame(as: former.device), record.revision == former.revision { record.revision += 1 }
            if let kept, record == kept.record {
                become(record, kept.version)
                return record
            }
            let written: StoreReceipt
            do throws(StoreFailure) {
                if record.device.alias != former.device.alias {
                    // Identified logins name the device by it.
                    try await DeviceAlias.keep(
                        record.device.alias,
                        in: host.stores.values,
                        scope: host.environmentScope
                    )
                }
                // Tokens that reach the device are nobody else's to know.
                written = try await host.stores.values.put(
                    NewValue(record.bytes, type: "application/json", isSealed: true),
                    under: Self.key(host),
                    in: DeviceAlias.namespace,
                    if: kept.map { .version($0.version) } ?? .absent
                )
            } catch {
                if error.kind == .conflict { continue }
                throw Fault(error.reason, help: error.help)
            }
            become(record, written.version)
            if record.revision != former.revision {
                host.emit(DeviceEvents.changed, DeviceEvent(revision: record.revision))
            }
            return record
        }
    }

    /// Takes over what other processes of the group change, as they do; returns when the task is cancelled.
    func follow() async {
        let host = present.host
        let (store, namespace) = (host.stores.values, DeviceAlias.namespace)
        var seen = (try? store.changes(after: .max, in: namespace, limit: 1).version) ?? 0
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let found = try store.changes(after: seen, in: namespace, limit: 64)
                seen = found.version
                if found.hasGap || !found.changes.isEmpty, let kept = try? Self.read(host) {
                    become(kept.record, kept.version)
                }
                _ = try await store.changed(after: seen)
            } catch {
                try? await host.clock.sleep(.seconds(5))
            }
        }
    }

    /// Forgets the device, here and on the disk, so that the next change begins with nothing; how many records there were.
    func forget(everywhere: Bool) async throws(Fault) -> Int {
        let host = present.host
        let prefix = everywhere ? "" : "\(host.environmentScope)/"
        do throws(StoreFailure) {
            let store = host.stores.values
            let count = try await store.clear(DeviceAlias.namespace, keysBeginning: prefix)
            state.withLock { state in
                state.record = DeviceRecord(KnownDevice(id: nil, alias: "", email: nil, tags: [], tokens: []))
                // What was read before and comes late is older than this.
                state.version += 1
            }
            return count
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    // MARK: Watching

    /// Takes over what was read or written; nothing where a later version is known, however late this one comes.
    private func become(_ record: DeviceRecord, _ version: Int64) {
        let watchers = state.withLock { state -> [AsyncStream<KnownDevice>.Continuation] in
            guard version >= state.version else { return [] }
            let isNews =
                state.record.device != record.device || state.record.isSaved != record.isSaved
                || state.record.refusal != record.refusal
            (state.record, state.version) = (record, version)
            return isNews ? Array(state.watchers.values) : []
        }
        for watcher in watchers { watcher.yield(record.device) }
    }

    func changes() -> AsyncStream<KnownDevice> {
        let (stream, watcher) = AsyncStream.makeStream(of: KnownDevice.self, bufferingPolicy: .bufferingNewest(1))
        let isOver = state.withLock { state in
            watcher.yield(state.record.device)
            guard !state.isOver else { return true }
            state.last += 1
            let number = state.last
            state.watchers[number] = watcher
            watcher.onTermination = { [weak self] _ in
                self?.state.withLock { $0.watchers[number] = nil }
            }
            return false
        }
        if isOver { watcher.finish() }
        return stream
    }

    func finish() {
        let watchers = state.withLock { state in
            state.isOver = true
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }
}

extension KnownDevice {
    /// Whether servers would see the same; what they call it is theirs.
    func isSame(as other: KnownDevice) -> Bool {
        alias == other.alias && email == other.email && Set(tokens) == Set(other.tokens)
            && Set(tags.map(\.anonymous)) == Set(other.tags.map(\.anonymous))
    }
}

extension DeviceTag {
    fileprivate var anonymous: DeviceTag { DeviceTag(name, value, kind: kind) }
}
