import WireAuth
import WireAuthContract
import WireBase
import WireHost
import WireHTTP
import WireRuntime

extension Corewire {
    /// Sessions and tokens: the section `auth`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var auth: Auth { Auth(corewire: self) }

    /// Provides the session, sign-in and tokens.
    ///
    /// ```swift
    /// let signIn = try await corewire.auth.signIn()
    /// if case .open(let url) = signIn.step { print("open \(url)") }
    /// let user = try await signIn.user()
    /// let token = try await corewire.auth.token()
    /// request.setValue(token.authorization(), forHTTPHeaderField: "Authorization")
    /// ```
    ///
    /// A session belongs to the group of the app and to the environment, and is shared with programs that use the
    /// socket. Holding this value keeps ``Corewire`` alive.
    public struct Auth: Sendable {
        let corewire: Corewire

        // MARK: State

        /// The state of the session; nil where the file has no section `auth`, or its service does not run.
        ///
        /// A cheap snapshot; reading it does not count as use of the session.
        public var state: AuthState? { corewire.authService.map { AuthState($0.authSnapshot.session) } }

        /// The current failure of signing in or of the session; nil where there is none.
        public var trouble: AuthTrouble? { corewire.authService?.authSnapshot.trouble.map(AuthTrouble.init) }

        /// The lock; nil where the file declares none.
        public var lockState: AuthLock? { corewire.authService?.authSnapshot.lock.map(AuthLock.init) }

        /// The signed-in user; nil where there is none, or the session is locked.
        public var user: User? {
            guard case .signedIn(let user) = state else { return nil }
            return user
        }

        /// The state of the session, now and after every change.
        ///
        /// Continues across reloads and switches, and ends after ``Corewire/stop()`` and for a cancelled task. A slow
        /// subscriber gets the latest state. Each iteration begins with the current state.
        public var changes: AuthChanges { AuthChanges(corewire: corewire) }

        // MARK: Sign-in and sign-out

        /// Starts a sign-in, or joins a pending one with the same flow; one with another flow is cancelled.
        ///
        /// Returns what the user must do; ``SignIn/user()`` waits for the result. The default flow is that of the file.
        /// With a PIN, the session is locked with it from then on.
        @concurrent
        public func signIn(flow: SignInFlow? = nil, pin: String? = nil) async throws(CorewireError) -> SignIn {
            var request = SignInRequest(flow?.service)
            request.pin = pin.map(SecretText.init(_:))
            return try await begin(request)
        }

        /// Signs in a user with name and password, where the file says `flow: password`.
        @concurrent
        public func signIn(
            userName: String,
            password: String,
            pin: String? = nil
        ) async throws(CorewireError) -> SignIn {
            var request = SignInRequest(.password)
            (request.userName, request.password) = (userName, SecretText(password))
            request.pin = pin.map(SecretText.init(_:))
            return try await begin(request)
        }

        private func begin(_ request: SignInRequest) async throws(CorewireError) -> SignIn {
            let clock = TimeSource.host
            let task = try await corewire.ask { service async throws(AuthFailure) in try await service.signIn(request) }
            return SignIn(task, now: clock.monotonic())
        }

        /// Completes the pending sign-in with the complete redirect URL.
        ///
        /// For redirect URIs with the app's own scheme; a URL of another sign-in has no effect.
        @concurrent
        public func finish(callback url: String) async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.callback, SignInCallback(url: url), in: .auth)
        }

        /// Cancels the pending sign-in; all waiting callers get an error.
        @concurrent
        public func cancelSignIn() async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.cancel, NoInput(), in: .auth)
        }

        /// Signs out in all programs of the group, and revokes the tokens at the server, later where it is not
        /// reachable.
        @concurrent
        @discardableResult
        public func signOut() async throws(CorewireError) -> SignOut {
            SignOut(try await corewire.perform(AuthCalls.signOut, NoInput(), in: .auth))
        }

        // MARK: Tokens

        /// Returns a token valid for at least the requested time; refreshes it first where needed.
        ///
        /// The default mode is that of the file. The call counts as use of the session, which delays locking. It
        /// returns at once where the current token suffices, so do not store tokens.
        @concurrent
        public func token(
            mode: AuthMode? = nil,
            minimumLifetime: Duration = .seconds(30)
        ) async throws(CorewireError) -> Token {
            try Self.check(minimumLifetime)
            let mode = mode?.service
            let token = try await corewire.ask { service async throws(AuthFailure) in
                try await service.token(mode, for: minimumLifetime)
            }
            return Token(token)
        }

        /// Returns a new token after a server has rejected a valid-looking one.
        ///
        /// The token is refreshed once for all callers, unless that has already happened. Such refreshes are at least a
        /// second apart, and up to a minute when repeated: an API that rejects every token leads to
        /// ``CorewireError/Code/tooSoon``.
        @concurrent
        public func token(
            insteadOf refused: Token,
            minimumLifetime: Duration = .seconds(30)
        ) async throws(CorewireError) -> Token {
            try Self.check(minimumLifetime)
            let refused = refused.service
            let token = try await corewire.ask { service async throws(AuthFailure) in
                try await service.token(insteadOf: refused, for: minimumLifetime)
            }
            return Token(token)
        }

        private static func check(_ lifetime: Duration) throws(CorewireError) {
            guard lifetime >= .zero, lifetime <= .seconds(7 * 86_400) else {
                throw CorewireError(.invalid, "the minimum lifetime is out of range: expected 0 s to 7 d")
            }
        }

        /// Reports that a server has rejected a valid-looking token, so that the next token is a new one.
        @concurrent
        public func tellRefused(_ token: Token) async throws(CorewireError) {
            let token = token.service
            try await corewire.ask { service async throws(AuthFailure) in await service.refused(token) }
        }

        // MARK: Lock

        /// Locks the session, which blocks tokens and user; with a PIN of 4 to 12 digits, sets the PIN first.
        @concurrent
        public func lock(pin: String? = nil) async throws(CorewireError) {
            let request = LockRequest(pin: pin.map(SecretText.init(_:)))
            _ = try await corewire.perform(AuthCalls.lock, request, in: .auth)
        }

        /// Unlocks the session.
        ///
        /// Each wrong attempt delays the next one, and too many sign the user out.
        @concurrent
        public func unlock(pin: String) async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.unlock, UnlockRequest(pin: SecretText(pin)), in: .auth)
        }

        /// Unlocks the session with the password of the process's account, where the file says `method: pam`.
        @concurrent
        public func unlock(password: Secret) async throws(CorewireError) {
            let request = UnlockRequest(password: SecretText(password.custody))
            _ = try await corewire.perform(AuthCalls.unlock, request, in: .auth)
        }
    }

    /// The auth service of the current generation.
    var authService: AuthService? { runner.find(AuthService.self) }

    /// Calls the auth service of the current generation.
    func ask<Answer>(
        _ work: (AuthService) async throws(AuthFailure) -> Answer
    ) async throws(CorewireError) -> Answer {
        try await ask(AuthService.self, in: .auth, work)
    }
}

extension SecretText {
    fileprivate init(_ text: String) { self.init(WireBase.Secret(text)) }
}

extension Area {
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign users in")
}
