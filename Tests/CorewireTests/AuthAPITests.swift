import Corewire
import Foundation
import Support
import Testing

@Suite("Authentication through the Swift API", .timeLimit(.minutes(3)))
struct AuthAPITests {
    static let sections = """
        auth:
          scopes: [openid, profile, email, offline_access]
          guidance: { blocked: "Ask Grace to unblock you." }
          lock: { after: 1h, attempts: 3 }
        backends:
          issuer:
            users:
              ada:
                { name: Ada Lovelace, email: ada@example.com, password: wonder, roles: [nurse], claims: { ward: { bed: 3 } } }
              eve: { password: evil, blocked: true }
        """

    private func program(_ sections: String = sections) async throws -> EmbeddedProgram {
        try await EmbeddedProgram(sections: sections)
    }

    /// The address the person is to open.
    private func address(_ signIn: Corewire.SignIn) throws -> String {
        guard case .open(let url) = signIn.step else { throw Person.Lost(text: "\(signIn.step)") }
        return url
    }

    @discardableResult
    private func ada(_ program: EmbeddedProgram, pin: String? = nil) async throws -> Corewire.User {
        let signIn = try await program.corewire.auth.signIn(pin: pin)
        try await Person().comeBack(from: address(signIn))
        return try await signIn.user()
    }

    @discardableResult
    private func fails<Value>(_ code: CorewireError.Code, _ work: () async throws -> Value) async
        -> CorewireError?
    {
        let error = await #expect(throws: CorewireError.self) { _ = try await work() }
        #expect(error?.code == code, "\(String(describing: error))")
        return error
    }

    @Test("a user signs in, is the same as over the socket, with the same token, and signs out")
    func signIn() async throws {
        let program = try await program()
        let auth = program.corewire.auth
        guard case .signedOut(nil) = auth.state else { throw Person.Lost(text: "\(String(describing: auth.state))") }
        #expect(auth.user == nil)
        let refusal = await fails(.signedOut) { try await auth.token() }
        #expect(refusal?.guidance == "Sign in first.")

        let signIn = try await auth.signIn()
        #expect(signIn.flow == .browser)
        #expect(signIn.timeLeft > .seconds(500))
        guard case .signingIn(let step) = auth.state else { throw Person.Lost(text: "no task") }
        #expect(step == signIn.step)
        let again = try await auth.signIn(flow: .browser)
        #expect(again.step == signIn.step, "who asks again joins")
        async let waiting = again.user()
        #expect(try await Person().comeBack(from: address(signIn)).contains("You are signed in"))
        let user = try await signIn.user()
        #expect(try await waiting == user)
        #expect(auth.user == user)
        #expect(user.name == "Ada Lovelace")
        #expect(user.userName == "ada")
        #expect(user.email == "ada@example.com")
        #expect(user.roles == ["nurse"])
        #expect(try user.claim("ward", as: [String: Int].self) == ["bed": 3])
        #expect(try user.claim("none", as: String.self) == nil)
        let malformed = #expect(throws: CorewireError.self) { try user.claim("ward", as: [String: Bool].self) }
        #expect(malformed?.code == .malformed)
        #expect(malformed?.description.hasPrefix("the claim 'ward' is not a Dictionary") == true)
        await fails(.signedIn) { try await auth.signIn() }

        let token = try await auth.token()
        let theirs = try await program.ask("GET", "/v1/auth/token")
        #expect(theirs.text.contains("\"accessToken\":\"\(token.reveal())\""))
        #expect(token.authorization() == "Bearer \(token.reveal())")
        #expect(token.mode == .user)
        #expect(token.scopes.contains("offline_access"))
        #expect(try #require(token.expires) > 1_600_000_000_000)
        let answer = try await program.ask("GET", "/v1/auth/user")
        #expect(answer.text.contains("\"session\":\"\(user.session)\""))
        #expect(answer.text.contains("\"claims\":\(user.json)"))

        #expect(try await auth.signOut().isRevoked == true)
        guard case .signedOut(.some(.user)) = auth.state else { throw Person.Lost(text: "still there") }
        #expect(try await auth.signOut().isRevoked == nil)
        await program.stop()
    }

