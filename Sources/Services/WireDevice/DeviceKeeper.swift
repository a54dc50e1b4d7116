import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore
import WireTelemetry

/// Keeps what is known of the device: a snapshot here, and the record in the store for all processes of a group.
final class DeviceKeeper: Sendable {
    struct Present: Sendable {
        let settings: DeviceSection
        let host: DeviceHost
    }

    private struct State {
        var present: Present
        var record: DeviceRecord
        /// The version of the record in the store; 0 where there is none.
        var version: Int64
        var isOver = false
    }

    private let state: Mutex<State>
    private let listeners = Listeners<KnownDevice>()

    /// Reads what is kept; nothing is written before the service starts.
    init(_ settings: DeviceSection, in host: DeviceHost) throws {
        let stored = try Fault.wrapping { () throws(StoreFailure) in try Self.records(host).read(Self.name) }
        state = Mutex(
            State(
                present: Present(settings: settings, host: host),
                record: stored?.record ?? DeviceRecord(.unknown),
                version: stored?.version ?? 0
            )
        )
    }

    var present: Present { state.withLock { $0.present } }
    var record: DeviceRecord { state.withLock { $0.record } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func rebind(to settings: DeviceSection, in host: DeviceHost) {
        state.withLock { $0.present = Present(settings: settings, host: host) }
    }

    // MARK: The store

    /// Tokens that reach the device are secrets.
    private static func records(_ host: DeviceHost) -> Repository<DeviceRecord> {
        Repository(
            in: host.stores.values,
            namespace: DeviceAlias.namespace,
            prefix: "\(host.environmentScope)/",
            of: "record of",
            isSealed: true
        )
    }

    /// Under this name stands the one record of an environment.
    private static let name = "device"

    /// Changes the record; returns it when it is on the disk.
    ///
    /// The change may be asked for several times, where other processes change it meanwhile. What servers are to be told makes
    /// another revision of it.
    @discardableResult
    func edit(_ change: @Sendable (inout DeviceRecord) -> Void) async throws(Fault) -> DeviceRecord {
        let host = present.host
        return try await Fault.wrapping { () async throws(StoreFailure) in
            let (isNews, stored) = try await Self.records(host).edit(Self.name) { kept async throws(StoreFailure) in
                guard !isOver else { throw StoreFailure(.closed, "the service ends") }
                var record = kept ?? self.record
                if kept == nil { record.device.alias = try await DeviceAlias.find(in: host) }
                let former = record
                change(&record)
                if !record.device.isSame(as: former.device), record.revision == former.revision { record.revision += 1 }
                // Identified logins name the device by it.
                if record.device.alias != former.device.alias {
                    try await DeviceAlias.keep(record.device.alias, in: host)
                }
                kept = record
                return record.revision != former.revision
            }
            guard let stored else { return record }
            become(stored)
            if isNews {
                host.emit(DeviceEvents.changed, DeviceEvent(revision: stored.record.revision))
            }
            return stored.record
        }
    }

    /// Takes over what other processes of the group change, as they do; returns when the task is cancelled.
    func follow() async {
        let host = present.host
        let records = Self.records(host)
        await records.follow(host.clock) { _ in
            if let stored = try? records.read(Self.name) { become(stored) }
        }
    }

    /// Forgets the device, here and on the disk, so that the next change begins with nothing; how many records there were.
    func forget(everywhere: Bool) async throws(Fault) -> Int {
        let host = present.host
        let prefix = everywhere ? "" : "\(host.environmentScope)/"
        return try await Fault.wrapping { () async throws(StoreFailure) in
            let count = try await host.stores.values.clear(DeviceAlias.namespace, keysBeginning: prefix)
            state.withLock { state in
                state.record = DeviceRecord(.unknown)
                // What was read before and comes late is older than this.
                state.version += 1
            }
            return count
        }
    }

    // MARK: Watching

    /// Takes over what was read or written; nothing where a later version is known, however late this one comes.
    private func become(_ stored: Repository<DeviceRecord>.Stored) {
        let record = stored.record
        let isNews = state.withLock { state in
            guard stored.version >= state.version else { return false }
            defer { (state.record, state.version) = (record, stored.version) }
            return state.record.device != record.device || state.record.isSaved != record.isSaved
                || state.record.refusal != record.refusal
        }
        if isNews { listeners.tell(self.record.device) }
    }

    func changes() -> AsyncStream<KnownDevice> { listeners.listen(beginningWith: self.record.device) }

    func finish() {
        state.withLock { $0.isOver = true }
        listeners.finish()
    }
}

extension KnownDevice {
    /// Nothing is known.
    fileprivate static var unknown: KnownDevice { KnownDevice(id: nil, alias: "", email: nil, tags: [], tokens: []) }

    /// Whether servers would see the same; what they call it is theirs.
    func isSame(as other: KnownDevice) -> Bool {
        alias == other.alias && email == other.email && Set(tokens) == Set(other.tokens)
            && Set(tags.map(\.anonymous)) == Set(other.tags.map(\.anonymous))
    }
}

extension DeviceTag {
    fileprivate var anonymous: DeviceTag { DeviceTag(name, value, kind: kind) }
}
