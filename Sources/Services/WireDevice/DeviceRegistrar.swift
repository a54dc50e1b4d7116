import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry
import WireWorkContract

/// Saves the device at the server through the outbox, and stores the server's response.
///
/// The queued request contains no data: the device is sent as it is when the request is due.
final class DeviceRegistrar: Sendable, OutboxDelegate {
    private let repository: DeviceRepository
    /// The revisions being sent, by request id.
    private let underWay = Mutex<[String: Int]>([:])
    private let saves: MetricFamily<Counter>
    private let hasTrouble = Mutex(false)
    /// The last request of this process that saves the device behind a removal.
    private let behindRemoval = Mutex<(id: String, revision: Int)?>(nil)
    /// Held from reading the record until its request is posted: an earlier revision never replaces a later one.
    private let posting = AsyncMutex()

    init(_ repository: DeviceRepository) {
        self.repository = repository
        saves = repository.present.host.metrics.counters(
            "corewire_device_saves",
            "The number of requests to save the device, by result.",
            by: ["outcome"]
        )
    }

    private static let service = DeviceSection.name
    private static let lane = "device"

    /// The kind of a request.
    private enum Operation: String { case save, remove }

    private static func note(_ operation: Operation, _ revision: Int) -> JSONValue {
        .members(["errand": .string(operation.rawValue), "revision": .integer(revision)])
    }

    private static func operation(of item: OutboxItem) -> (operation: Operation, revision: Int)? {
        guard let operation = item.request.note["errand"]?.string.flatMap(Operation.init) else { return nil }
        return (operation, item.request.note["revision"]?.integer ?? 0)
    }

    // MARK: Asking

    /// Queues a request for the present revision, unless it is saved or was queued; returns whether it is new.
    @discardableResult
    func save() async throws(Fault) -> Bool {
        try await posting.alone { () async throws(Fault) in try await saveAlone() }
    }

    private func saveAlone() async throws(Fault) -> Bool {
        let (record, present) = (repository.record, repository.present)
        guard present.settings.register != .never, !record.isRemoved, !record.isSaved else { return false }
        var request = OutboxRequest(
            record.device.id == nil ? .post : .put,
            address(of: record.device.id),
            lane: Self.lane,
            service: Self.service
        )
        // All processes of a group queue the same request.
        request.id = try await id(saving: record.revision, record)
        request.note = Self.note(.save, record.revision)
        // Responses contain the device with its tokens, so they are secret.
        (request.needsDelegate, request.storesResponse) = (true, false)
        request.authorization = present.settings.authenticated ? .usual : .none
        guard let removal = record.removal else {
            request.replacesFormer = true
            return try await post(request)
        }
        // The waiting removal of the former device stays. So does a save behind it, which sends the device as it is then.
        if let former = behindRemoval.withLock({ $0 }), former.revision > removal,
            await present.host.uses.outbox?.isUntried(former.id) ?? false
        {
            return false
        }
        // The former one may be removed for lack of room, and this one is the later then.
        behindRemoval.withLock { $0 = nil }
        let isNew = try await post(request)
        behindRemoval.withLock { [id = request.id] in $0 = id.map { ($0, record.revision) } }
        return isNew
    }

    /// Deletes an id at the server, where it supports that.
    func remove(_ id: String, _ record: DeviceRecord) async throws(Fault) {
        // Not before a save that is being posted, which would replace it.
        try await posting.alone { () async throws(Fault) in try await removeAlone(id, record) }
    }

    private func removeAlone(_ id: String, _ record: DeviceRecord) async throws(Fault) {
        var request = OutboxRequest(.delete, address(of: id), lane: Self.lane, service: Self.service)
        request.id = try await self.id("remove \(id)", record.revision)
        request.note = Self.note(.remove, record.revision)
        request.authorization = repository.present.settings.authenticated ? .usual : .none
        try await post(request)
    }

    @discardableResult
    private func post(_ given: OutboxRequest) async throws(Fault) -> Bool {
        var request = given
        (request.isOfDevice, request.isLocal) = (true, true)
        guard let outbox = repository.present.host.uses.outbox else {
            throw Fault("no outbox: the device cannot be saved")
        }
        return try await Fault.wrapping { () async throws(OutboxFailure) in try await outbox.post(request).isNew }
    }

    private func id(_ what: String, _ revision: Int) async throws(Fault) -> String {
        try await InstallIdentity(repository.present.host).id(of: Self.service, what, "\(revision)")
    }

    /// The id of the request that saves a revision; a request of a former version keeps its id.
    private func id(saving revision: Int, _ record: DeviceRecord) async throws(Fault) -> String {
        revision <= record.formerRevision ? "device-\(revision)" : try await id("save", revision)
    }

    private func address(of id: String?) -> String {
        let text = repository.present.settings.url.text
        guard let id else { return text }
        return TargetPath.joined(text, id.percentEncoded)
    }

