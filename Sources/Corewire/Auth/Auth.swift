import WireAuth
import WireAuthContract
import WireBase
import WireHost
import WireHTTP
import WireRuntime

extension Corewire {
    /// Who is signed in, and their tokens: the section `auth`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var auth: Auth { Auth(corewire: self) }

    /// Who is signed in, and their tokens.
    ///
    /// ```swift
    /// let signIn = try await corewire.auth.signIn()
    /// if case .open(let url) = signIn.step { print("open \(url)") }
    /// let user = try await signIn.user()
    /// let token = try await corewire.auth.token()
    /// request.setValue(token.authorization(), forHTTPHeaderField: "Authorization")
    /// ```
    ///
    /// A session belongs to the group of the app and to the environment, and programs that ask over the socket have the
    /// same one. Who holds it holds ``Corewire`` as well.
    public struct Auth: Sendable {
        let corewire: Corewire

        // MARK: Looking

        /// Where the session stands; nil where the file has no section `auth`, or it does not run.
        ///
        /// A snapshot: cheap enough to ask for at any time, and no use of the session.
        public var state: AuthState? { corewire.authService.map { AuthState($0.standing.session) } }

        /// What goes wrong with signing in or staying signed in; nil where all is well.
        public var trouble: AuthTrouble? { corewire.authService?.standing.trouble.map(AuthTrouble.init) }

        /// The lock; nil where the file declares none.
        public var lockState: AuthLock? { corewire.authService?.standing.lock.map(AuthLock.init) }

        /// The user who is signed in; nil where nobody is, or it is locked.
        public var user: User? {
            guard case .signedIn(let user) = state else { return nil }
            return user
        }

        /// Where the session stands, now and whenever that changes.
        ///
        /// It goes on over reloads and switches of the environment, and ends after ``Corewire/stop()`` and for a cancelled
        /// task. Who is slow is told the latest. Each iteration begins with how it is then.
        public var changes: AuthChanges { AuthChanges(corewire: corewire) }

        // MARK: Signing in and out

        /// Begins to sign somebody in, or joins the sign-in of the same flow that waits; one of another flow is ended.
        ///
        /// Returns with what the person must do; how it comes out is told by ``SignIn/user()``. Without a flow, it is the
        /// one of the file. With a PIN, the session is locked by it from then on.
        @concurrent
        public func signIn(flow: SignInFlow? = nil, pin: String? = nil) async throws(CorewireError) -> SignIn {
            var request = SignInRequest(flow?.service)
            request.pin = pin.map(SecretText.init(_:))
            return try await begin(request)
        }

        /// Signs a user in with name and password, where the file says `flow: password`.
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
            let clock = Clockwork.host
            let task = try await corewire.ask { service async throws(AuthFailure) in try await service.signIn(request) }
            return SignIn(task, now: clock.monotonic())
        }

        /// Finishes the sign-in that waits with the address the server has sent the browser to, all of it.
        ///
        /// For redirect URIs with a scheme of the app's own; an address of another sign-in changes nothing.
        @concurrent
        public func finish(callback url: String) async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.callback, SignInCallback(url: url), in: .auth)
        }

        /// Gives up the sign-in that waits; all who wait for it are told so.
        @concurrent
        public func cancelSignIn() async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.cancel, NoInput(), in: .auth)
        }

        /// Signs out, here and for all programs of the group; the server takes the tokens back, later where it cannot be
        /// reached now.
        @concurrent
        @discardableResult
        public func signOut() async throws(CorewireError) -> SignOut {
            SignOut(try await corewire.perform(AuthCalls.signOut, NoInput(), in: .auth))
        }

        // MARK: Tokens

        /// A token that is good for as long as is wished; renewed first where there is none.
        ///
        /// Without a mode, the one of the file. Asking is use of the session, and keeps it from locking. At once where the
        /// present token will do, so there is no need to keep one.
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

        /// A token in place of one that a server has refused though it looked fresh.
        ///
        /// It is renewed where it is still the present one, once for all who ask; where another one is there already, that is
        /// the answer. Renewals for this reason are at least a second apart, and up to a minute where they go on: an API that
        /// refuses every token is told by ``CorewireError/Code/tooSoon``.
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
                throw CorewireError(.invalid, "a token cannot be wished for so long: expected 0 s to 7 d")
            }
        }

        /// Tells that a server has refused a token though it looked fresh: the next one asked for is a new one.
        @concurrent
        public func tellRefused(_ token: Token) async throws(CorewireError) {
            let token = token.service
            try await corewire.ask { service async throws(AuthFailure) in await service.refused(token) }
        }

        // MARK: Locking

        /// Withholds tokens and user until unlocked; with a PIN of 4 to 12 digits, sets it first.
        @concurrent
        public func lock(pin: String? = nil) async throws(CorewireError) {
            let request = LockRequest(pin: pin.map(SecretText.init(_:)))
            _ = try await corewire.perform(AuthCalls.lock, request, in: .auth)
        }

        /// Opens the lock.
        ///
        /// Each wrong attempt makes the next wait longer, and too many in a row sign out.
        @concurrent
        public func unlock(pin: String) async throws(CorewireError) {
            _ = try await corewire.perform(AuthCalls.unlock, UnlockRequest(pin: SecretText(pin)), in: .auth)
        }

        /// Opens the lock by the password of the account this program runs as, where the file says `method: pam`.
        @concurrent
        public func unlock(password: Secret) async throws(CorewireError) {
            let request = UnlockRequest(password: SecretText(password.custody))
            _ = try await corewire.perform(AuthCalls.unlock, request, in: .auth)
        }
    }

    /// The service that signs in, in the generation that runs.
    var authService: AuthService? { runner.find(AuthService.self) }

    /// Asks the service that signs in, in the generation that runs.
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
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign people in")
}
