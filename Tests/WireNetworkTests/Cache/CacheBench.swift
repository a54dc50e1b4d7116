import CorewireCatalogue
import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry

@testable import WireNetwork

/// The step of the cache over a real store, with a clock moved by hand and a server that says what it is told to.
final class CacheBench: Sendable {
    /// What the server does with a request.
    typealias Script = @Sendable (PipelineRequest) throws(CallFailure) -> Reply

    /// An answer as a test writes it.
    struct Reply: Sendable {
        var status = 200
        var fields: Fields = [:]
        var body: any BodyReader = Chunks([])

        init(_ status: Int = 200, _ fields: Fields = [:], _ body: String = "") {
            self.init(status, fields, Chunks([body]))
        }

        init(_ status: Int, _ fields: Fields, _ body: any BodyReader) {
            (self.status, self.fields, self.body) = (status, fields, body)
        }
    }

    /// What came of a request.
    struct Seen: Sendable {
        let status: Int
        let fact: String
        let fields: Fields
        let body: String
        let source: ServerAnswer.Source
        let attempts: Int

        /// Its first word: `hit`, `stale`, `miss`, `bypass`.
        var word: String { fact.split(separator: ";").first.map(String.init) ?? "" }
    }

    let clock = HandClock()
    let folder: TemporaryFolder
    let store: SQLiteStore
    let stage: CacheStage
    let settings: NetworkSection
    let tokens = TestTokens()
    let metrics = Metrics()
    /// Fires when the machine has no link any more.
    let cutOff = OneShot()
    private let script = Mutex<Script>({ _ in Reply() })
    private let passages = Mutex<[PipelineRequest]>([])

    init(
        _ section: String = "offlinePolicy: loadAndStoreLocalData",
        in folder: TemporaryFolder? = nil,
        limits: StoreLimits = StoreLimits()
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        store = try SQLiteStore.open(folder: self.folder.url.path, sealer: KeySealer(key, former: []), limits: limits)
        let (settings, document) = try Self.read(section)
        self.settings = settings
        let counted = NetworkMetrics(metrics)
        stage = CacheStage(
            responseCache: ResponseCache(
                store,
                secrecy: OpenSSLSecrecy(),
                log: Log("network", to: Silence()),
                evictions: counted.evictions
            ),
            tokens: tokens,
            clock: clock.clockwork,
            places: Places(document),
            metrics: counted,
            isCutOff: { [cutOff] _ in cutOff.hasFired }
        )
    }

    static func read(_ section: String) throws -> (NetworkSection, Document) {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        let text = "version: 1\napp: { id: com.example.tasks }\nnetwork:\n\(indented)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let settings = validation.environment(nil)?.configuration[NetworkSection.self],
            let document = validation.file?.document
        else { throw Unread() }
        return (settings, document)
    }

    struct Unread: Error {}

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }

    // MARK: The server

    func serve(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    /// The server answers everything alike.
    func serve(_ status: Int = 200, _ fields: Fields = [:], _ body: String = "") {
        serve { _ in Reply(status, fields, body) }
    }

    /// The server cannot be reached.
    func fail(_ kind: CallFailure.Kind = .offline, wasNotSent: Bool = true) {
        serve { _ throws(CallFailure) in throw CallFailure(kind, "it cannot be reached", wasNotSent: wasNotSent) }
    }

    /// What has reached the server since this was asked last.
    func asked() -> [ServerCall] {
        passages.withLock { passages in
            defer { passages = [] }
            return passages.map(\.call)
        }
    }

    /// The clock as HTTP writes it.
    func date(_ seconds: Int64 = 0) -> String {
        HTTPDate(milliseconds: clock.clockwork.wall() + seconds * 1_000).description
    }

    // MARK: The caller

    func pipelineRequest(
        _ call: ServerCall,
        _ url: String = "https://api.example.com/things",
        user: String? = nil,
        environment: String = "dev"
    ) throws -> PipelineRequest {
        PipelineRequest(
            call: call,
            url: try WebURL(parsing: url),
            settings: settings,
            user: user.map { SignedInUser(subject: $0, issuer: "https://sso", claims: .object([]), session: "1") },
            environment: environment,
            deadline: .seconds(3_600)
        )
    }

    /// A number as a scraper reads it; nil where there is none.
    func metric(_ series: String) async -> Double? {
        let line = await metrics.text(.prometheus).split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    func call(_ method: WireHTTP.Method = .get, _ fields: Fields = [:]) -> ServerCall {
        var call = ServerCall(method, .path("things", query: nil), from: "test")
        call.fields = fields
        return call
    }

    func send(_ pipelineRequest: PipelineRequest) async throws -> ServerAnswer {
        try await stage.send(pipelineRequest) { pipelineRequest async throws(CallFailure) in
            self.passages.withLock { $0.append(pipelineRequest) }
            let reply = try self.script.withLock { $0 }(pipelineRequest)
            return ServerAnswer(status: Status(reply.status), fields: reply.fields, body: reply.body)
        }
    }

    /// Sends a request and reads all of the answer.
    func ask(
        _ method: WireHTTP.Method = .get,
        _ url: String = "https://api.example.com/things",
        _ fields: Fields = [:],
        policy: OfflinePolicy? = nil,
        user: String? = nil,
        environment: String = "dev",
        change: (inout ServerCall) -> Void = { _ in }
    ) async throws -> Seen {
        var call = call(method, fields)
        call.offlinePolicy = policy
        change(&call)
        let answer = try await send(try pipelineRequest(call, url, user: user, environment: environment))
        let body = try await answer.body.collect(upTo: .mebibytes(64))
        return Seen(
            status: answer.status.code,
            fact: answer.fields[CacheFact.field] ?? "",
            fields: answer.fields,
            body: String(decoding: body, as: UTF8.self),
            source: answer.source,
            attempts: answer.attempts
        )
    }
}

/// A body in pieces, which may break off.
final class Chunks: BodyReader {
    struct BrokenOff: Error {}

    private let rest: Mutex<[String]>
    private let breaksOff: Bool

    init(_ pieces: [String], breaksOff: Bool = false) {
        rest = Mutex(pieces.filter { !$0.isEmpty })
        self.breaksOff = breaksOff
    }

    func read() async throws -> [UInt8]? {
        let piece = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if piece == nil, breaksOff { throw BrokenOff() }
        return piece.map { Array($0.utf8) }
    }
}

/// Tokens of a session that is locked or not.
final class TestTokens: AccessTokens {
    private let reason = Mutex<TokenRefusal.Reason?>(nil)

    func refuse(_ reason: TokenRefusal.Reason?) { self.reason.withLock { $0 = reason } }

    func refusal(_ mode: TokenMode?) -> TokenRefusal? {
        reason.withLock { $0 }.map { TokenRefusal($0, guidance: "Unlock it.") }
    }

    func token(_ requestToken: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        throw TokenRefusal(.unavailable, guidance: "There is none.")
    }

    func refused(_ token: AccessToken) async {}
}