    // MARK: OutboxDelegate

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        let present = repository.present
        guard let (operation, revision) = Self.operation(of: item) else {
            return .obsolete(because: "unknown kind of request")
        }
        guard operation == .save else { return .send(item.request) }
        guard !repository.isOver else { return .wait(because: "the service is restarting", atMost: .seconds(60)) }
        guard present.settings.register != .never else { return .obsolete(because: "the file says 'register: never'") }
        do throws(Fault) {
            // Read from the store: another process may have changed it.
            let current = try await repository.edit { _ in }
            if current.isRemoved { return .obsolete(because: "the device was removed") }
            if current.isSaved { return .obsolete(because: "the device is already saved") }
            if current.refusal != nil, current.refused == current.revision {
                return .obsolete(because: "the server has rejected this revision")
            }
            // A save from before the removal would come before the removal, and the removal would delete what it saved.
            if let removal = current.removal, revision < removal {
                return .obsolete(because: "the device was removed")
            }
            // A later revision has a request of its own. Sending it here too would repeat it under another id after a
            // crash. A request that may have been sent is sent again, as is one that has replaced the later one because
            // another process was slow to post it.
            if item.attempts == 0, revision < current.revision, present.settings.register == .automatic {
                if try await save() { return .obsolete(because: "a later request sends the current revision") }
            }
            let record = try await DeviceSetup(repository).changed { (hook, device) in
                try await hook.willRegister(device)
            }
            var request = item.request
            request.method = record.device.id == nil ? .post : .put
            request.address = address(of: record.device.id)
            request.body = record.wire.body(replacingTokens: record.device.id != nil)
            request.fields["Content-Type"] = "application/json"
            underWay.withLock { $0[item.id] = record.revision }
            return .send(request)
        } catch {
            return .wait(because: error.reason, atMost: .seconds(60))
        }
    }

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let (operation, revision) = Self.operation(of: item), operation == .save else { return }
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) } ?? revision
        let wire = HaloDevice(answer.body)
        let host = repository.present.host
        let (server, now) = (DeviceSetup(repository).server, host.clock.wall())
        // The page of a captive portal has a good status too.
        if wire == nil, answer.status != .noContent || repository.record.device.id == nil {
            throw Fault("the server responded with status \(answer.status.code) without the device")
        }
        let record = try await repository.edit { record in
            guard !record.isRemoved else {
                if wire?.id != nil { record.removal = record.revision }
                return
            }
            if let wire { record.name(by: wire) }
            (record.saved, record.savedAt, record.server) = (sent, now, server)
            (record.since, record.refusal) = (record.since ?? now, nil)
            if let removal = record.removal, sent > removal { record.removal = nil }
        }
        if record.isRemoved {
            // The device was removed while the request was being sent: delete it at the server too.
            if let id = wire?.id { try await remove(id, record) }
            return
        }
        saves.with("saved").add()
        host.log.info("the device is registered", ["id": record.device.id.map(LogValue.text)])
        host.emit(DeviceEvents.registered, DeviceEvent(revision: sent, id: record.device.id))
        heal()
        await DeviceSetup(repository).tellRegistered(record.device)
        if repository.present.settings.register == .automatic { try await save() }
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let (operation, revision) = Self.operation(of: item) else { return }
        let host = repository.present.host
        let words = answer?.words(without: repository.record.device.tokens.map(\.token))
        let reason = words.map { "\(reason): \($0)" } ?? reason
        guard operation == .save else {
            // Not every server can delete devices; it is removed here all the same.
            return host.log.info("the server cannot delete the device", ["reason": .text(reason)])
        }
        // One that no attempt was made to send stands for later revisions, where it waited behind a removal.
        let isForAll = behindRemoval.withLock { $0?.id == item.id }
        let sent =
            underWay.withLock { $0.removeValue(forKey: item.id) } ?? (isForAll ? repository.record.revision : revision)
        do throws(Fault) {
            if answer?.status == .notFound, repository.record.device.id != nil, !repository.record.isRemoved {
                // The server no longer knows the device: register it again.
                let gone = repository.record.device.id
                try await repository.edit { record in
                    guard record.device.id == gone else { return }
                    record.forgetServer()
                    record.revision += 1
                }
                try await save()
                return
            }
            // A later request sends the present revision, or the present state needs none.
            guard repository.record.revision <= sent, !repository.record.isRemoved else { return }
            // A request under an id of a lost secret is not the present one.
            guard item.id == (try await id(saving: revision, repository.record)) else { return }
            try await repository.edit { record in
                guard record.revision <= sent else { return }
                (record.refusal, record.refused) = (reason, sent)
            }
        } catch {
            host.log.error("could not save the result for the device", ["reason": .text(error.reason)])
        }
        saves.with("refused").add()
        host.emit(DeviceEvents.failed, DeviceEvent(reason: reason))
        report(Fault("the device could not be saved: \(reason)", help: "run 'corewire device register' to try again"))
    }

    // MARK: The state of the service

    /// Reports a problem of the device, at the line of its server in the file.
    func report(_ fault: Fault) {
        let present = repository.present
        var fault = fault
        fault.origin = fault.origin ?? present.host.places.origin(of: present.settings.$url, "device.url")
        present.host.report { [fault] in
            hasTrouble.withLock { $0 = true }
            return .degraded(fault)
        }
    }

    func heal() {
        repository.present.host.report {
            hasTrouble.withLock { trouble in
                defer { trouble = false }
                return trouble ? .well : nil
            }
        }
    }
}
