import WireBase
import WireConfig
import WirePush
import WireRuntime
import WireService

extension Corewire {
    /// Push registration: the section `push`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var push: Push { Push(corewire: self) }

    /// Tells push servers of this device, and what became of the pushes they send.
    ///
    /// ```swift
    /// let source = corewire.push.tokens(of: .apns) { try await currentToken() }
    /// try await corewire.push.subscribe("crm") { $0.profileFields["_fname"] = .set("Ada") }
    /// for registrar in corewire.push.registrars { print(registrar.name, registrar.state) }
    /// ```
    ///
    /// What is asked is on the disk when it returns; servers are told as soon as that can be. Who holds it holds
    /// ``Corewire`` as well.
    public struct Push: Sendable {
        let corewire: Corewire

        /// How the servers stand now; empty where the file has no section `push`, or it does not run.
        public var registrars: [Registrar] {
            guard !corewire.runner.isStopping else { return [] }
            return corewire.runner.find(PushService.self)?.registrarStates.map(Registrar.init) ?? []
        }

        // MARK: Registering

        /// Has a server told of this device anew, with tokens asked for anew; all servers where nil.
        @concurrent
        public func register(_ registrar: String? = nil) async throws(CorewireError) {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.register(registrar)
            }
        }

        /// Subscribes; at an Altcraft platform with fields and categories that are laid over those of the file.
        @concurrent
        public func subscribe(
            _ registrar: String,
            _ change: (@Sendable (inout Subscription) -> Void)? = nil
        ) async throws(CorewireError) {
            var parameters: AltcraftParameters?
            if let change {
                var subscription = Subscription()
                change(&subscription)
                parameters = try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                    try service.parameters(subscription.laid(over:), at: registrar)
                }
            }
            let chosen = parameters
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.wish(.subscribe, registrar, chosen)
            }
        }

        /// Ends the subscription, until somebody subscribes.
        @concurrent
        public func unsubscribe(_ registrar: String) async throws(CorewireError) {
            try await wish(.unsubscribe, registrar)
        }

        /// Suspends a subscription at an Altcraft platform.
        @concurrent
        public func suspend(_ registrar: String) async throws(CorewireError) { try await wish(.suspend, registrar) }

        /// Ends the suspension.
        @concurrent
        public func unsuspend(_ registrar: String) async throws(CorewireError) { try await wish(.unsuspend, registrar) }

        private func wish(_ wish: PushService.Wish, _ registrar: String) async throws(CorewireError) {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.wish(wish, registrar)
            }
        }

        /// Changes fields of the profile at an Altcraft platform.
        @concurrent
        public func changeProfile(
            _ registrar: String,
            _ fields: [String: ProfileChange],
            skipTriggers: Bool = false
        ) async throws(CorewireError) {
            var parameters = AltcraftParameters()
            parameters.profileFields = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
            parameters.skipTriggers = skipTriggers
            let chosen = parameters
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.changeProfile(chosen, at: registrar)
            }
        }

        /// Tells an Altcraft platform what happened in the app.
        @concurrent
        public func tell(_ event: AppEvent, at registrar: String) async throws(CorewireError) {
            let event = try event.posted
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.tell(event, at: registrar)
            }
        }

        /// What an Altcraft platform answers now about a subscription, as JSON; of tokens no more than the end.
        @concurrent
        public func status(_ which: StatusQuery = .latest, at registrar: String) async throws(CorewireError) -> String {
            let query: AltcraftWire.StatusQuery =
                switch which {
                case .latest: .latest
                case .provider: .provider
                case .current: .current
                }
            let json = try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.status(query, at: registrar)
            }
            return json.text()
        }

        // MARK: Tokens

        /// Gives the tokens of a provider, where the file says `app`; asked for as long as the answer is kept.
        ///
        /// Nil is no token now. ``refreshTokens()`` has it asked anew.
        public func tokens(
            of provider: Provider,
            delete: (@Sendable () async throws -> Void)? = nil,
            get: @escaping @Sendable () async throws -> String?
        ) -> TokenCode {
            TokenCode(provider, get: get, delete: delete, in: corewire.pushTokenCode)
        }

        /// Hands in a token; where the file says that it comes from elsewhere, it wins until it is taken back.
        @concurrent
        public func setToken(_ token: String, of provider: Provider) async throws(CorewireError) {
            let secret = WireBase.Secret(token)
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.setToken(secret, of: provider.known)
            }
        }

        /// Makes a provider forget its token, or takes back one that was handed in.
        @concurrent
        public func deleteToken(of provider: Provider) async throws(CorewireError) {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.deleteToken(of: provider.known)
            }
        }

        /// Asks every provider for its token anew.
        @concurrent
        public func refreshTokens() async throws(CorewireError) {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in service.refreshTokens()
            }
        }

        /// Changes the order in which providers are tried; the file's own where nil.
        @concurrent
        public func setProviders(_ providers: [Provider]?) async throws(CorewireError) {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.setProviders(providers?.map(\.known))
            }
        }

        /// Hands in the JWT of the user, where the file says `jwt: app`; takes it back where nil.
        @concurrent
        public func setJWT(_ jwt: String?, at registrar: String) async throws(CorewireError) {
            let secret = jwt.map { WireBase.Secret($0) }
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.setJWT(secret, at: registrar)
            }
        }

        // MARK: Removing

        /// Removes every trace of whoever uses the device, or of everybody, until somebody registers anew.
        ///
        /// Returns the names of the registrars whose registrations were forgotten. Servers are not told.
        @concurrent
        @discardableResult
        public func clear(everybody: Bool = false) async throws(CorewireError) -> [String] {
            try await corewire.ask(PushService.self, in: .push) { service throws(PushRefusal) in
                try await service.clear(everybody: everybody).registrations
            }
        }
    }
}

extension Area {
    static let push = Area(
        section: PushSection.name,
        help: "write a section 'push' with the servers that are to know this device"
    )
}

extension PushRefusal: AreaFailure {
    var error: CorewireError {
        let code: CorewireError.Code =
            switch kind {
            case .noSuchRegistrar: .noSuchRegistrar
            case .noSuchProvider: .noSuchProvider
            case .notSupported: .notSupported
            case .notNow: .notNow
            case .invalid: .badPushRequest
            case .refused: .pushServer
            case .notKept: .pushUnavailable
            }
        return CorewireError(code, reason, help: help, origin: origin)
    }
}
