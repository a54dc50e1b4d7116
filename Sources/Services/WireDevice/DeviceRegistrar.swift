import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry
import WireWorkContract

/// Saves the device at the server through the outbox, and takes over what the server answers.
///
/// What is written down is that the device is to be saved; what is sent is the device as it is when its turn comes.
final class DeviceRegistrar: Sendable, OutboxClerk {
    private let keeper: DeviceKeeper
    /// The revisions that are under way, by the requests they are in.
    private let underWay = Mutex<[String: Int]>([:])
    private let saves: MetricFamily<Counter>
    private let hasTrouble = Mutex(false)

    init(_ keeper: DeviceKeeper) {
        self.keeper = keeper
        saves = keeper.present.host.metrics.counters(
            "corewire_device_saves",
            "Times the device was saved at the server, by what became of it.",
            by: ["outcome"]
        )
    }

    private static let service = DeviceSection.name
    private static let lane = "device"

    /// What a request is for.
    private enum Errand: String { case save, remove }

    private static func note(_ errand: Errand, _ revision: Int) -> JSONValue {
        .members(["errand": .string(errand.rawValue), "revision": .integer(revision)])
    }

    private static func errand(of item: OutboxItem) -> (errand: Errand, revision: Int)? {
        guard let errand = item.request.note["errand"]?.string.flatMap(Errand.init) else { return nil }
        return (errand, item.request.note["revision"]?.integer ?? 0)
    }

    // MARK: Asking

    /// Has the present revision saved; nothing is done where it is saved, or on its way.
    func save() async throws(Fault) {
        let (record, present) = (keeper.record, keeper.present)
        guard present.settings.register != .never, !record.isRemoved, !record.isSaved else { return }
        var request = OutboxRequest(
            record.device.id == nil ? .post : .put,
            address(of: record.device.id),
            lane: Self.lane,
            service: Self.service
        )
        // However many processes of the group want it saved, it is one request.
        request.id = try await id(saving: record.revision, record)
        request.note = Self.note(.save, record.revision)
        // Servers answer with the device, and so with the tokens it has.
        (request.needsClerk, request.replacesFormer, request.keepsAnswer) = (true, true, false)
        request.authorization = present.settings.authenticated ? .usual : .none
        try await post(request)
    }

    /// Has the server forget an id, where it can.
    func remove(_ id: String, _ record: DeviceRecord) async throws(Fault) {
        var request = OutboxRequest(.delete, address(of: id), lane: Self.lane, service: Self.service)
        request.id = try await self.id("remove \(id)", record.revision)
        request.note = Self.note(.remove, record.revision)
        request.replacesFormer = true
        request.authorization = keeper.present.settings.authenticated ? .usual : .none
        try await post(request)
    }

    private func post(_ given: OutboxRequest) async throws(Fault) {
        var request = given
        request.isOfDevice = true
        guard let outbox = keeper.present.host.uses.outbox else {
            throw Fault("there is no outbox that would save the device")
        }
        _ = try await Fault.wrapping { () async throws(OutboxFailure) in try await outbox.post(request) }
    }

    private func id(_ what: String, _ revision: Int) async throws(Fault) -> String {
        try await InstallIdentity(keeper.present.host).id(of: Self.service, what, "\(revision)")
    }

    /// The id of the request that saves a revision; one that a former version may have sent keeps the id it had then.
    private func id(saving revision: Int, _ record: DeviceRecord) async throws(Fault) -> String {
        revision <= record.formerRevision ? "device-\(revision)" : try await id("save", revision)
    }

    private func address(of id: String?) -> String {
        let text = keeper.present.settings.url.text
        guard let id else { return text }
        return TargetPath.joined(text, id.percentEncoded)
    }

