import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
package import WirePushContract
import WireService

/// The calls of push registration, used by the local API and by code in this process.
extension PushService {
    /// The state that a caller wants at a server.
    package enum Action: String, Sendable, CaseIterable {
        case subscribe, unsubscribe, suspend, unsuspend

        fileprivate var kind: PushOperation.Kind {
            switch self {
            case .subscribe: .register
            case .unsubscribe: .unregister
            case .suspend: .suspend
            case .unsuspend: .unsuspend
            }
        }

        fileprivate var goal: Registration.Goal {
            switch self {
            case .subscribe, .unsuspend: .registered
            case .unsubscribe: .unregistered
            case .suspend: .suspended
            }
        }
    }

    // MARK: Registrars

    func registrar(_ name: String) throws(PushFailure) -> NamedRegistrar {
        if let registrar = reconciler.registrar(name) { return registrar }
        let nearest = Nearest.name(to: name, among: reconciler.registrars.map(\.name)).map { ", did you mean '\($0)'?" }
        throw PushFailure(.noSuchRegistrar, "unknown registrar \(name.quoted)\(nearest ?? "")")
    }

    /// Registers this device again with fresh tokens, at one server or at all where `name` is nil.
    package func register(_ name: String? = nil) async throws(PushFailure) {
        let chosen = try name.map { name throws(PushFailure) in [try registrar(name)] } ?? reconciler.registrars
        for registrar in chosen {
            let owner: PushOwner
            do throws(Fault) {
                owner = try await reconciler.owner(of: registrar)
            } catch {
                // The registration is sent anyway once a user has signed in.
                if name == nil { continue }
                reject(.noUser, "register", at: registrar.name, because: error.reason)
                throw PushFailure(.notNow, error)
            }
            try await rejecting("register", at: registrar.name) { () async throws(PushFailure) in
                try await self.register(registrar, owner.tag)
            }
        }
        reconciler.poke(forced: true)
    }

    private func register(_ registrar: NamedRegistrar, _ tag: String) async throws(PushFailure) {
        let words = try registrar.value.subscriptions?.words(nil) ?? .object([])
        try await kept { () async throws(Fault) in
            try await self.reconciler.repository.editTokens {
                $0.quiet.removeAll { $0 == tag || $0 == StoredTokens.everybody }
            }
            try await self.ask(.register, .registered, registrar, tag, words)
        }
    }

    /// Requests a change of the subscription at one server, with subscription values of the caller where the server supports them.
    package func request(_ action: Action, _ given: PushSubscription) async throws(PushFailure) {
        try await rejecting(action.rawValue, at: given.registrar) { () async throws(PushFailure) in
            try await self.perform(action, given)
        }
    }

    private func perform(_ action: Action, _ given: PushSubscription) async throws(PushFailure) {
        let registrar = try registrar(given.registrar)
        let name = registrar.name
        let subscriptions = registrar.value.subscriptions
        guard registrar.takes(action.kind), given.isEmpty || subscriptions != nil else {
            let isOfFields = !given.isEmpty && subscriptions == nil
            throw notSupported(
                registrar,
                isOfFields ? "does not support fields" : "does not support suspending subscriptions"
            )
        }
        if subscriptions != nil, given.hasFieldThatIsNotPlain { reject(.notPlain, action.rawValue, at: name) }
        let words = try subscriptions?.words(given)
        let tag = try await owner(of: registrar).tag
        try await kept { () async throws(Fault) in
            if action == .subscribe {
                try await self.reconciler.repository.editTokens {
                    $0.quiet.removeAll { $0 == tag || $0 == StoredTokens.everybody }
                }
            }
            if let words {
                try await self.ask(action.kind, action.goal, registrar, tag, words, hasWords: !given.isEmpty)
            } else {
                try await self.reconciler.repository.edit(name, tag) { registration in
                    (registration.goal, registration.refusal) = (action.goal, nil)
                }
            }
        }
        reconciler.poke()
    }

    /// Queues a request even where the server is up to date.
    private func ask(
        _ kind: PushOperation.Kind,
        _ goal: Registration.Goal,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ words: JSONValue,
        hasWords: Bool = false
    ) async throws(Fault) {
        if registrar.value.deviceTokens != nil {
            // Where the section `device` gives the server the device, that section saves the change.
            if let device = reconciler.host.uses.device {
                if case .untold = device.registrationState {} else { try await device.save() }
            }
            // Stored afterwards: a check in between would take the device for saved.
            try await reconciler.repository.edit(registrar.name, tag) { registration in
                (registration.goal, registration.acknowledged, registration.refusal) = (goal, nil, nil)
            }
            return
        }
        let epoch = try await reconciler.repository.tokens().epoch(of: tag)
        var registrarStatus = reconciler.registrarStatus(registrar.name)
        registrarStatus.registration.goal = goal
        let target = try reconciler.target(registrarStatus)
        var operation = PushOperation(kind, registrar.name, tag: tag, time: reconciler.host.clock.wall())
        (operation.target, operation.epoch, operation.hasWords) = (target, epoch, hasWords)
        // Generated once and stored, for all processes.
        let id = try DeviceAlias.new(in: reconciler.host)
        // Stored at once, so that a check in between queues no second request.
        operation.revision = try await reconciler.repository.edit(registrar.name, tag) { registration in
            (registration.goal, registration.refusal) = (goal, nil)
            registration.revision += 1
            registration.asked = .init(kind: kind, target: target, id: id, isRequested: true)
        }.revision
        do throws(Fault) {
            try await PushQueue(reconciler.host).post(operation, id: id, parameters: words)
        } catch {
            try await reconciler.repository.edit(registrar.name, tag) { if $0.asked?.id == id { $0.asked = nil } }
            throw error
        }
    }

