import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
package import WirePushContract
import WireService

/// What can be asked of push registration; the local API and code in this process ask alike.
extension PushService {
    /// What is wished of a server.
    package enum Wish: String, Sendable, CaseIterable {
        case subscribe, unsubscribe, suspend, unsuspend

        fileprivate var kind: PushErrand.Kind {
            switch self {
            case .subscribe: .register
            case .unsubscribe: .unregister
            case .suspend: .suspend
            case .unsuspend: .unsuspend
            }
        }

        fileprivate var wish: Registration.Wish {
            switch self {
            case .subscribe, .unsuspend: .registered
            case .unsubscribe: .unregistered
            case .suspend: .suspended
            }
        }
    }

    // MARK: Registrars

    func registrar(_ name: String) throws(PushFailure) -> NamedRegistrar {
        if let registrar = desk.registrar(name) { return registrar }
        let nearest = Nearest.name(to: name, among: desk.registrars.map(\.name)).map { ", did you mean '\($0)'?" }
        throw PushFailure(.noSuchRegistrar, "unknown registrar \(name.quoted)\(nearest ?? "")")
    }

    /// Registers this device with servers again, whatever they know, with fresh tokens; with all of them where nil.
    package func register(_ name: String? = nil) async throws(PushFailure) {
        let chosen = try name.map { name throws(PushFailure) in [try registrar(name)] } ?? desk.registrars
        for registrar in chosen {
            let owner: PushOwner
            do throws(Fault) {
                owner = try await desk.owner(of: registrar)
            } catch {
                // It is told once a user has signed in, as it would be anyway.
                if name == nil { continue }
                reject(.noUser, "register", at: registrar.name, because: error.reason)
                throw PushFailure(.notNow, error)
            }
            try await rejecting("register", at: registrar.name) { () async throws(PushFailure) in
                try await self.register(registrar, owner.tag)
            }
        }
        desk.poke(forced: true)
    }

    private func register(_ registrar: NamedRegistrar, _ tag: String) async throws(PushFailure) {
        let words = try registrar.value.subscriptions?.words(nil) ?? .object([])
        try await kept { () async throws(Fault) in
            try await self.desk.keeper.editTokens { $0.quiet.removeAll { $0 == tag || $0 == KeptTokens.everybody } }
            try await self.ask(.register, .registered, registrar, tag, words)
        }
    }

    /// Writes a wish down for one server, with words of its own where it takes some.
    package func wish(_ wish: Wish, _ given: PushSubscription) async throws(PushFailure) {
        try await rejecting(wish.rawValue, at: given.registrar) { () async throws(PushFailure) in
            try await self.perform(wish, given)
        }
    }

    private func perform(_ wish: Wish, _ given: PushSubscription) async throws(PushFailure) {
        let registrar = try registrar(given.registrar)
        let name = registrar.name
        let subscriptions = registrar.value.subscriptions
        guard registrar.takes(wish.kind), given.isEmpty || subscriptions != nil else {
            let isOfFields = !given.isEmpty && subscriptions == nil
            throw notSupported(registrar, isOfFields ? "takes no fields" : "suspends no subscriptions")
        }
        if subscriptions != nil, given.hasFieldThatIsNotPlain { reject(.notPlain, wish.rawValue, at: name) }
        let words = try subscriptions?.words(given)
        let tag = try await owner(of: registrar).tag
        try await kept { () async throws(Fault) in
            if wish == .subscribe {
                try await self.desk.keeper.editTokens { $0.quiet.removeAll { $0 == tag || $0 == KeptTokens.everybody } }
            }
            if let words {
                try await self.ask(wish.kind, wish.wish, registrar, tag, words, hasWords: !given.isEmpty)
            } else {
                try await self.desk.keeper.edit(name, tag) { registration in
                    (registration.wish, registration.refusal) = (wish.wish, nil)
                }
            }
        }
        desk.poke()
    }

