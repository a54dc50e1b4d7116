import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry
import WireWorkContract

/// Builds the queued requests of errands when they are due, and stores the results.
///
/// The stored operation holds no tokens and keys; those are inserted right before a request is sent.
final class PushDelegate: Sendable, OutboxDelegate {
    /// The state of a server after it has accepted a request.
    private struct Sent: Sendable {
        let token: ProviderToken?
        let server: String
        let facts: String
        let user: String?
        /// The tags of the other registrations that the request ends.
        let ends: [String]
    }

    private let reconciler: RegistrationReconciler
    private let underWay = Mutex<[String: Sent]>([:])
    /// Why due requests could not be built, by id; each reason is reported once.
    private let held = Mutex<[String: String]>([:])
    private let told: MetricFamily<Counter>

    init(_ reconciler: RegistrationReconciler) {
        self.reconciler = reconciler
        told = reconciler.host.metrics.counters(
            "corewire_push_requests",
            "The number of requests by server, kind and result.",
            by: ["registrar", "what", "outcome"]
        )
    }

    private static let lookAgain = Duration.seconds(3_600)

    // MARK: Before

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        let readiness = await checkReadiness(item)
        guard case .wait(let reason, _) = readiness else {
            held.withLock { $0[item.id] = nil }
            return readiness
        }
        if let operation = PushOperation(note: item.request.note),
            let registrar = reconciler.registrar(operation.registrar),
            held.withLock({ $0.updateValue(reason, forKey: item.id) }) != reason
        {
            PushTelemetry(reconciler.host).held(operation.kind, registrar, because: reason)
        }
        return readiness
    }

    /// Forgets a request that has left the outbox: the next one gets an id of its own.
    private func forget(_ item: OutboxItem, _ operation: PushOperation) async throws(Fault) {
        try await reconciler.repository.edit(operation.registrar, operation.tag) { registration in
            if registration.asked?.id == item.id { registration.asked = nil }
        }
    }

    private func checkReadiness(_ item: OutboxItem) async -> OutboxReadiness {
        guard let operation = PushOperation(note: item.request.note) else {
            return .obsolete(because: "unknown kind of request")
        }
        guard !reconciler.isOver else { return .wait(because: "the service is restarting", atMost: .seconds(60)) }
        do throws(Fault) {
            guard let registrar = reconciler.registrar(operation.registrar) else {
                try await forget(item, operation)
                return .obsolete(because: "the file no longer has a registrar \(operation.registrar.quoted)")
            }
            guard operation.epoch == (try await reconciler.repository.tokens()).epoch(of: operation.tag) else {
                try await forget(item, operation)
                return .obsolete(because: "all push data was removed")
            }
            let owner = try await reconciler.owner(of: registrar)
            let tag = owner.tag
            let (asking, meant) = (operation.by ?? operation.tag, operation.by == nil ? tag : operation.tag)
            guard asking == tag || asking == PushOperation.anybody else {
                return .wait(because: "the request waits for the sign-in of another user", atMost: Self.lookAgain)
            }
            if operation.kind.begins, let fault = reconciler.host.uses.presence?.missing(registrar.value.needs) {
                return .wait(because: fault.reason, atMost: Self.lookAgain)
            }
            let registrarStatus = reconciler.registrarStatus(registrar.name)
            guard registrarStatus.knows(enoughFor: operation.kind, of: tag) else {
                let reason = registrarStatus.waiting?.fault.reason ?? "the token is not known yet"
                return .wait(because: reason, atMost: Self.lookAgain)
            }
            if item.attempts > 0 {
                PushTelemetry(reconciler.host).triedAgain(operation.kind, registrar, attempts: item.attempts)
            }
            return try await complete(item, operation, registrar, meant, owner.wire)
        } catch {
            return .wait(because: error.reason, atMost: Self.lookAgain)
        }
    }

    private func complete(
        _ item: OutboxItem,
        _ operation: PushOperation,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ wire: any PushWire
    ) async throws(Fault) -> OutboxReadiness {
        let registration = try await reconciler.repository.registration(registrar.name, tag)
        // A request of a caller with a body of its own is always sent.
        let isCurrent = operation.kind.isOfRegistration && item.request.body.isEmpty
        if isCurrent, registration.asked?.id != item.id, registration.revision >= operation.revision {
            return .obsolete(because: "a later request replaces it, or the server is up to date")
        }
        if operation.kind == .register, registrar.value.waitsForPermission, let refusal = reconciler.permissionRefusal {
            return .wait(because: refusal.reason, atMost: Self.lookAgain)
        }
        var registrarStatus = reconciler.registrarStatus(registrar.name)
        (registrarStatus.registration, registrarStatus.tag) = (registration, tag)
        if registrarStatus.token == nil, operation.kind.isOfRegistration, registration.acknowledged == nil {
            return .wait(because: "no provider has a token", atMost: Self.lookAgain)
        }
        var moment = try await reconciler.moment(for: registrar, registrarStatus, id: "")
        moment.id = try uuid(of: item.id)
        // The time of the event, not of its delivery.
        if operation.kind.event != nil || operation.kind == .mobileEvent { moment.time = operation.time }
        if operation.by != nil { moment.user = registration.acknowledged?.user ?? moment.user }
        // The server ends the registrations of other users with the same token, where it is asked to.
        let ends =
            await operation.kind == .register && registrar.value.endsOthers
            ? try reconciler.formers(of: registrar, but: tag) : []
        (moment.words, moment.endsOthers) = (item.request.body, !ends.isEmpty)
        if isCurrent, ends.isEmpty, isDone(item, operation, registrar, registrarStatus) {
            try await forget(item, operation)
            return .obsolete(because: "the server is up to date")
        }
        if registrar.value.needsDeviceID, moment.device.id == nil {
            return .wait(because: "the server has not registered the device yet", atMost: .seconds(300))
        }
        guard let call = wire.call(operation, moment) else {
            if operation.kind == .unregister {
                // The server cannot be told, so nothing is left to wait for.
                try await record(operation, item.id, nil)
                reconciler.poke()
            }
            return .obsolete(because: "this server does not accept such requests")
        }
        if operation.kind.isOfRegistration {
            let isNew = operation.kind == .register || operation.kind == .update
            let token = isNew ? moment.token : moment.former ?? moment.token
            let user = StoredTokens.isPerson(tag) ? moment.user : nil
            let facts = try reconciler.digest(wire.facts(moment))
            let sent = Sent(token: token, server: wire.server, facts: facts, user: user, ends: ends)
            underWay.withLock { $0[item.id] = sent }
        }
        return .send(call.complete(item.request))
    }

    /// Whether the server is up to date by now, so that a request of this side has nothing to say.
    ///
    /// A rejected request is repeated after a start.
    private func isDone(
        _ item: OutboxItem,
        _ operation: PushOperation,
        _ registrar: NamedRegistrar,
        _ registrarStatus: RegistrarStatus
    ) -> Bool {
        let registration = registrarStatus.registration
        guard operation.kind == .register || operation.kind == .update, registrar.value.deviceTokens == nil,
            let asked = registration.asked, asked.id == item.id, !asked.isRequested, registration.refusal == nil
        else { return false }
        return registrarStatus.next(at: registrar) == nil
    }

    /// The id of the request as a UUID, which platforms may require.
    ///
    /// Former versions named requests in another form and derived a UUID here. Such a request may have been sent
    /// already, so it keeps its id.
    private func uuid(of id: String) throws(Fault) -> String {
        guard id.hasPrefix("push-") else { return id }
        let first = try reconciler.digest("1 \(id)")
        let second = try reconciler.digest("2 \(id)")
        let digits = Array(first + second)
        let parts = [
            digits[0..<8], digits[8..<12], ["8"] + digits[13..<16], ["8"] + digits[17..<20], digits[20..<32],
        ]
        return parts.map { String($0) }.joined(separator: "-")
    }

    // MARK: After

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let operation = PushOperation(note: item.request.note),
            let registrar = reconciler.registrar(operation.registrar)
        else {
            return
        }
        // A registration that was removed while its request was being sent is not stored again.
        guard operation.epoch == (try await reconciler.repository.tokens()).epoch(of: operation.tag) else { return }
        let token = underWay.withLock { $0[item.id]?.token }
        if let objection = registrar.objection(to: answer, to: operation.kind, telling: token) {
            told.with(registrar.name, operation.kind.rawValue, "strange").add()
            let fault = Fault("the server responded with status \(answer.status.code) with \(objection)")
            reconciler.record(strangeAnswer: fault, of: registrar)
            PushTelemetry(reconciler.host).strangeAnswer(
                to: operation.kind,
                registrar,
                because: objection,
                status: answer.status.code
            )
            reconciler.poke()
            throw fault
        }
        reconciler.record(strangeAnswer: nil, of: registrar)
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) }
        if operation.kind.isOfRegistration {
            try await record(operation, item.id, sent)
        }
        told.with(registrar.name, operation.kind.rawValue, "told").add()
        PushTelemetry(reconciler.host).done(
            operation.kind,
            registrar,
            token: sent?.token,
            status: answer.status.code,
            note: PushAnswer(answer.body)?.complaint
        )
        if operation.kind.isOfRegistration { reconciler.poke() }
    }

    private func record(_ operation: PushOperation, _ id: String, _ sent: Sent?) async throws(Fault) {
        let now = reconciler.host.clock.wall()
        for former in sent?.ends ?? [] {
            try await reconciler.repository.edit(operation.registrar, former) {
                ($0.acknowledged, $0.asked) = (nil, nil)
            }
        }
        try await reconciler.repository.edit(operation.registrar, operation.tag) { registration in
            registration.revision = max(registration.revision, operation.revision)
            if registration.asked?.id == id { registration.asked = nil }
            registration.refusal = nil
            switch operation.kind {
            case .unregister: registration.acknowledged = nil
            case .suspend: registration.acknowledged?.isSuspended = true
            case .unsuspend: registration.acknowledged?.isSuspended = false
            default: break
            }
            guard let sent, let token = sent.token, operation.kind != .unregister else { return }
            let isSame = registration.acknowledged?.server == sent.server
            let since = isSame ? registration.acknowledged?.since ?? now : now
            // A request that changes only the token keeps the other facts.
            let isTokenAlone = operation.kind == .update && isSame
            let isOfPhase = operation.kind == .unsuspend || isTokenAlone
            let facts = isOfPhase ? registration.acknowledged?.facts ?? sent.facts : sent.facts
            let isSuspended =
                operation.kind == .suspend
                || (operation.kind == .update && registration.acknowledged?.isSuspended ?? false)
            registration.acknowledged = .init(
                token: token,
                server: sent.server,
                // An id from a former version may exist in other installations too: the id is replaced.
                facts: id.hasPrefix("push-") ? "" : facts,
                isSuspended: isSuspended,
                user: sent.user,
                since: since,
                at: now
            )
        }
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let operation = PushOperation(note: item.request.note),
            let registrar = reconciler.registrar(operation.registrar)
        else {
            return
        }
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) }
        held.withLock { $0[item.id] = nil }
        reconciler.record(strangeAnswer: nil, of: registrar)
        let status = reconciler.registrarStatus(registrar.name)
        let tokens = [sent?.token, status.token, status.registration.acknowledged?.token].compactMap(\.self)
        let secrets = tokens.flatMap(\.secretParts)
        let words = answer.flatMap { registrar.words(of: $0, without: secrets) }
        let reason = words.map { "\(reason): \($0)" } ?? reason
        if operation.kind == .unregister, answer?.status == .notFound || operation.by != nil {
            if operation.by != nil, answer?.status != .notFound {
                // The server was asked to end the registration and failed for good; retrying cannot help.
                PushTelemetry(reconciler.host).failed(
                    operation.kind,
                    registrar,
                    because: reason,
                    status: answer?.status.code
                )
            }
            // No registration is left to end.
            do { try await record(operation, item.id, nil) } catch { tellLost(error) }
            return reconciler.poke()
        }
        told.with(registrar.name, operation.kind.rawValue, "refused").add()
        PushTelemetry(reconciler.host).failed(operation.kind, registrar, because: reason, status: answer?.status.code)
        guard operation.kind.isOfRegistration else { return }
        let now = reconciler.host.clock.wall()
        // A server that no longer knows the former token gets a new registration.
        let isBarred = answer?.status == .unauthorized || answer?.status == .forbidden
        let isLost =
            operation.kind == .update && registrar.value.registersAfterRefusedUpdate && answer != nil && !isBarred
        let refusal = Registration.Refusal(
            kind: operation.kind,
            reason: reason,
            status: answer?.status.code,
            isServers: answer.map { (300..<500).contains($0.status.code) && $0.status.code != 429 } ?? false,
            hasWords: operation.hasWords,
            target: operation.target ?? "",
            at: now
        )
        do throws(Fault) {
            try await reconciler.repository.edit(operation.registrar, operation.tag) { registration in
                // The poster may not have stored the request yet; it then counts as the latest too.
                let isLatest = registration.asked?.id == item.id || registration.revision < operation.revision
                registration.revision = max(registration.revision, operation.revision)
                // A later request does not repeat the body of a caller.
                guard isLatest || operation.hasWords else { return }
                if isLatest { registration.asked = nil }
                if isLost {
                    registration.acknowledged = nil
                } else {
                    registration.refusal = refusal
                }
            }
        } catch {
            tellLost(error)
        }
        reconciler.poke()
    }

    private func tellLost(_ fault: Fault) {
        reconciler.host.log.error("could not save the registration result", ["reason": .text(fault.reason)])
    }
}

extension PushOperation {
    /// Stands for a user that is unknown when the request is queued: the user that is signed in when it is due.
    static let anybody = "-"
}
