import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore
import WireTelemetry

/// Stores the device: a snapshot in memory, and the record in the store for all processes of a group.
final class DeviceRepository: Sendable {
    final class Present: Sendable {
        let settings: DeviceSection
        let host: DeviceHost

        init(settings: DeviceSection, host: DeviceHost) {
            (self.settings, self.host) = (settings, host)
        }
    }

    private struct State {
        var present: Present
        var record: DeviceRecord
        /// The version of the stored record; 0 where there is none.
        var version: Int64
        var isOver = false
    }

    private let state: Mutex<State>
    private let listeners = Subscribers<KnownDevice>()

    /// Reads the record; nothing is written before the service starts.
    init(_ settings: DeviceSection, in host: DeviceHost) async throws {
        let stored = try await Fault.wrapping { () async throws(StoreFailure) in
            try await Self.records(host).read(Self.name)
        }
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

    /// Device tokens are secrets.
    private static func records(_ host: DeviceHost) -> Repository<DeviceRecord> {
        Repository(
            in: host.stores.device.values,
            namespace: DeviceAlias.namespace,
            prefix: "\(host.environmentScope)/",
            of: "record of",
            isSealed: true
        )
    }

    /// The name of the only record of an environment.
    private static let name = "device"

    /// Changes the record; returns it when it is on the disk.
    ///
    /// The change may run several times, where other processes change the record meanwhile. A change that servers
    /// should get increases the revision.
    @discardableResult
    func edit(_ change: @Sendable (inout DeviceRecord) -> Void) async throws(Fault) -> DeviceRecord {
        let host = present.host
        return try await Fault.wrapping { () async throws(StoreFailure) in
            let (isChange, stored) = try await Self.records(host).edit(Self.name) { kept async throws(StoreFailure) in
                guard !isOver else { throw StoreFailure(.closed, "the service is stopping") }
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
            if isChange {
                host.emit(DeviceEvents.changed, DeviceEvent(revision: stored.record.revision))
            }
            return stored.record
        }
    }

    /// Follows the changes of other processes of the group; returns when the task is cancelled.
    func follow() async {
        let host = present.host
        let records = Self.records(host)
        await records.follow(host.clock) { _ async throws(StoreFailure) in
            if let stored = try await records.readable(Self.name) { become(stored) }
        }
    }

    /// Removes the device from memory and disk, so that the next change starts with an empty one; returns the number
    /// of records.
    func forget(everywhere: Bool, with eraser: Eraser) async throws(Fault) -> Int {
        let count = try await DeviceAlias.forget(in: present.host, everywhere: everywhere, with: eraser)
        guard !eraser.isDryRun else { return count }
        state.withLock { state in
            state.record = DeviceRecord(.unknown)
            // Results of earlier reads are older than this.
            state.version += 1
        }
        return count
    }

    // MARK: Watching

    /// Stores what was read or written, unless a later version is known.
    private func become(_ stored: Repository<DeviceRecord>.Stored) {
        let record = stored.record
        let isChange = state.withLock { state in
            guard stored.version >= state.version else { return false }
            defer { (state.record, state.version) = (record, stored.version) }
            return state.record.device != record.device || state.record.isSaved != record.isSaved
                || state.record.refusal != record.refusal
        }
        if isChange { listeners.notify(self.record.device) }
    }

    func changes() -> AsyncStream<KnownDevice> { listeners.listen(beginningWith: self.record.device) }

    func finish() {
        state.withLock { $0.isOver = true }
        listeners.finish()
    }
}

extension KnownDevice {
    /// A device of which nothing is known.
    fileprivate static var unknown: KnownDevice { KnownDevice(id: nil, alias: "", email: nil, tags: [], tokens: []) }

    /// Whether servers would see no difference; ids from servers do not count.
    func isSame(as other: KnownDevice) -> Bool {
        alias == other.alias && email == other.email && Set(tokens) == Set(other.tokens)
            && Set(tags.map(\.anonymous)) == Set(other.tags.map(\.anonymous))
    }
}

extension DeviceTag {
    fileprivate var anonymous: DeviceTag { DeviceTag(name, value, kind: kind) }
}
