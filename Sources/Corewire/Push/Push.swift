import WireBase
import WireConfig
import WireHTTP
import WirePush
import WirePushContract
import WireRuntime

extension Corewire {
    /// Push registration: the section `push`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var push: Push { Push(corewire: self) }

    /// Registers this device at push servers, and reports push events.
    ///
    /// ```swift
    /// let source = corewire.push.tokens(of: .apns) { try await currentToken() }
    /// try await corewire.push.subscribe("crm") { $0.profileFields["_fname"] = .set("Ada") }
    /// for registrar in corewire.push.registrars { print(registrar.name, registrar.state) }
    /// ```
    ///
    /// Calls return when the request is queued; servers are notified as soon as possible. Holding this value keeps
    /// ``Corewire`` alive.
    public struct Push: Sendable {
        let corewire: Corewire

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, PushFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .push)
        }

        /// The registrations at all servers; empty where the file has no section `push`, or its service does not run.
        public var registrars: [Registrar] {
            get async {
                guard !corewire.runner.isStopping else { return [] }
                return await corewire.runner.find(PushService.self)?.registrars().map(Registrar.init) ?? []
            }
        }

        // MARK: Registration

        /// Registers this device again at a server, or at all servers, with fresh tokens.
        @concurrent
        public func register(_ registrar: String? = nil) async throws(CorewireError) {
            guard let registrar else {
                _ = try await perform(PushCalls.registerAll, PushRegisterAll())
                return
            }
            _ = try await perform(PushCalls.register, PushRegister(registrar))
        }

        /// Subscribes; at an Altcraft platform with fields and categories that override those of the file.
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

        /// Changes profile fields at an Altcraft platform.
        @concurrent
        public func changeProfile(
            _ registrar: String,
            _ fields: [String: ProfileChange],
            skipTriggers: Bool = false
        ) async throws(CorewireError) {
            let change = PushProfileChange(registrar, JSONMap(fields, \.json), skipsTriggers: skipTriggers)
            _ = try await perform(PushCalls.changeProfile, change)
        }

        /// Sends an app event to an Altcraft platform.
        @concurrent
        public func report(_ event: AppEvent, at registrar: String) async throws(CorewireError) {
            let event = try event.posted
            // The platform validates channels that the local API does not know.
            try await corewire.ask(PushService.self, in: .push) { service throws(PushFailure) in
                try await service.report(event, at: registrar)
            }
        }

        /// The status of a subscription at an Altcraft platform, as JSON with shortened tokens.
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

        /// Provides the tokens of a provider, where the file says `app`; called as long as the returned value is held.
        ///
        /// Nil means that there is no token now. ``refreshTokens()`` calls the closure again.
        public func tokens(
            of provider: Provider,
            delete: (@Sendable () async throws -> Void)? = nil,
            get: @escaping @Sendable () async throws -> String?
        ) -> TokenCode {
            TokenCode(provider, get: get, delete: delete, in: corewire.pushTokenCode)
        }

        /// Sets a token; it overrides other sources until it is removed.
        @concurrent
        public func setToken(_ token: String, of provider: Provider) async throws(CorewireError) {
            let change = PushTokenChange(provider.rawValue, WireBase.Secret(token))
            _ = try await perform(PushCalls.setToken, change)
        }

        /// Deletes the token of a provider, or removes one that was set.
        @concurrent
        public func removeToken(of provider: Provider) async throws(CorewireError) {
            _ = try await perform(PushCalls.deleteToken, PushProviderName(provider.rawValue))
        }

        /// Requests fresh tokens from all providers.
        @concurrent
        public func refreshTokens() async throws(CorewireError) {
            _ = try await perform(PushCalls.refresh, NoInput())
        }

        /// Changes the order in which providers are tried; nil resets it to that of the file.
        @concurrent
        public func setProviders(_ providers: [Provider]?) async throws(CorewireError) {
            guard let providers else {
                _ = try await perform(PushCalls.resetProviders, NoInput())
                return
            }
            _ = try await perform(PushCalls.setProviders, PushProviderOrder(providers.map(\.known)))
        }

        /// Sets the JWT of the user, where the file says `jwt: app`; nil removes it.
        @concurrent
        public func setJWT(_ jwt: String?, at registrar: String) async throws(CorewireError) {
            guard let jwt else {
                _ = try await perform(PushCalls.removeJWT, PushRegistrarName(registrar))
                return
            }
            _ = try await perform(PushCalls.setJWT, PushJWT(registrar, WireBase.Secret(jwt)))
        }

        // MARK: Removal

        /// Removes the registrations of the user, or of all users, until they are registered again.
        ///
        /// Returns the names of the affected registrars. Servers are not notified.
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
        help: "add the section 'push' with push servers"
    )
}
