import WireService
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireStore
import WireTransfer

@testable import WireAuth

/// A client of a scripted issuer, with a clock moved by hand.
struct Visitor {
    let issuer: ScriptedIssuer
    let clock = HandClock()
    let cache: any CacheStore
    var settings: ServerSettings
    let client: TransferClient

    init(
        _ issuer: ScriptedIssuer,
        cache: any CacheStore = ForgetfulCache(),
        _ change: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        self.issuer = issuer
        self.cache = cache
        client = try TransferClient()
        settings = ServerSettings(
            dialect: .oidc,
            mode: .user,
            issuer: issuer.issuer,
            clientID: "tasks",
            clientSecret: nil,
            scopes: ["openid", "profile", "offline_access"],
            audience: nil,
            audiences: [],
            parameters: [],
            postLogoutRedirectURI: nil,
            username: nil,
            password: nil,
            leeway: .seconds(60),
            keysMaxAge: .seconds(86_400)
        )
        change(&settings)
    }

    /// Each call makes one that knows nothing but what the cache holds.
    func server() -> OpenIDServer {
        OpenIDServer(
            settings,
            OpenIDServer.Dependencies(
                client: client,
                signatures: OpenSSLSignatures(),
                secrecy: OpenSSLSecrecy(),
                clock: clock.clockwork,
                cache: cache,
                retryPause: .zero
            )
        )
    }

    /// Seconds since 1970.
    var now: Int { Int(clock.clockwork.wall() / 1_000) }

    /// Claims that are right, with changes.
    func claims(
        _ changes: [(key: String, value: JSONValue)] = [],
        without names: [String] = [],
        nonce: String? = nil
    ) -> JSONValue {
        let usual = JSONValue.members([
            "iss": .string(issuer.issuer), "sub": .string("user-1"), "aud": .string("tasks"),
            "exp": .integer(now + 300), "iat": .integer(now), "auth_time": .integer(now - 10),
            "nonce": nonce.map(JSONValue.string), "name": .string("Ada"),
        ])
        return .object((usual.merging(changes).members ?? []).filter { !names.contains($0.key) })
    }

    static let redirectURI = "http://127.0.0.1:49152/callback"

    /// Goes through a sign-in by code; the claims are made for its nonce.
    func signIn(
        _ server: OpenIDServer? = nil,
        _ claims: (String) -> JSONValue
    ) async throws -> Grant {
        let server = server ?? self.server()
        let pending = try await server.beginAuthorization(redirectURI: Self.redirectURI)
        issuer.grant(claims(pending.nonce))
        return try await server.finish(pending, callback: Self.callback(pending))
    }

    func signIn(_ server: OpenIDServer? = nil) async throws -> Grant {
        try await signIn(server) { claims(nonce: $0) }
    }

    static func callback(_ pending: PendingAuthorization, _ rest: String = "&code=code-canary") -> String {
        "\(pending.redirectURI)?state=\(pending.state)\(rest)"
    }
}

/// What a call failed with; nil where it went well.
func failure(_ body: () async throws -> Void) async -> SignInFailure? {
    do {
        try await body()
        return nil
    } catch let error as SignInFailure {
        return error
    } catch {
        Issue.record(error, "it failed with something else")
        return nil
    }
}

/// A cache in memory that can be looked into.
final class ForgetfulCache: CacheStore {
    private let values = Mutex<[String: CachedValue]>([:])

    func cached(_ key: String, in region: String) throws(StoreFailure) -> CachedValue? {
        values.withLock { $0["\(region)/\(key)"] }
    }

    func cache(_ value: CachedValue, under key: String, in region: String, bound: ByteCount)
        async throws(StoreFailure) -> Int
    {
        values.withLock { $0["\(region)/\(key)"] = value }
        return 0
    }

    func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        StoreUsage(entries: values.withLock { $0.count }, size: .bytes(0))
    }

    func forget(_ key: String?, in region: String) async throws(StoreFailure) {
        values.withLock { $0 = [:] }
    }

    func forget(beginning prefix: String, in region: String) async throws(StoreFailure) -> Int {
        values.withLock { values in
            let keys = values.keys.filter { $0.hasPrefix("\(region)/\(prefix)") }
            for key in keys { values[key] = nil }
            return keys.count
        }
    }

    func cachedCount(beginning prefix: String, in region: String) -> Int {
        keys.count { $0.hasPrefix("\(region)/\(prefix)") }
    }

    var keys: [String] { values.withLock { $0.keys.sorted() } }

    func change(_ change: (inout CachedValue) -> Void) {
        values.withLock { values in
            for key in values.keys {
                values[key].map {
                    var value = $0; change(&value); values[key] = value
                }
            }
        }
    }
}
