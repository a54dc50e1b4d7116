import WireBase
package import WireConfig
import WireHTTP
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

    func registrar(_ name: String) throws(PushRefusal) -> PushRegistrar {
        if let registrar = desk.registrar(name) { return registrar }
        let nearest = Nearest.name(to: name, among: desk.registrars.map(\.name)).map { ", did you mean '\($0)'?" }
        throw PushRefusal(.noSuchRegistrar, "the file has no registrar \(name.quoted)\(nearest ?? "")")
    }

    /// Has servers told of this device again, whatever they know, with tokens that are asked for anew; all where nil.
    package func register(_ name: String? = nil) async throws(PushRefusal) {
        let chosen = try name.map { name throws(PushRefusal) in [try registrar(name)] } ?? desk.registrars
        for registrar in chosen {
            let owner: (tag: String, altcraft: AltcraftAuthorization?)
            do throws(Fault) {
                owner = try await desk.owner(of: registrar)
            } catch {
                // It is told once a user has signed in, as it would be anyway.
                if name == nil { continue }
                reject(.noUserTagAsked, "register", at: registrar.name, because: error.reason)
                throw PushRefusal(.notNow, error)
            }
            try await rejecting("register", at: registrar.name) { () async throws(PushRefusal) in
                try await self.register(registrar, owner.tag)
            }
        }
        desk.poke(forced: true)
    }

    private func register(_ registrar: PushRegistrar, _ tag: String) async throws(PushRefusal) {
        try await kept { () async throws(Fault) in
            try await self.desk.keeper.editTokens { $0.quiet.removeAll { $0 == tag || $0 == KeptTokens.everybody } }
            try await self.ask(.register, .registered, registrar, tag, nil)
        }
    }

    /// Writes a wish down for one server, with words of its own where it is Altcraft's.
    package func wish(_ wish: Wish, _ name: String, _ parameters: AltcraftParameters? = nil) async throws(PushRefusal) {
        try await rejecting(wish.rawValue, at: name) { () async throws(PushRefusal) in
            try await self.perform(wish, name, parameters)
        }
    }

    private func perform(_ wish: Wish, _ name: String, _ parameters: AltcraftParameters?) async throws(PushRefusal) {
        let registrar = try registrar(name)
        if !registrar.isAltcraft, wish == .suspend || wish == .unsuspend || parameters != nil {
            let what = parameters == nil ? "subscriptions are not suspended there" : "it takes no fields"
            throw PushRefusal(
                .notSupported,
                "\(name.quoted) is no Altcraft platform: \(what)",
                origin: desk.origin(of: registrar)
            )
        }
        let tag = try await owner(of: registrar).tag
        try await kept { () async throws(Fault) in
            if wish == .subscribe {
                try await self.desk.keeper.editTokens { $0.quiet.removeAll { $0 == tag || $0 == KeptTokens.everybody } }
            }
            if registrar.isAltcraft {
                try await self.ask(wish.kind, wish.wish, registrar, tag, parameters)
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
        _ registrar: PushRegistrar,
        _ tag: String,
        _ given: AltcraftParameters?
    ) async throws(Fault) {
        if case .halo = registrar.value {
            // Where nothing tells the server of the device, that is another section's to change.
            if let device = desk.host.find(.device) {
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
        (errand.target, errand.epoch, errand.hasWords) = (target, epoch, given != nil)
        // Asked once, and for no other process: it is known by what is kept here from now on.
        let id = try await DeviceAlias.new(in: desk.host)
        // At once, so that no look meanwhile asks for the same.
        errand.revision = try await desk.keeper.edit(registrar.name, tag) { registration in
            (registration.wish, registration.refusal) = (wish, nil)
            registration.revision += 1
            registration.asked = .init(kind: kind, target: target, id: id, isWished: true)
        }.revision
        var parameters = JSONValue.object([])
        if case .altcraft(let account) = registrar.value { parameters = (given ?? AltcraftParameters(account)).json }
        do throws(Fault) {
            try await PushPost(desk.host).post(errand, id: id, parameters: parameters)
        } catch {
            try await desk.keeper.edit(registrar.name, tag) { if $0.asked?.id == id { $0.asked = nil } }
            throw error
        }
    }

    /// Waits until nothing that was asked of a server is under way, or of all where nil; or until the service ends.
    ///
    /// What waits for a person, who may never come, is not waited for.
    func settled(_ name: String?) async {
        for await _ in desk.looks() {
            let waiting = desk.registrars.filter { registrar in
                guard name.map({ $0 == registrar.name }) ?? true else { return false }
                let standing = report(registrar).standing
                let needsPerson = standing.waiting?.kind == .signIn || standing.waiting?.kind == .permission
                return standing.state == .pending && !needsPerson
            }
            if waiting.isEmpty { return }
        }
    }

    // MARK: Altcraft

    /// Changes the profile without a subscription.
    package func changeProfile(_ parameters: AltcraftParameters, at name: String) async throws(PushRefusal) {
        try await tellAltcraft(.profile, parameters.json, at: name)
    }

    /// Tells something that happened in the app.
    package func tell(_ event: MobileEvent, at name: String) async throws(PushRefusal) {
        try await tellAltcraft(.mobileEvent, event.json, at: name)
    }

    private func tellAltcraft(_ kind: PushErrand.Kind, _ words: JSONValue, at name: String) async throws(PushRefusal) {
        try await rejecting(kind.rawValue, at: name) { () async throws(PushRefusal) in
            try await self.post(kind, words, at: name)
        }
    }

    private func post(_ kind: PushErrand.Kind, _ words: JSONValue, at name: String) async throws(PushRefusal) {
        let registrar = try altcraft(name).registrar
        let tag = try await owner(of: registrar).tag
        try await kept { () async throws(Fault) in
            var errand = PushErrand(kind, name, tag: tag, time: self.desk.host.clock.wall())
            errand.epoch = try self.desk.keeper.tokens().epoch(of: tag)
            try await PushPost(self.desk.host).post(errand, id: nil, parameters: words)
        }
    }

    /// Says of an Altcraft platform that what is asked of it is not taken, as its SDKs do.
    func rejecting<Answer>(
        _ what: String,
        at name: String,
        _ work: () async throws(PushRefusal) -> Answer
    ) async throws(PushRefusal) -> Answer {
        do throws(PushRefusal) {
            return try await work()
        } catch {
            if let event = error.event { reject(event, what, at: name, because: error.reason) }
            throw error
        }
    }

    func reject(_ event: AltcraftEvent, _ what: String, at name: String, because reason: String) {
        guard let registrar = desk.registrar(name), registrar.isAltcraft else { return }
        PushNews(desk.host).rejected(event, what, registrar, because: reason)
    }

    func altcraft(_ name: String) throws(PushRefusal) -> (registrar: PushRegistrar, account: AltcraftAccount) {
        let registrar = try registrar(name)
        guard case .altcraft(let account) = registrar.value else {
            throw PushRefusal(
                .notSupported,
                "\(name.quoted) is no Altcraft platform, and has no such thing",
                origin: desk.origin(of: registrar)
            )
        }
        return (registrar, account)
    }

    func owner(of registrar: PushRegistrar) async throws(PushRefusal) -> (tag: String, altcraft: AltcraftAuthorization?)
    {
        do throws(Fault) {
            return try await desk.owner(of: registrar)
        } catch {
            throw PushRefusal(.notNow, error)
        }
    }

    @discardableResult
    func kept<Answer>(_ work: () async throws(Fault) -> Answer) async throws(PushRefusal) -> Answer {
        do throws(Fault) { return try await work() } catch { throw PushRefusal(.notKept, error) }
    }
}

/// Why something is not done about pushes.
package struct PushRefusal: Error, Sendable {
    package enum Kind: Sendable {
        case noSuchRegistrar, noSuchProvider
        /// The server has no such thing.
        case notSupported
        /// Nobody has signed in, or nobody knows for whom.
        case notNow
        /// It cannot be: a token, a field.
        case invalid
        /// The server has refused, or could not be asked.
        case refused
        /// The store or the outbox does not take it.
        case notKept
    }

    /// As the SDKs of Altcraft tell it; nil where they do not.
    var event: AltcraftEvent?
    package let kind: Kind
    package let reason: String
    package let help: String?
    package let origin: ValueOrigin?

    init(_ kind: Kind, _ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
        switch kind {
        case .notNow: event = .noUserTagAsked
        case .notKept: event = .notStored
        default: event = nil
        }
    }

    init(_ kind: Kind, _ fault: Fault) {
        self.init(kind, fault.reason, help: fault.help, origin: fault.origin)
    }
}

extension PushService {
    /// How a server stands, for whoever looks from this process.
    package struct RegistrarState: Sendable {
        package let name: String
        package let state: String
        package let reason: String?
        package let since: Int64?
    }

    package var registrarStates: [RegistrarState] {
        desk.registrars.map { registrar in
            let standing = report(registrar).standing
            return RegistrarState(
                name: registrar.name,
                state: standing.state.rawValue,
                reason: standing.registration.refusal?.reason ?? standing.waiting?.fault.reason,
                since: standing.registration.told?.since
            )
        }
    }

    /// What a subscription says: the file's words, changed.
    package func parameters(_ change: (AltcraftParameters) -> AltcraftParameters, at name: String) throws(PushRefusal)
        -> AltcraftParameters
    {
        change(AltcraftParameters(try altcraft(name).account))
    }
}
