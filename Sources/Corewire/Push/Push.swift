import WireBase
import WireConfig
import WireHTTP
import WirePush
import WirePushContract
import WireRuntime

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

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, PushFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .push)
        }

        /// How the servers stand now; empty where the file has no section `push`, or it does not run.
        public var registrars: [Registrar] {
            guard !corewire.runner.isStopping else { return [] }
            return corewire.runner.find(PushService.self)?.registrars.map(Registrar.init) ?? []
        }

        // MARK: Registering

        /// Registers this device with a server again, with fresh tokens; with all servers where nil.
        @concurrent
        public func register(_ registrar: String? = nil) async throws(CorewireError) {
            guard let registrar else {
                _ = try await perform(PushCalls.registerAll, PushRegisterAll())
                return
            }
            _ = try await perform(PushCalls.register, PushRegister(registrar))
        }

        /// Subscribes; at an Altcraft platform with fields and categories that are laid over those of the file.
        @concurrent
        public func subscribe(
            _ registrar: String,
            _ change: (@Sendable (inout Subscription) -> Void)? = nil
        ) async throws(CorewireError) {
            var subscription = Subscription()
            change?(&subscription)
            _ = try await perform(PushCalls.subscribe, subscription.request(to: registrar))
        }

        /// Ends the subscription, until the device is subscribed again.
        @concurrent
        public func unsubscribe(_ registrar: String) async throws(CorewireError) {
            _ = try await perform(PushCalls.unsubscribe, PushSubscription(registrar))
        }

        /// Suspends a subscription at an Altcraft platform.
        @concurrent
        public func suspend(_ registrar: String) async throws(CorewireError) {
            _ = try await perform(PushCalls.suspend, PushSubscription(registrar))
        }

        /// Ends the suspension.
        @concurrent
        public func unsuspend(_ registrar: String) async throws(CorewireError) {
            _ = try await perform(PushCalls.unsuspend, PushSubscription(registrar))
        }

        /// Changes fields of the profile at an Altcraft platform.
        @concurrent
        public func changeProfile(
            _ registrar: String,
            _ fields: [String: ProfileChange],
            skipTriggers: Bool = false
        ) async throws(CorewireError) {
            let change = PushProfileChange(registrar, JSONMap(fields, \.json), skipsTriggers: skipTriggers)
            _ = try await perform(PushCalls.changeProfile, change)
        }

        /// Tells an Altcraft platform what happened in the app.
        @concurrent
        public func tell(_ event: AppEvent, at registrar: String) async throws(CorewireError) {
            let event = try event.posted
            // Channels that the local API does not know are the platform's to judge.
            try await corewire.ask(PushService.self, in: .push) { service throws(PushFailure) in
                try await service.tell(event, at: registrar)
            }
        }

        /// What an Altcraft platform answers now about a subscription, as JSON; of tokens no more than the end.
        @concurrent
        public func status(_ which: StatusQuery = .latest, at registrar: String) async throws(CorewireError) -> String {
            let query: PushStatusQuery =
                switch which {
                case .latest: .latest
                case .provider: .provider
                case .current: .current
                }
            return try await perform(PushCalls.status, PushStatusRequest(registrar, query)).json.text()
        }

        // MARK: Tokens

        /// Gives the tokens of a provider, where the file says `app`; asked for as long as the answer is kept.
        ///
        /// Nil is no token now. ``refreshTokens()`` has it asked again.
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
            let change = PushTokenChange(provider.rawValue, WireBase.Secret(token))
            _ = try await perform(PushCalls.setToken, change)
        }

        /// Makes a provider forget its token, or takes back one that was handed in.
        @concurrent
        public func removeToken(of provider: Provider) async throws(CorewireError) {
            _ = try await perform(PushCalls.deleteToken, PushProviderName(provider.rawValue))
        }

        /// Asks every provider for a fresh token.
        @concurrent
        public func refreshTokens() async throws(CorewireError) {
            _ = try await perform(PushCalls.refresh, NoInput())
        }

        /// Changes the order in which providers are tried; the file's own where nil.
        @concurrent
        public func setProviders(_ providers: [Provider]?) async throws(CorewireError) {
            guard let providers else {
                _ = try await perform(PushCalls.resetProviders, NoInput())
                return
            }
            _ = try await perform(PushCalls.setProviders, PushProviderOrder(providers.map(\.known)))
        }

        /// Hands in the JWT of the user, where the file says `jwt: app`; takes it back where nil.
        @concurrent
        public func setJWT(_ jwt: String?, at registrar: String) async throws(CorewireError) {
            guard let jwt else {
                _ = try await perform(PushCalls.removeJWT, PushRegistrarName(registrar))
                return
            }
            _ = try await perform(PushCalls.setJWT, PushJWT(registrar, WireBase.Secret(jwt)))
        }

        // MARK: Removing

        /// Removes the registrations of the user, or of all users, until they are registered again.
        ///
        /// Returns the names of the registrars whose registrations were forgotten. Servers are not told.
        @concurrent
        @discardableResult
        public func clear(everybody: Bool = false) async throws(CorewireError) -> [String] {
            try await perform(PushCalls.clear, PushClearRequest(everybody: everybody)).registrations
        }
    }
}

extension Area {
    static let push = Area(
        section: PushSection.name,
        help: "write a section 'push' with the servers that are to know this device"
    )
}