    @Test("a token never prints itself, and a rejected one is replaced")
    func token() async throws {
        let program = try await program()
        try await ada(program)
        let token = try await program.corewire.auth.token()
        var dumped = ""
        dump(token, to: &dumped)
        for text in [dumped, "\(token)", String(reflecting: token), String(describing: [token])] {
            #expect(!text.contains(token.reveal()))
        }
        #expect("\(token)" == "user token [redacted]")
        #expect(try await program.corewire.auth.token().reveal() == token.reveal())
        try await program.corewire.auth.tellRefused(token)
        let second = try await program.corewire.auth.token()
        #expect(second.reveal() != token.reveal())
        #expect(try await program.corewire.auth.token(insteadOf: token).reveal() == second.reveal())
        await fails(.invalid) { try await program.corewire.auth.token(minimumLifetime: .seconds(-1)) }
        await fails(.invalid) {
            try await program.corewire.auth.token(insteadOf: second, minimumLifetime: .seconds(-1))
        }
        // However slow this machine is, the pause grows to a minute.
        var tooSoon: CorewireError?
        for _ in 0..<10 where tooSoon == nil {
            do {
                let present = try await program.corewire.auth.token()
                #expect(try await program.corewire.auth.token(insteadOf: present).reveal() != present.reveal())
            } catch {
                tooSoon = error
            }
        }
        #expect(tooSoon?.code == .tooSoon && tooSoon?.retryAfter ?? .zero > .zero)
        let undeclared = await fails(.undeclared) { try await program.corewire.auth.token(mode: .app) }
        #expect(undeclared?.guidance == "The file declares mode 'user'; there is no token of mode 'app'.")
        await program.stop()
    }

    @Test("a blocked user gets the text of the file from sign-in, state and token calls")
    func blocked() async throws {
        let program = try await program()
        let auth = program.corewire.auth
        let signIn = try await auth.signIn()
        let page = try await Person().comeBack(from: address(signIn), as: "eve", "evil")
        #expect(page.contains("Ask Grace to unblock you."))
        let error = await fails(.blocked) { try await signIn.user() }
        #expect(error?.guidance == "Ask Grace to unblock you.")
        #expect(error?.signInFailure == "blocked")
        #expect(error?.helpsToRetry == false)
        guard case .blocked(let guidance) = auth.state else { throw Person.Lost(text: "not blocked") }
        #expect(guidance == "Ask Grace to unblock you.")
        #expect(auth.trouble?.kind == "blocked")
        #expect(await fails(.blocked) { try await auth.token() }?.guidance == guidance)
        await program.stop()
    }

    @Test("a waiting sign-in learns that it was cancelled, replaced, or is unknown")
    func givenUp() async throws {
        let program = try await program()
        let auth = program.corewire.auth
        let browser = try await auth.signIn()
        let device = try await auth.signIn(flow: .device)
        guard case .enter(let code, let place, let complete) = device.step else {
            throw Person.Lost(text: "\(device.step)")
        }
        #expect(complete == "\(place)?user_code=\(code)")
        await fails(.givenUp) { try await browser.user() }
        try await auth.cancelSignIn()
        await fails(.givenUp) { try await device.user() }
        await fails(.noSignIn) { try await auth.cancelSignIn() }
        await fails(.undeclared) { try await auth.signIn(userName: "ada", password: "wonder") }

        let third = try await auth.signIn()
        let waiting = Task { try await third.user() }
        waiting.cancel()
        await fails(.cancelled) { try await waiting.value }
        let last = Task { try await third.user() }
        await program.stop()
        await fails(.givenUp) { try await last.value }
        await fails(.stopped) { try await auth.token() }
    }

    @Test("a redirect to the app's scheme completes its own sign-in only")
    func callback() async throws {
        let sections = Self.sections.replacingOccurrences(
            of: "auth:",
            with: "auth:\n  redirectUri: com.example.embedded:/back"
        )
        let program = try await program(sections)
        let auth = program.corewire.auth
        await fails(.noSignIn) { try await auth.finish(callback: "com.example.embedded:/back?code=c&state=s") }
        let signIn = try await auth.signIn()
        let back = try await Person().signIn(at: address(signIn))
        #expect(back.hasPrefix("com.example.embedded:/back?"))
        let other = back.replacingOccurrences(of: "state=", with: "state=x")
        let error = await fails(.noSignIn) { try await auth.finish(callback: other) }
        #expect(error?.signInFailure == "wrongState")
        try await auth.finish(callback: back)
        #expect(try await signIn.user().userName == "ada")
        await program.stop()
    }

    @Test("a password sign-in works if the file allows it, and a wrong password is reported as such")
    func password() async throws {
        let flow = "auth:\n  flow: password\n  username: ada\n  password: wrong"
        let program = try await program(Self.sections.replacingOccurrences(of: "auth:", with: flow))
        let auth = program.corewire.auth
        let wrong = await fails(.signInFailed) { try await auth.signIn(userName: "ada", password: "canary-word") }
        #expect(wrong?.signInFailure == "invalidCredentials")
        #expect(wrong?.guidance == "User name or password is wrong. Check both and try again.")
        #expect("\(String(describing: wrong))".contains("canary-word") == false)
        await fails(.signInFailed) { try await auth.signIn() }
        let signIn = try await auth.signIn(userName: "ada", password: "wonder")
        #expect(signIn.step == .none)
        #expect(try await signIn.user().name == "Ada Lovelace")
    }

