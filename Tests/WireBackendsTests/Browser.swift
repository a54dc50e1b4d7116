import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireSecrets

/// A browser as simple as can be: keeps cookies, fills forms, follows nothing.
final class Browser: Sendable {
    struct Failure: Error {
        let text: String
    }

    /// The issuer it knows, and where it listens.
    let issuer: String
    let port: UInt16
    private let cookies = Mutex<[String: String]>([:])

    static let redirect = "com.example.phone:/callback"
    static let verifier = String(repeating: "v", count: 43)

    static var challenge: String { challenge(of: verifier) }

    static func challenge(of verifier: String) -> String { url64(digest(verifier)) }

    /// What an ID token says of the access token beside it (OpenID Connect Core, section 3.1.3.6).
    static func leftHalfHash(of token: String) -> String { url64(Array(digest(token).prefix(16))) }

    private static func digest(_ text: String) -> [UInt8] {
        (try? OpenSSLSecrecy().digest(Array(text.utf8)).bytes) ?? []
    }

    static func url64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    init(_ issuer: String) throws {
        guard let port = URL(string: issuer)?.port else { throw Failure(text: issuer) }
        (self.issuer, self.port) = (issuer, UInt16(port))
    }

    /// Forgets everything, as a new window without a past.
    func forget() { cookies.withLock { $0 = [:] } }
    var jar: [String: String] { cookies.withLock { $0 } }

    // MARK: Asking

    func get(_ path: String, _ fields: [String] = []) async throws -> RawClient.Answer {
        try await ask("GET", path, fields, body: nil)
    }

    func post(_ path: String, _ form: [(String, String)], _ fields: [String] = []) async throws -> RawClient.Answer {
        let type = "Content-Type: application/x-www-form-urlencoded"
        return try await ask("POST", path, fields + [type], body: Self.encode(form))
    }

    func ask(_ method: String, _ path: String, _ fields: [String], body: String?, host: String? = nil) async throws
        -> RawClient.Answer
    {
        let jar = jar.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nConnection: close\r\n"
        if !jar.isEmpty { head += "Cookie: \(jar)\r\n" }
        for field in fields { head += "\(field)\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        let client = try await RawClient.connect(
            to: .tcp("127.0.0.1", Int(port)),
            sending: Array("\(head)\r\n\(body ?? "")".utf8)
        )
        let answer = try await client.answer(toHead: method == "HEAD")
        try await client.close()
        for field in answer.fields where field.name.lowercased() == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", omittingEmptySubsequences: false)
            let value = pair.dropFirst().joined(separator: "=")
            cookies.withLock { $0[String(pair[0])] = value.isEmpty ? nil : value }
        }
        return answer
    }

    static func encode(_ items: [(String, String)]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        return items.map { name, value in
            [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }.joined(separator: "=")
        }.joined(separator: "&")
    }

    // MARK: The protocol

    var base: String { (URL(string: issuer)?.path ?? "") + "/protocol/openid-connect" }

    /// A right request for a code, changed.
    func authorization(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var items = [
            "response_type": "code", "client_id": "phone", "redirect_uri": Self.redirect, "scope": "openid profile",
            "state": "s t", "nonce": "n-1", "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { items[name] = value }
        return items.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func authorize(_ changes: [String: String?] = [:]) async throws -> RawClient.Answer {
        try await get("\(base)/auth?\(Self.encode(authorization(changes)))")
    }

    /// Fills the form of a page.
    func submit(_ page: RawClient.Answer, _ typed: [(String, String)]) async throws -> RawClient.Answer {
        guard let action = Self.part(of: page.text, "action=\"", "\""),
            let token = Self.part(of: page.text, "name=\"token\" value=\"", "\"")
        else { throw Failure(text: "no form in \(page.status) \(page.text)") }
        let code = Self.part(of: page.text, "name=\"user_code\" value=\"", "\"").map { [("user_code", $0)] } ?? []
        return try await post(action.replacingOccurrences(of: "&amp;", with: "&"), [("token", token)] + code + typed)
    }

    static func part(of text: String, _ start: String, _ end: String) -> String? {
        guard let first = text.range(of: start), let last = text[first.upperBound...].range(of: end) else { return nil }
        return String(text[first.upperBound..<last.lowerBound])
    }

    /// Signs in on the page, and gives what the client is told.
    func signIn(_ name: String = "ada", _ password: String = "wonder", _ changes: [String: String?] = [:]) async throws
        -> [String: String]
    {
        let page = try await authorize(changes)
        let answer = page.status == 200 ? try await submit(page, [("username", name), ("password", password)]) : page
        return try Self.told(answer)
    }

    /// What a redirect tells.
    static func told(_ answer: RawClient.Answer) throws -> [String: String] {
        guard answer.status == 303, let location = answer["Location"],
            let items = URLComponents(string: location)?.percentEncodedQuery
        else { throw Failure(text: "no redirect: \(answer.status) \(answer.text)") }
        return Dictionary(
            items.split(separator: "&").map { item in
                let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(sides[0]), sides.count > 1 ? String(sides[1]).removingPercentEncoding ?? "" : "")
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// The token endpoint's answer.
    func token(_ form: [(String, String)], _ fields: [String] = []) async throws -> (status: Int, json: JSONValue) {
        let answer = try await post("\(base)/token", form, fields)
        return (answer.status, try JSONValue(parsing: answer.body, named: "answer"))
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, json: JSONValue) {
        var form = [
            "grant_type": "authorization_code", "code": code, "client_id": "phone", "redirect_uri": Self.redirect,
            "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { form[name] = value }
        return try await token(form.map { ($0.key, $0.value) })
    }

    func refresh(_ token: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, json: JSONValue) {
        var form = ["grant_type": "refresh_token", "refresh_token": token, "client_id": "phone"]
        for (name, value) in changes { form[name] = value }
        return try await self.token(form.map { ($0.key, $0.value) })
    }

    /// All tokens of a sign-in.
    func tokens(_ scope: String = "openid profile email offline_access") async throws -> JSONValue {
        let told = try await signIn("ada", "wonder", ["scope": scope])
        let (status, json) = try await redeem(told["code"] ?? "")
        guard status == 200 else { throw Failure(text: json.text()) }
        return json
    }

    func userinfo(_ token: String) async throws -> RawClient.Answer {
        try await get("\(base)/userinfo", ["Authorization: Bearer \(token)"])
    }

    /// The claims of a token, not checked.
    static func claims(_ token: String?) throws -> JSONValue {
        let parts = (token ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3 else { throw Failure(text: "no token") }
        return try decode(parts[1])
    }

    static func decode(_ part: String) throws -> JSONValue {
        let text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) else {
            throw Failure(text: "no base64: \(part)")
        }
        return try JSONValue(parsing: Array(data), named: "part")
    }
}