    /// Waits until no request to a server, or to any server where nil, is queued; or until the service ends.
    ///
    /// Does not wait for registrations that need a user.
    func settled(_ name: String?) async {
        for await _ in reconciler.looks() {
            var isWaiting = false
            for registrar in reconciler.registrars where name == nil || name == registrar.name {
                let registrarStatus = await registrarStatus(of: registrar)
                let needsPerson =
                    registrarStatus.waiting?.kind == .signIn || registrarStatus.waiting?.kind == .permission
                isWaiting = isWaiting || registrarStatus.state == .pending && !needsPerson
            }
            if !isWaiting { return }
        }
    }

    // MARK: Platforms

    /// Changes the profile without a subscription.
    package func changeProfile(_ change: PushProfileChange) async throws(PushFailure) {
        try ProfileAction.check(change.fields.entries, "fields")
        try await tellPlatform(.profile, at: change.registrar) { $0.subscriptions?.words(change) }
    }

    /// Sends an app event to a channel that the SDKs know.
    func report(_ request: PushMobileEvent) async throws(PushFailure) {
        if let subscription = request.event.subscription, !MobileEvent.hasChannel(subscription) {
            reject(.strangeChannel, "mobileEvent", at: request.registrar)
            throw .poor("expected 'channel': \(MobileEvent.channels.listed("or"))", "subscription")
        }
        try await report(request.event, at: request.registrar)
    }

    /// Sends an app event.
    package func report(_ event: MobileEvent, at name: String) async throws(PushFailure) {
        if let flaw = event.flaw { throw .poor(flaw.reason, flaw.member) }
        try await tellPlatform(.mobileEvent, at: name) { _ in event.json }
    }

    private func tellPlatform(
        _ kind: PushOperation.Kind,
        at name: String,
        _ words: (any PushRegistrar) -> JSONValue?
    ) async throws(PushFailure) {
        try await rejecting(kind.rawValue, at: name) { () async throws(PushFailure) in
            let registrar = try self.registrar(name, thatTakes: kind)
            guard let words = words(registrar.value) else { throw self.notSupported(registrar) }
            let tag = try await self.owner(of: registrar).tag
            try await self.kept { () async throws(Fault) in
                var operation = PushOperation(kind, name, tag: tag, time: self.reconciler.host.clock.wall())
                operation.epoch = try await self.reconciler.repository.tokens().epoch(of: tag)
                try await PushQueue(self.reconciler.host).post(operation, id: nil, parameters: words)
            }
        }
    }

    /// Emits the event of a rejected call where the platform's SDKs have one.
    func rejecting<Answer>(
        _ what: String,
        at name: String,
        _ work: () async throws(PushFailure) -> Answer
    ) async throws(PushFailure) -> Answer {
        do throws(PushFailure) {
            return try await work()
        } catch {
            switch error.kind {
            case .notNow: reject(.noUser, what, at: name, because: error.reason)
            case .unavailable: reject(.notStored, what, at: name, because: error.reason)
            default: break
            }
            throw error
        }
    }

    func reject(
        _ rejection: PushServerEvent.Rejection,
        _ what: String,
        at name: String,
        because reason: String? = nil
    ) {
        guard let registrar = reconciler.registrar(name) else { return }
        PushTelemetry(reconciler.host).rejected(rejection, what, registrar, because: reason)
    }

    func registrar(_ name: String, thatTakes kind: PushOperation.Kind) throws(PushFailure) -> NamedRegistrar {
        let registrar = try registrar(name)
        guard registrar.takes(kind) else { throw notSupported(registrar) }
        return registrar
    }

    func notSupported(_ registrar: NamedRegistrar, _ what: String = "does not support this request") -> PushFailure {
        PushFailure(
            .notSupported,
            "the registrar \(registrar.name.quoted) has the type \(registrar.type.quoted), which \(what)",
            origin: reconciler.origin(of: registrar)
        )
    }

    func owner(of registrar: NamedRegistrar) async throws(PushFailure) -> PushOwner {
        try await kept(or: .notNow) { () async throws(Fault) in try await reconciler.owner(of: registrar) }
    }

    @discardableResult
    func kept<Answer>(
        or kind: PushFailureKind = .unavailable,
        _ work: () async throws(Fault) -> Answer
    ) async throws(PushFailure) -> Answer {
        do throws(Fault) { return try await work() } catch { throw PushFailure(kind, error) }
    }
}