    @Test(
        "a HALO user signs in at the embedded HALO server",
        arguments: ["mode: user", "mode: appPlus", "mode: user, url: api"]
    )
    func halo(keys: String) async throws {
        // The user of the file would sign in by itself, were the password right.
        let person = "flow: password, username: ada, password: forgotten"
        let auth = "{ provider: halo, \(person), clientSecret: geheim, \(keys) }"
        let sections = """
            auth: \(auth)
            backends: { issuer: { users: { ada: { email: ada@example.com, password: wonder } } } }
            """
        let program = try await program(sections)
        let name = keys.contains("appPlus") ? "ada@example.com" : "ada"
        await fails(.signInFailed) { try await program.corewire.auth.signIn(userName: name, password: "wander") }
        let signIn = try await program.corewire.auth.signIn(userName: name, password: "wonder")
        #expect(try await signIn.user().userName?.hasPrefix("ada") == true)
        #expect(try await program.corewire.auth.token().type == "Bearer")
        await program.stop()
    }

    @Test("a lock blocks user and tokens until the PIN is entered, and wrong PINs cause delays")
    func lock() async throws {
        let program = try await program()
        let auth = program.corewire.auth
        await fails(.badPIN) { try await auth.signIn(pin: "12") }
        try await ada(program, pin: "4711")
        #expect(auth.lockState?.hasPIN == true)
        #expect(auth.lockState?.after == .seconds(3_600))
        try await auth.lock()
        guard case .locked = auth.state else { throw Person.Lost(text: "not locked") }
        #expect(auth.user == nil)
        #expect(await fails(.locked) { try await auth.token() }?.guidance.contains("Unlock it") == true)
        let begin = ContinuousClock.now
        let wrong = await fails(.wrongPIN) { try await auth.unlock(pin: "0000") }
        #expect(wrong?.retryAfter == .seconds(1) && wrong?.helpsToRetry == false)
        #expect(wrong?.guidance == "Wrong PIN; 2 attempts are left.")
        #expect(auth.lockState?.attemptsLeft == 2)
        do {
            try await auth.unlock(pin: "4711")
            #expect(ContinuousClock.now - begin >= .seconds(1), "it was too soon, and nobody said so")
        } catch {
            #expect(error.code == .tooSoon && error.retryAfter ?? .seconds(9) <= .seconds(1), "found \(error)")
        }
        await program.stop()
    }

    @Test(
        "session changes are delivered across reloads, switches, and removal of the section"
    )
    func changes() async throws {
        let program = try await program()
        let corewire = program.corewire
        let (told, tell) = AsyncStream.makeStream(of: String.self)
        let watching = Task {
            for await state in corewire.auth.changes { tell.yield(Self.word(state)) }
            tell.finish()
        }
        var words = told.makeAsyncIterator()
        func next() async -> String? { await words.next(isolation: #isolation) }
        #expect(await next() == "signedOut ")
        let signIn = try await corewire.auth.signIn(pin: "4711")
        #expect(await next() == "signingIn")
        try await Person().comeBack(from: address(signIn))
        #expect(await next() == "signedIn ada")
        try program.write(sections: Self.sections.replacingOccurrences(of: "email,", with: ""))
        try await corewire.reload()
        try await corewire.auth.lock()
        #expect(await next() == "locked")
        try await corewire.use(environment: "prod")
        #expect(await next() == "signedOut ")
        try program.write(sections: "")
        try await corewire.reload()
        #expect(corewire.auth.state == nil)
        await fails(.noService) { try await corewire.auth.token() }
        try program.write(sections: Self.sections)
        try await corewire.reload()
        try await corewire.use(environment: "dev")
        #expect(await next() == "locked", "the session of the environment is still there")
        await program.stop()
        #expect(await next() == nil)
        await watching.value
    }

    private static func word(_ state: Corewire.AuthState) -> String {
        switch state {
        case .signedOut(let reason): "signedOut \(reason.map(\.description) ?? "")"
        case .signingIn: "signingIn"
        case .signedIn(let user): "signedIn \(user.userName ?? "")"
        case .appSignedIn: "app"
        case .locked: "locked"
        case .blocked: "blocked"
        }
    }

    @Test("a missing section, or mode app, is reported")
    func without() async throws {
        let program = try await program("")
        #expect(program.corewire.auth.state == nil)
        #expect(program.corewire.auth.lockState == nil)
        let error = await fails(.noService) { try await program.corewire.auth.signIn() }
        #expect(error?.description.hasSuffix("services.yaml' has no section 'auth'") == true)
        #expect(error?.help == "add the section 'auth' to sign users in")
        await program.stop()
    }
}
