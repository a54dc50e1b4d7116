import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireListener
import WireSecrets
import WireService
import WireStore

@testable import WireAuth

/// An identity server that gives each refresh token once, and ends the session of whoever uses one twice.
///
/// As servers do, it forgives the token before the last for as long as nobody has used the last.
final class RotatingIssuer: Responder {
    struct State: Sendable {
        var base = ""
        var last = 1
        var before = 0
        var rotations = 0
        var repeats = 0
        var isReused = false
    }

    let state = Mutex(State())
    private let listener = Mutex<HTTPListener?>(nil)

    static func start() throws -> RotatingIssuer {
        let issuer = RotatingIssuer()
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Behind(issuer))
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else { throw Bench.Unread() }
        issuer.state.withLock { $0.base = "http://\(host):\(port)" }
        issuer.listener.withLock { $0 = listener }
        return issuer
    }

    func stop() async { await listener.withLock { $0 }?.stop(within: .zero) }

    var base: String { state.withLock { $0.base } }

    func exchange(for head: Request) -> Exchange {
        let base = base
        guard head.target.path == "/token" else {
            let document = JSONValue.members([
                "issuer": .string(base), "authorization_endpoint": .string("\(base)/authorize"),
                "token_endpoint": .string("\(base)/token"), "jwks_uri": .string("\(base)/keys"),
                "response_types_supported": .array([.string("code")]),
                "subject_types_supported": .array([.string("public")]),
                "id_token_signing_alg_values_supported": .array([.string("ES256")]),
                "code_challenge_methods_supported": .array([.string("S256")]),
            ])
            return Exchange(.answer(.json(document)))
        }
        return Exchange(.collect(upTo: .kibibytes(16)) { .now(self.answer($0.body)) })
    }

    private func answer(_ body: [UInt8]) -> Response {
        let form = Target(parsing: "/?" + String(decoding: body, as: UTF8.self))?.query ?? []
        let given = form.first { $0.name == "refresh_token" }.flatMap { Int($0.value.dropFirst("refresh-".count)) }
        let next: Int? = state.withLock { state in
            switch given {
            case state.last:
                (state.before, state.last) = (state.last, state.last + 1)
                state.rotations += 1
            case state.before where !state.isReused: state.repeats += 1
            default:
                state.isReused = true
                return nil
            }
            return state.last
        }
        guard let next else {
            return .json(.members(["error": .string("invalid_grant")]), status: .badRequest)
        }
        return .json(
            .members([
                "access_token": .string("access-\(next)"), "token_type": .string("Bearer"),
                "expires_in": .integer(300), "refresh_token": .string("refresh-\(next)"),
            ])
        )
    }
}

@Suite("Processes of a group", .serialized)
struct ProcessTests {
    private func seed(_ store: SharedStore, _ issuer: RotatingIssuer) async throws -> SessionRepository {
        let repository = SessionRepository(Stores(store.sqlite), environment: "", mode: "user")
        let grant = Grant(
            accessToken: Secret("access-1"),
            type: "Bearer",
            expires: 1_000,
            refreshToken: Secret("refresh-1"),
            scopes: ["openid"],
            user: GrantedUser(issuer: issuer.base, subject: "ada", claims: .object([]))
        )
        let session = SessionRecord.Session(
            id: "session",
            rotation: 1,
            grant: grant,
            life: TokenLifetime(wall: 0, monotonic: .zero, lifetime: .seconds(1)),
            unansweredRefreshes: 0
        )
        let record = SessionRecord(content: .session(session), server: "\(issuer.base) tasks")
        _ = try await repository.put(record, after: nil)
        return repository
    }

    private func start(_ store: SharedStore, _ issuer: RotatingIssuer, _ updates: Int) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = Program.buildFolder.appendingPathComponent("SessionProcess")
        process.arguments = [store.folder.url.path, issuer.base, "\(updates)"]
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe)
    }

    /// What was printed, when the process has ended.
    private func output(_ process: Process, _ pipe: Pipe) async throws -> String {
        let reader = pipe.fileHandleForReading
        let text = try await blocking { String(decoding: reader.readDataToEndOfFile(), as: UTF8.self) }
        process.waitUntilExit()
        return text
    }

    /// How many tokens each process needs; more where somebody has the time.
    private static let updates = ProcessInfo.processInfo.environment["COREWIRE_ROTATIONS"].flatMap { Int($0) } ?? 20

    @Test("eight concurrent processes never use a refresh token twice, and stay signed in")
    func eight() async throws {
        let (store, issuer) = (try SharedStore(), try RotatingIssuer.start())
        let repository = try await seed(store, issuer)
        let updates = Self.updates
        let started = try (0..<8).map { _ in try start(store, issuer, updates) }
        var outputs: [String] = []
        for (process, pipe) in started { outputs.append(try await output(process, pipe)) }
        let state = issuer.state.withLock { $0 }
        #expect(!state.isReused)
        #expect(state.repeats == 0)
        // Each process has seen a new token in each round, and the first one had ended before.
        #expect(state.rotations >= updates)
        for output in outputs {
            let tokens = output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
            #expect(Set(tokens).count == updates)
        }
        #expect(outputs.allSatisfy { $0.contains("token \(updates - 1) ") && !$0.contains("refused") })
        #expect(try await repository.session()?.record.session?.rotation == state.last)
        await issuer.stop()
    }

    @Test("a process killed during a refresh does not lose the session")
    func killed() async throws {
        let (store, issuer) = (try SharedStore(), try RotatingIssuer.start())
        let repository = try await seed(store, issuer)
        for round in 0..<4 {
            let before = issuer.state.withLock { $0.rotations }
            let (process, pipe) = try start(store, issuer, 100_000)
            // Killed at another place each time: so many rotations and some steps after it has begun.
            for _ in 0..<20_000 where issuer.state.withLock({ $0.rotations }) <= before + round {
                await breath()
                try await Task.sleep(for: .milliseconds(1))
            }
            for _ in 0..<(round * 37) { await Task.yield() }
            kill(process.processIdentifier, SIGKILL)
            _ = try await output(process, pipe)
            #expect(issuer.state.withLock { $0.rotations } > before)
        }
        let (process, pipe) = try start(store, issuer, 3)
        let text = try await output(process, pipe)
        #expect(text.contains("token 2 "), "\(text)")
        #expect(!issuer.state.withLock { $0.isReused })
        #expect(try await repository.session()?.record.session != nil)
        await issuer.stop()
    }
}
