import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry
import WireWorkContract

/// Builds the queued requests of errands when they are due, and stores the results.
///
/// The stored errand holds no tokens and keys; those are inserted right before a request is sent.
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

    private let desk: RegistrationReconciler
    private let underWay = Mutex<[String: Sent]>([:])
    /// Why due requests could not be built, by id; each reason is reported once.
    private let held = Mutex<[String: String]>([:])
    private let told: MetricFamily<Counter>

    init(_ desk: RegistrationReconciler) {
        self.desk = desk
        told = desk.host.metrics.counters(
            "corewire_push_requests",
            "The number of requests by server, kind and result.",
            by: ["registrar", "what", "outcome"]
        )
    }

    private static let lookAgain = Duration.seconds(3_600)

    // MARK: Before

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        let readiness = await judged(item)
        guard case .wait(let reason, _) = readiness else {
            held.withLock { $0[item.id] = nil }
            return readiness
        }
        if let errand = PushOperation(note: item.request.note), let registrar = desk.registrar(errand.registrar),
            held.withLock({ $0.updateValue(reason, forKey: item.id) }) != reason
        {
            PushTelemetry(desk.host).held(errand.kind, registrar, because: reason)
        }
        return readiness
    }

    /// Forgets a request that has left the outbox: the next one gets an id of its own.
    private func forget(_ item: OutboxItem, _ errand: PushOperation) async {
        _ = try? await desk.keeper.edit(errand.registrar, errand.tag) { registration in
            if registration.asked?.id == item.id { registration.asked = nil }
        }
    }

    private func judged(_ item: OutboxItem) async -> OutboxReadiness {
        guard let errand = PushOperation(note: item.request.note) else {
            return .obsolete(because: "unknown kind of request")
        }
        guard !desk.isOver else { return .wait(because: "the service is restarting", atMost: .seconds(60)) }
        guard let registrar = desk.registrar(errand.registrar) else {
            await forget(item, errand)
            return .obsolete(because: "the file no longer has a registrar \(errand.registrar.quoted)")
        }
        do throws(Fault) {
            guard errand.epoch == (try desk.keeper.tokens()).epoch(of: errand.tag) else {
                await forget(item, errand)
                return .obsolete(because: "all push data was removed")
            }
            let owner = try await desk.owner(of: registrar)
            let tag = owner.tag
            let (asking, meant) = (errand.by ?? errand.tag, errand.by == nil ? tag : errand.tag)
            guard asking == tag || asking == PushOperation.anybody else {
                return .wait(because: "the request waits for the sign-in of another user", atMost: Self.lookAgain)
            }
            if errand.kind.begins, let fault = desk.host.uses.presence?.missing(registrar.value.needs) {
                return .wait(because: fault.reason, atMost: Self.lookAgain)
            }
            let standing = desk.standing(registrar.name)
            guard standing.knows(enoughFor: errand.kind, of: tag) else {
                let reason = standing.waiting?.fault.reason ?? "the token is not known yet"
                return .wait(because: reason, atMost: Self.lookAgain)
            }
            if item.attempts > 0 {
                PushTelemetry(desk.host).triedAgain(errand.kind, registrar, attempts: item.attempts)
            }
            return try await complete(item, errand, registrar, meant, owner.wire)
        } catch {
            return .wait(because: error.reason, atMost: Self.lookAgain)
        }
    }

    private func complete(
        _ item: OutboxItem,
        _ errand: PushOperation,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ wire: any PushWire
    ) async throws(Fault) -> OutboxReadiness {
        let registration = try desk.keeper.registration(registrar.name, tag)
        // A request of a caller with a body of its own is always sent.
        let isOfDesk = errand.kind.isOfRegistration && item.request.body.isEmpty
        if isOfDesk, registration.asked?.id != item.id, registration.revision >= errand.revision {
            return .obsolete(because: "a later request replaces it, or the server is up to date")
        }
        if errand.kind == .register, registrar.value.waitsForPermission, let refusal = desk.permissionRefusal {
            return .wait(because: refusal.reason, atMost: Self.lookAgain)
        }
        var standing = desk.standing(registrar.name)
        (standing.registration, standing.tag) = (registration, tag)
        if standing.token == nil, errand.kind.isOfRegistration, registration.told == nil {
            return .wait(because: "no provider has a token", atMost: Self.lookAgain)
        }
        var moment = await desk.moment(for: registrar, standing, id: "")
        moment.id = try uuid(of: item.id)
        // The time of the event, not of its delivery.
        if errand.kind.event != nil || errand.kind == .mobileEvent { moment.time = errand.time }
        if errand.by != nil { moment.user = registration.told?.user ?? moment.user }
        // The server ends the registrations of other users with the same token, where it is asked to.
        let ends =
            errand.kind == .register && registrar.value.endsOthers ? try desk.formers(of: registrar, but: tag) : []
        (moment.words, moment.endsOthers) = (item.request.body, !ends.isEmpty)
        if registrar.value.needsDeviceID, moment.device.id == nil {
            return .wait(because: "the server has not registered the device yet", atMost: .seconds(300))
        }
        guard let call = wire.call(errand, moment) else {
            return .obsolete(because: "this server does not accept such requests")
        }
        if errand.kind.isOfRegistration {
            let isNew = errand.kind == .register || errand.kind == .update
            let token = isNew ? moment.token : moment.former ?? moment.token
            let user = StoredTokens.isPerson(tag) ? moment.user : nil
            let facts = try desk.digest(wire.facts(moment))
            let sent = Sent(token: token, server: wire.server, facts: facts, user: user, ends: ends)
            underWay.withLock { $0[item.id] = sent }
        }
        return .send(call.complete(item.request))
    }

    /// The id of the request as a UUID, which platforms may require.
    ///
    /// Former versions named requests in another form and derived a UUID here. Such a request may have been sent
    /// already, so it keeps its id.
    private func uuid(of id: String) throws(Fault) -> String {
        guard id.hasPrefix("push-") else { return id }
        let first = try desk.digest("1 \(id)")
        let second = try desk.digest("2 \(id)")
        let digits = Array(first + second)
        let parts = [
            digits[0..<8], digits[8..<12], ["8"] + digits[13..<16], ["8"] + digits[17..<20], digits[20..<32],
        ]
        return parts.map { String($0) }.joined(separator: "-")
    }

    // MARK: After

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let errand = PushOperation(note: item.request.note), let registrar = desk.registrar(errand.registrar)
        else {
            return
        }
        // A registration that was removed while its request was being sent is not stored again.
        guard errand.epoch == (try desk.keeper.tokens()).epoch(of: errand.tag) else { return }
        let token = underWay.withLock { $0[item.id]?.token }
        if let objection = registrar.objection(to: answer, to: errand.kind, telling: token) {
            told.with(registrar.name, errand.kind.rawValue, "strange").add()
            let fault = Fault("the server answered \(answer.status.code) with \(objection)")
            desk.note(strangeAnswer: fault, of: registrar)
            PushTelemetry(desk.host).strangeAnswer(
                to: errand.kind,
                registrar,
                because: objection,
                status: answer.status.code
            )
            desk.poke()
            throw fault
        }
        desk.note(strangeAnswer: nil, of: registrar)
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) }
        if errand.kind.isOfRegistration {
            try await record(errand, item.id, sent)
        }
        told.with(registrar.name, errand.kind.rawValue, "told").add()
        PushTelemetry(desk.host).done(
            errand.kind,
            registrar,
            token: sent?.token,
            status: answer.status.code,
            note: PushAnswer(answer.body)?.complaint
        )
        if errand.kind.isOfRegistration { desk.poke() }
    }

    private func record(_ errand: PushOperation, _ id: String, _ sent: Sent?) async throws(Fault) {
        let now = desk.host.clock.wall()
        for former in sent?.ends ?? [] {
            try await desk.keeper.edit(errand.registrar, former) { ($0.told, $0.asked) = (nil, nil) }
        }
        try await desk.keeper.edit(errand.registrar, errand.tag) { registration in
            registration.revision = max(registration.revision, errand.revision)
            if registration.asked?.id == id { registration.asked = nil }
            registration.refusal = nil
            switch errand.kind {
            case .unregister: registration.told = nil
            case .suspend: registration.told?.isSuspended = true
            case .unsuspend: registration.told?.isSuspended = false
            default: break
            }
            guard let sent, let token = sent.token, errand.kind != .unregister else { return }
            let isSame = registration.told?.server == sent.server
            let since = isSame ? registration.told?.since ?? now : now
            // A request that changes only the token keeps the other facts.
            let isTokenAlone = errand.kind == .update && isSame
            let isOfPhase = errand.kind == .unsuspend || isTokenAlone
            let facts = isOfPhase ? registration.told?.facts ?? sent.facts : sent.facts
            let isSuspended =
                errand.kind == .suspend || (errand.kind == .update && registration.told?.isSuspended ?? false)
            registration.told = .init(
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
        guard let errand = PushOperation(note: item.request.note), let registrar = desk.registrar(errand.registrar)
        else {
            return
        }
        let sent = underWay.withLock { $0.removeValue(forKey: item.id) }
        held.withLock { $0[item.id] = nil }
        desk.note(strangeAnswer: nil, of: registrar)
        let secrets = [sent?.token?.text, desk.standing(registrar.name).token?.text].compactMap { $0 }
        let words = answer.flatMap { registrar.words(of: $0, without: secrets) }
        let reason = words.map { "\(reason): \($0)" } ?? reason
        if errand.kind == .unregister, answer?.status == .notFound || errand.by != nil {
            if errand.by != nil, answer?.status != .notFound {
                // The server was asked to end the registration and failed for good; retrying cannot help.
                PushTelemetry(desk.host).failed(errand.kind, registrar, because: reason, status: answer?.status.code)
            }
            // No registration is left to end.
            do { try await record(errand, item.id, nil) } catch { tellLost(error) }
            return desk.poke()
        }
        told.with(registrar.name, errand.kind.rawValue, "refused").add()
        PushTelemetry(desk.host).failed(errand.kind, registrar, because: reason, status: answer?.status.code)
        guard errand.kind.isOfRegistration else { return }
        let now = desk.host.clock.wall()
        // A server that no longer knows the former token gets a new registration.
        let isBarred = answer?.status == .unauthorized || answer?.status == .forbidden
        let isLost = errand.kind == .update && registrar.value.registersAfterRefusedUpdate && answer != nil && !isBarred
        let refusal = Registration.Refusal(
            kind: errand.kind,
            reason: reason,
            status: answer?.status.code,
            isServers: answer.map { (300..<500).contains($0.status.code) && $0.status.code != 429 } ?? false,
            hasWords: errand.hasWords,
            target: errand.target ?? "",
            at: now
        )
        do throws(Fault) {
            try await desk.keeper.edit(errand.registrar, errand.tag) { registration in
                // The poster may not have stored the request yet; it then counts as the latest too.
                let isLatest = registration.asked?.id == item.id || registration.revision < errand.revision
                registration.revision = max(registration.revision, errand.revision)
                // A later request does not repeat the body of a caller.
                guard isLatest || errand.hasWords else { return }
                if isLatest { registration.asked = nil }
                if isLost {
                    registration.told = nil
                } else {
                    registration.refusal = refusal
                }
            }
        } catch {
            tellLost(error)
        }
        desk.poke()
    }

    private func tellLost(_ fault: Fault) {
        desk.host.log.error("could not save the registration result", ["reason": .text(fault.reason)])
    }
}

extension PushOperation {
    /// Stands for a user that is unknown when the request is queued: the user that is signed in when it is due.
    static let anybody = "-"
}
