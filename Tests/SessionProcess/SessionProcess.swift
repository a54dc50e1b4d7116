import CorewireCatalogue
import WireAuth
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireTransfer

/// A process of a group that needs new tokens all the time: what the tests of several processes start.
///
/// After each token it lets time pass, on the clock of the group, so that this token is not good for long enough any more.
@main
enum SessionProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let rounds = Int(arguments[2]) else { throw Usage() }
        let store = try SQLiteStore.open(
            folder: arguments[0],
            sealer: KeySealer(try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size))), former: [])
        )
        let clock = try SharedClock(in: arguments[0])
        let service = try await AuthService.prepare(
            try settings(issuer: arguments[1]),
            in: try host(store, folder: arguments[0], clock.clockwork)
        )
        try await service.start()
        let run = Task { try await service.run() }
        var last = ""
        for round in 0..<rounds {
            do {
                last = try await newToken(of: service, after: last, clock)
                print("token \(round) \(last)")
            } catch {
                print("refused \((error as TokenRefusal).reason.rawValue)")
                if (error as TokenRefusal).reason == .signedOut { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            clock.pass(Self.step)
        }
        run.cancel()
        await service.drain()
        await service.stop()
        await store.close()
    }

    /// Asks until there is another token than the last one.
    ///
    /// Where tokens end as they come, because the others let time pass, a process waits before it asks the server again: it
    /// hands out what there is, or nothing for the moment. So time passes here as well.
    private static func newToken(of service: AuthService, after last: String, _ clock: SharedClock)
        async throws(TokenRefusal) -> String
    {
        for _ in 0..<10_000 {
            do throws(TokenRefusal) {
                let token = try await service.token(TokenQuery(minimumLifetime: wish)).value.reveal()
                if token != last { return token }
            } catch {
                guard error.reason == .unavailable else { throw error }
            }
            clock.pass(.seconds(1))
            try? await Task.sleep(for: .milliseconds(2))
        }
        throw TokenRefusal(.unavailable, guidance: "no new token comes")
    }

    /// Nine tenths of what the tokens of the tests' issuer live.
    private static let wish = Duration.seconds(270)
    /// Too much for the wish.
    private static let step = Duration.seconds(35)

    struct Usage: Error {}

    private static func settings(issuer: String) throws -> AuthSection {
        let text = "version: 1\napp: { id: com.example.tasks }\nauth: { url: \"\(issuer)\", clientId: tasks }\n"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let settings = validation.environment(nil)?.configuration[AuthSection.self] else { throw Usage() }
        return settings
    }

    private static func host(
        _ store: SQLiteStore,
        folder: String,
        _ clock: TimeSource
    ) throws -> AuthHost {
        let client: any HTTPClient = try TransferClient()
        return AuthHost(
            service: "auth",
            generation: 1,
            facts: EnvironmentFacts(),
            configuration: Configuration(facts: EnvironmentFacts()),
            app: nil,
            log: Log("auth", to: Silence()),
            events: EventHub(keeping: 10, clock: clock),
            metrics: Metrics(),
            stores: Stores(store),
            clock: clock,
            places: Places(nil),
            folder: folder,
            offered: Abilities([
                Ability.secrecy.offered(by: OpenSSLSecrecy()), Ability.signatures.offered(by: OpenSSLSignatures()),
                Ability.httpClient.offered(by: client),
            ]),
            report: { _ in }
        )
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }
}
