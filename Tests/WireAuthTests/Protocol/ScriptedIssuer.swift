import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireJOSE
import WireListener
import WireSecrets

@testable import WireAuth

/// An identity server that says what a test tells it to, over a real socket.
final class ScriptedIssuer: Responder {
    typealias Answer = @Sendable (Request) -> Response

    /// A request as it came.
    struct Asked: Sendable {
        let method: String
        let path: String
        let query: String
        let fields: Fields
        let body: String

        var form: [String: String] { FormText.pairs(of: body) ?? [:] }
    }

    /// A key of the server, by its name.
    struct Key: Sendable {
        let id: String?
        let pair: PrivateKey

        init(_ id: String?, _ algorithm: SignatureAlgorithm = .es256) throws {
            self.id = id
            pair = try Self.signatures.makeKey(for: algorithm)
        }

        static let signatures = OpenSSLSignatures()
    }

    private struct State {
        var base = ""
        var answers: [String: Answer] = [:]
        var asked: [Asked] = []
    }

    private let state = Mutex(State())
    private let path: String
    private let listener = Mutex<HTTPListener?>(nil)
    let key: Key

    /// Starts one whose issuer ends in a path, such as `/op`, that publishes a document and a key.
    static func start(_ path: String = "/op", key: Key? = nil) throws -> ScriptedIssuer {
        let issuer = try ScriptedIssuer(path, key ?? Key("one"))
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Behind(issuer))
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else { throw Unexpected() }
        issuer.state.withLock { $0.base = "http://\(host):\(port)" }
        issuer.listener.withLock { $0 = listener }
        issuer.publish()
        issuer.publish([issuer.key])
        return issuer
    }

    struct Unexpected: Error {}

    private init(_ path: String, _ key: Key) {
        self.path = path
        self.key = key
    }

    /// Nobody can be asked any more.
    func stop() async { await listener.withLock { $0 }?.stop(within: .zero) }

    var base: String { state.withLock(\.base) }
    var issuer: String { base + path }

    // MARK: What it says

    /// Says something at a place below the issuer.
    func say(_ place: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[Self.path(at: place, below: path)] = answer }
    }

    func say(_ place: String, _ status: Int = 200, json body: JSONValue) {
        say(place) { _ in .json(status, body.text()) }
    }

    func say(_ place: String, _ status: Int = 200, text: String, type: String? = "application/json") {
        say(place) { _ in .json(status, text, type: type) }
    }

    /// Says elsewhere what it says at a place.
    func move(_ place: String, to other: String) {
        state.withLock { state in
            state.answers[Self.path(at: other, below: path)] = state.answers.removeValue(
                forKey: Self.path(at: place, below: path)
            )
        }
    }

    private static func path(at place: String, below path: String) -> String {
        var base = path[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        return base + "/" + place
    }

    func url(_ place: String) -> String { base + Self.path(at: place, below: path) }

    static let discovery = ".well-known/openid-configuration"

    /// Publishes the discovery document, with changes.
    func publish(_ changes: [(key: String, value: JSONValue)] = [], without names: [String] = []) {
        say(Self.discovery, json: document(changes, without: names))
    }

    func document(_ changes: [(key: String, value: JSONValue)] = [], without names: [String] = []) -> JSONValue {
        let usual = JSONValue.members([
            "issuer": .string(issuer),
            "authorization_endpoint": .string(url("authorize")),
            "token_endpoint": .string(url("token")),
            "jwks_uri": .string(url("keys")),
            "device_authorization_endpoint": .string(url("device")),
            "revocation_endpoint": .string(url("revoke")),
            "end_session_endpoint": .string(url("logout")),
            "response_types_supported": .array([.string("code")]),
            "subject_types_supported": .array([.string("public")]),
            "id_token_signing_alg_values_supported": .array(SignatureAlgorithm.allCases.map { .string($0.rawValue) }),
            "code_challenge_methods_supported": .array([.string("plain"), .string("S256")]),
        ])
        return .object((usual.merging(changes).members ?? []).filter { !names.contains($0.key) })
    }

    func publish(_ keys: [Key]) {
        say("keys", json: JSONWebKeySet(keys.map { JSONWebKey($0.pair.publicKey, id: $0.id) }).json)
    }

    /// Answers the token endpoint with usual tokens, and an ID token with these claims.
    func grant(_ claims: JSONValue, _ changes: [(key: String, value: JSONValue)] = []) {
        let idToken = sign(claims)
        say("token", json: Self.tokens.merging([("id_token", .string(idToken))]).merging(changes))
    }

    static let tokens = JSONValue.members([
        "access_token": .string("access-canary"), "token_type": .string("Bearer"), "expires_in": .integer(300),
        "refresh_token": .string("refresh-canary"),
    ])

    func sign(_ claims: JSONValue, by key: Key? = nil, id: String?? = .none, type: String = "JWT") -> String {
        let key = key ?? self.key
        let signed = try? SignedToken.signed(
            claims,
            type: type,
            by: key.pair,
            id: id ?? key.id,
            with: Key.signatures
        )
        return signed ?? ""
    }

    // MARK: What it was asked

    var asked: [Asked] { state.withLock(\.asked) }

    func asked(_ place: String) -> [Asked] {
        asked.filter { $0.path == Self.path(at: place, below: path) }
    }

    func exchange(for head: Request) -> Exchange {
        Exchange(
            .collect(upTo: .mebibytes(1)) { request in
                let answer = self.state.withLock { state in
                    state.asked.append(
                        Asked(
                            method: request.method.name,
                            path: request.target.path,
                            query: String(request.target.text.dropFirst(request.target.path.count)),
                            fields: request.fields,
                            body: String(decoding: request.body, as: UTF8.self)
                        )
                    )
                    return state.answers[request.target.path]
                }
                return .now(answer?(request) ?? Response(.notFound))
            }
        )
    }
}

extension Response {
    static func json(_ status: Int, _ text: String, type: String? = "application/json") -> Response {
        var fields: Fields = [:]
        if let type { fields["Content-Type"] = type }
        return Response(Status(status), fields: fields, body: .bytes(Array(text.utf8)))
    }
}

/// Answers as somebody does who owns the listener: it ends with its owner.
final class Behind<Owner: Responder & AnyObject>: Responder {
    private let owner: @Sendable () -> Owner?

    init(_ owner: Owner) {
        self.owner = { [weak owner] in owner }
    }

    func exchange(for head: Request) -> Exchange {
        owner()?.exchange(for: head) ?? Exchange(.answer(Response(.init(503))))
    }
}
