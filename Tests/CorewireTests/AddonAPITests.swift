import Corewire
import Support
import Synchronization
import Testing

@Suite("Add-ons of a Swift program")
struct AddonAPITests {
    private static let sections = """
        device: { register: never }
        network: {}
        """

    @Test("an add-on is registered, set up, started and called in HALO's order, without a section in the file")
    func order() async throws {
        let ward = Ward()
        let program = try await EmbeddedProgram(sections: Self.sections, addons: [ward])
        let corewire = program.corewire
        #expect(await eventually { corewire.device.current?.tags.contains { $0.name == "ward" } ?? false })
        #expect(await eventually { ward.lines.contains("did start") })
        #expect(ward.lines.prefix(5) == ["will register", "did register", "set up", "start up", "will start"])
        await #expect {
            _ = try await corewire.network.send(.init(to: "no"))
        } throws: {
            ($0 as? CorewireError)?.description.contains("the add-on 'ward' rejected the request: not today") ?? false
        }
        #expect(await eventually { ward.lines.contains("GET /no: the add-on 'ward' rejected the request: not today") })
        try await corewire.use(environment: "prod")
        #expect(await eventually { ward.lines.contains("dev to prod") })
        await corewire.stop()
        #expect(ward.lines.suffix(2) == ["drain", "stop"])
    }

    @Test("a required add-on that fails to set up fails the start; an optional one does not")
    func failing() async throws {
        await #expect {
            _ = try await EmbeddedProgram(sections: Self.sections, addons: [Broken(isRequired: true)])
        } throws: {
            ($0 as? CorewireError)?.description.contains("the add-on 'broken' did not become ready") ?? false
        }
        let program = try await EmbeddedProgram(sections: Self.sections, addons: [Broken(isRequired: false)])
        let corewire = program.corewire
        #expect(corewire.status.services.contains { $0.name == "addons" && "\($0.state)" == "degraded" })
        await corewire.stop()
    }

    @Test("an add-on signs a user in, and completes a browser sign-in with the redirect URL")
    func provider() async throws {
        let sections = """
            allow: { no-sign-in-addon: code of this program signs in }
            auth: { flow: addon, scopes: [openid, profile] }
            backends: { issuer: { users: { ada: { name: Ada Lovelace, password: wonder } } } }
            """
        let provider = Provider()
        let program = try await EmbeddedProgram(sections: sections, addons: [provider])
        let auth = program.corewire.auth
        #expect(await eventually { provider.wanted == ["identify by itself"] })
        let signIn = try await auth.signIn()
        #expect(signIn.flow == .addon)
        #expect(signIn.step == .none)
        #expect(try await signIn.user().name == "Ada Lovelace")
        #expect(provider.wanted.last == "identify")
        try await auth.signOut()
        let inBrowser = try await auth.signIn(flow: .browser)
        #expect(try await inBrowser.user().name == "Ada Lovelace")
        #expect(provider.wanted.last == "open")
        try await auth.signOut()
        provider.refuses.withLock { $0 = true }
        let refused = try await auth.signIn()
        let error = await #expect(throws: CorewireError.self) { try await refused.user() }
        #expect(error?.code == .signInFailed)
        #expect("\(String(describing: error))".contains("the add-on 'provider' rejected the sign-in: closed"))
        await program.corewire.stop()
    }

    @Test("two add-ons with one name are rejected before the start")
    func sameName() async throws {
        let twice = [Broken(isRequired: false), Broken(isRequired: false)]
        let error = await #expect(throws: CorewireError.self) {
            _ = try await EmbeddedProgram(sections: Self.sections, addons: twice)
        }
        #expect(error?.code == .invalidFile)
        #expect(error?.description == "the add-on name 'broken' is not unique")
    }
}

private struct Broken: CorewireAddon {
    struct Reason: Error {}
    let addonName = "broken"
    let isRequired: Bool
    func setUp() async throws { throw Reason() }
}

private final class Provider: CorewireAuthProvider {
    let addonName = "provider"
    let refuses = Mutex(false)
    private let heard = Mutex<[String]>([])
    var wanted: [String] { heard.withLock { $0 } }

    func signIn(_ wanted: Corewire.WantedSignIn) async throws -> Corewire.SignInProof? {
        switch wanted.step {
        case .open(let url, let redirectURI):
            heard.withLock { $0.append("open") }
            let callback = try await Person().signIn(at: url)
            return callback.hasPrefix(redirectURI) ? .callback(callback) : nil
        case .enter: return nil
        case .identify:
            heard.withLock { $0.append(wanted.timeLeft == nil ? "identify by itself" : "identify") }
            if wanted.timeLeft == nil { return nil }
            if refuses.withLock({ $0 }) { return .refused("closed") }
            return .password(userName: "ada", password: Corewire.Secret("wonder"))
        }
    }
}

private final class Ward: CorewireLifecycleAddon, CorewireDeviceAddon, CorewireNetworkAddon {
    private let written = Mutex<[String]>([])
    var lines: [String] { written.withLock { $0 } }
    private func write(_ line: String) { written.withLock { $0.append(line) } }

    let addonName = "ward"
    let mayRefuseRequests = true

    func willRegisterAddon() { write("will register") }
    func didRegisterAddon() { write("did register") }
    func setUp() async throws { write("set up") }
    func startUp() async throws { write("start up") }
    func willStart() async { write("will start") }
    func didStart() async { write("did start") }
    func willDrain() async { write("drain") }
    func willStop() async { write("stop") }
    func didChangeEnvironment(from old: String?, to new: String?) async { write("\(old ?? "") to \(new ?? "")") }

    func willSetUp(_ device: inout Corewire.Device) async throws {
        write("device")
        device.addTag("ward", "3B")
    }

    func willPerform(_ request: Corewire.AddonRequest) async throws -> String? {
        request.url.hasSuffix("/no") ? "not today" : nil
    }

    func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async {
        let path = request.url.split(separator: "/").last ?? ""
        write("\(request.method) /\(path): \(end.failure ?? "\(end.status ?? 0)")")
    }
}