    /// Asks at once, whatever the server knows.
    private func ask(
        _ kind: PushErrand.Kind,
        _ wish: Registration.Wish,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ words: JSONValue,
        hasWords: Bool = false
    ) async throws(Fault) {
        if registrar.value.deviceTokens != nil {
            // Where nothing tells the server of the device, that is another section's to change.
            if let device = desk.host.uses.device {
                if case .untold = device.standing {} else { try await device.save() }
            }
            // Afterwards: a look in between would take the device for saved.
            try await desk.keeper.edit(registrar.name, tag) { registration in
                (registration.wish, registration.told, registration.refusal) = (wish, nil, nil)
            }
            return
        }
        let epoch = try desk.keeper.tokens().epoch(of: tag)
        var standing = desk.standing(registrar.name)
        standing.registration.wish = wish
        let target = try desk.target(standing)
        var errand = PushErrand(kind, registrar.name, tag: tag, time: desk.host.clock.wall())
        (errand.target, errand.epoch, errand.hasWords) = (target, epoch, hasWords)
        // Asked once, and for no other process: it is known by what is kept here from now on.
        let id = try DeviceAlias.new(in: desk.host)
        // At once, so that no look meanwhile asks for the same.
        errand.revision = try await desk.keeper.edit(registrar.name, tag) { registration in
            (registration.wish, registration.refusal) = (wish, nil)
            registration.revision += 1
            registration.asked = .init(kind: kind, target: target, id: id, isWished: true)
        }.revision
        do throws(Fault) {
            try await PushPost(desk.host).post(errand, id: id, parameters: words)
        } catch {
            try await desk.keeper.edit(registrar.name, tag) { if $0.asked?.id == id { $0.asked = nil } }
            throw error
        }
    }

    /// Waits until nothing that was asked of a server, or of all where nil, is under way; or until the service ends.
    ///
    /// A registration that waits for a person is not waited for.
    func settled(_ name: String?) async {
        for await _ in desk.looks() {
            let waiting = desk.registrars.filter { registrar in
                guard name.map({ $0 == registrar.name }) ?? true else { return false }
                let standing = standing(of: registrar)
                let needsPerson = standing.waiting?.kind == .signIn || standing.waiting?.kind == .permission
                return standing.state == .pending && !needsPerson
            }
            if waiting.isEmpty { return }
        }
    }

    // MARK: Platforms

    /// Changes the profile without a subscription.
    package func changeProfile(_ change: PushProfileChange) async throws(PushFailure) {
        try ProfileAction.check(change.fields.entries, "fields")
        try await tellPlatform(.profile, at: change.registrar) { $0.subscriptions?.words(change) }
    }

    /// Tells something that happened in the app, to a channel that the SDKs know.
    func tell(_ request: PushMobileEvent) async throws(PushFailure) {
        if let subscription = request.event.subscription, !MobileEvent.hasChannel(subscription) {
            reject(.strangeChannel, "mobileEvent", at: request.registrar)
            throw .poor("expected 'channel': \(MobileEvent.channels.listed("or"))", "subscription")
        }
        try await tell(request.event, at: request.registrar)
    }

    /// Tells something that happened in the app.
    package func tell(_ event: MobileEvent, at name: String) async throws(PushFailure) {
        if let flaw = event.flaw { throw .poor(flaw.reason, flaw.member) }
        try await tellPlatform(.mobileEvent, at: name) { _ in event.json }
    }

    private func tellPlatform(
        _ kind: PushErrand.Kind,
        at name: String,
        _ words: (any PushRegistrar) -> JSONValue?
    ) async throws(PushFailure) {
        try await rejecting(kind.rawValue, at: name) { () async throws(PushFailure) in
            let registrar = try self.registrar(name, thatTakes: kind)
            guard let words = words(registrar.value) else { throw self.notSupported(registrar) }
            let tag = try await self.owner(of: registrar).tag
            try await self.kept { () async throws(Fault) in
                var errand = PushErrand(kind, name, tag: tag, time: self.desk.host.clock.wall())
                errand.epoch = try self.desk.keeper.tokens().epoch(of: tag)
                try await PushPost(self.desk.host).post(errand, id: nil, parameters: words)
            }
        }
    }

    /// Says that what is asked of a platform is not taken, where its SDKs do.
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
        _ rejection: PushHappening.Rejection,
        _ what: String,
        at name: String,
        because reason: String? = nil
    ) {
        guard let registrar = desk.registrar(name) else { return }
        PushNews(desk.host).rejected(rejection, what, registrar, because: reason)
    }

    func registrar(_ name: String, thatTakes kind: PushErrand.Kind) throws(PushFailure) -> NamedRegistrar {
        let registrar = try registrar(name)
        guard registrar.takes(kind) else { throw notSupported(registrar) }
        return registrar
    }

    func notSupported(_ registrar: NamedRegistrar, _ what: String = "takes no such request") -> PushFailure {
        PushFailure(
            .notSupported,
            "the registrar \(registrar.name.quoted) has the type \(registrar.type.quoted), which \(what)",
            origin: desk.origin(of: registrar)
        )
    }

    func owner(of registrar: NamedRegistrar) async throws(PushFailure) -> PushOwner {
        try await kept(or: .notNow) { () async throws(Fault) in try await desk.owner(of: registrar) }
    }

    @discardableResult
    func kept<Answer>(
        or kind: PushFailureKind = .unavailable,
        _ work: () async throws(Fault) -> Answer
    ) async throws(PushFailure) -> Answer {
        do throws(Fault) { return try await work() } catch { throw PushFailure(kind, error) }
    }
}