    // MARK: OutboxClerk

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        let present = keeper.present
        guard let (errand, revision) = Self.errand(of: item) else {
            return .obsolete(because: "nobody knows what it is for")
        }
        guard errand == .save else { return .send(item.request) }
        guard !keeper.isOver else { return .wait(because: "the service starts anew", atMost: .seconds(60)) }
        guard present.settings.register != .never else { return .obsolete(because: "the file says 'register: never'") }
        do throws(Fault) {
            // As it is in the store: another process may have changed it.
            let current = try await keeper.edit { _ in }
            if current.isRemoved { return .obsolete(because: "the device was removed") }
            if current.isSaved { return .obsolete(because: "it is saved already") }
            if current.refusal != nil, current.refused == current.revision {
                return .obsolete(because: "the server has refused it as it is")
            }
            // What has changed since is told of by a request of its own: both would tell the same, and a process that dies
            // over one would tell it again as the other. What may have been sent is sent again.
            if item.attempts == 0, revision < current.revision, present.settings.register == .automatic {
                try await save()
                return .obsolete(because: "a later request tells how it is now")
            }
            let record = try await DeviceSetup(keeper).changed { (hook, device) in
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
        guard let (errand, revision) = Self.errand(of: item), errand == .save else { return }
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) } ?? revision
        let wire = HaloDevice(answer.body)
        let host = keeper.present.host
        let (server, now) = (DeviceSetup(keeper).server, host.clock.wall())
        // A page of a network that wants a sign-in first has a good status as well.
        if wire == nil, answer.status != .noContent || keeper.record.device.id == nil {
            throw Fault("the server answered \(answer.status.code) without the device")
        }
        let record = try await keeper.edit { record in
            guard !record.isRemoved else { return }
            if let wire { record.name(by: wire) }
            (record.saved, record.savedAt, record.server) = (sent, now, server)
            (record.since, record.refusal) = (record.since ?? now, nil)
        }
        if record.isRemoved {
            // It was removed while it was on its way: the server is to forget it, too.
            if let id = wire?.id { try await remove(id, record) }
            return
        }
        saves.with("saved").add()
        host.log.info("the device is registered", ["id": record.device.id.map(LogValue.text)])
        host.emit(DeviceEvents.registered, DeviceEvent(revision: sent, id: record.device.id))
        heal()
        await DeviceSetup(keeper).tellRegistered(record.device)
        if keeper.present.settings.register == .automatic { try await save() }
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let (errand, revision) = Self.errand(of: item) else { return }
        let host = keeper.present.host
        let words = answer?.words(without: keeper.record.device.tokens.map(\.token))
        let reason = words.map { "\(reason): \($0)" } ?? reason
        guard errand == .save else {
            // Not every server forgets devices; here it is forgotten all the same.
            return host.log.info("the server does not forget the device", ["reason": .text(reason)])
        }
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) } ?? revision
        do throws(Fault) {
            if answer?.status == .notFound, keeper.record.device.id != nil, !keeper.record.isRemoved {
                // The server knows nothing of it any more: it is registered afresh.
                let gone = keeper.record.device.id
                try await keeper.edit { record in
                    guard record.device.id == gone else { return }
                    record.forgetServer()
                    record.revision += 1
                }
                return try await save()
            }
            // A later one has taken its place, or says what is so now.
            guard keeper.record.revision <= sent, !keeper.record.isRemoved else { return }
            // A request with an id of a secret that is gone says nothing of what is asked now.
            guard item.id == (try await id(saving: revision, keeper.record)) else { return }
            try await keeper.edit { record in
                guard record.revision <= sent else { return }
                (record.refusal, record.refused) = (reason, sent)
            }
        } catch {
            host.log.error("it cannot be kept what became of the device", ["reason": .text(error.reason)])
        }
        saves.with("refused").add()
        host.emit(DeviceEvents.failed, DeviceEvent(reason: reason))
        tell(Fault("the device could not be saved: \(reason)", help: "'corewire device register' tries it again"))
    }

    // MARK: The state of the service

    /// Says what is wrong with the device, at the place of the file where its server stands.
    func tell(_ fault: Fault) {
        let present = keeper.present
        var fault = fault
        fault.origin = fault.origin ?? present.host.places.origin(of: present.settings.$url, "device.url")
        hasTrouble.withLock { $0 = true }
        present.host.report(.degraded(fault))
    }

    func heal() {
        let had = hasTrouble.withLock { trouble in
            defer { trouble = false }
            return trouble
        }
        if had { keeper.present.host.report(.well) }
    }
}
