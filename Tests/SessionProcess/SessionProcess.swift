import CorewireFile
import Dispatch
import Foundation
import Synchronization
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
/// Its wall clock is set forward again and again, so that every token it sees has just ended.
@main
enum SessionProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4, let rounds = Int(arguments[2]), let ahead = Int64(arguments[3]) else {
            throw Usage()
        }
        let store = try SQLiteStore.open(
            folder: arguments[0],
            sealer: KeySealer(try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size))), former: [])
        )
        let offset = Mutex<Int64>(ahead * 1_000)
        let service = try await AuthService.prepare(
            try settings(issuer: arguments[1]),
            in: try host(store, folder: arguments[0]) { offset.withLock { $0 } }
        )
        try await service.start()
        let run = Task { try await service.run() }
        for round in 0..<rounds {
            do {
                let token = try await service.token(TokenWish(minimumLifetime: .seconds(60)))
                print("token \(round) \(token.value.reveal())")
            } catch {
                print("refused \((error as TokenRefusal).reason.rawValue)")
                if (error as TokenRefusal).reason == .signedOut { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            offset.withLock { $0 += 250_000 }
        }
        run.cancel()
        await service.drain()
        await service.stop()
        await store.close()
    }

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
        offset: @escaping @Sendable () -> Int64
    ) throws -> ServiceHost {
        let client: any HTTPClient = try TransferClient()
        let clock = Clockwork(
            wall: { Int64(Date().timeIntervalSince1970 * 1_000) + offset() },
            monotonic: { .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds)) },
            sleep: { try await Task.sleep(for: $0) }
        )
        return ServiceHost(
            service: "auth",
            generation: 1,
            facts: EnvironmentFacts(),
            app: nil,
            log: Log("auth", to: Silence()),
            events: EventHub(keeping: 10, clock: clock),
            metrics: Metrics(),
            stores: Stores(values: store, queue: store, cache: store),
            clock: clock,
            places: Places(nil),
            folder: folder,
            offered: [
                Ability.secrecy.provision: OpenSSLSecrecy(), Ability.signatures.provision: OpenSSLSignatures(),
                Ability.httpClient.provision: client,
            ],
            report: { _ in }
        )
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }
}
