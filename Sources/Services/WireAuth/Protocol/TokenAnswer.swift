import WireAuthContract
import WireBase
import WireConfig
import WireService

/// What a token endpoint has answered (RFC 6749, section 5.1), its types and sizes checked.
struct TokenAnswer: Sendable {
    var accessToken: Secret<String>
    var type: String
    /// Milliseconds from now on; nil where the server does not say.
    var lifetime: Int64?
    var refreshToken: Secret<String>?
    var refreshLifetime: Int64?
    var idToken: Secret<String>?
    /// Nil where they are those asked for.
    var scopes: [String]?
    /// What is wrong with an answer that is used all the same.
    var remark: SignInFailure?

    /// What `expires_in` counts; nothing in an answer tells, so the dialect does.
    enum Unit: Int64, Sendable {
        case seconds = 1_000
        /// As HALO has it.
        case milliseconds = 1
    }

    /// How long anything may be good for: a hundred years, so that no sum of times overflows.
    static let longest: Int64 = 100 * 365 * 86_400_000

    /// How large a token may be.
    static let limit = 64 << 10

    /// In a renewal the token that was shown is used up, so only what cannot be done without makes the answer useless.
    init(_ body: JSONValue, unit: Unit = .seconds, isRenewal: Bool = false) throws(SignInFailure) {
        var remark: SignInFailure?
        func optional<Value>(_ read: () throws(SignInFailure) -> Value?) throws(SignInFailure) -> Value? {
            do throws(SignInFailure) {
                return try read()
            } catch {
                guard isRenewal else { throw error }
                remark = remark ?? error
                return nil
            }
        }
        guard let access = try Self.token("access_token", of: body) else {
            throw Self.failure("'access_token' is missing")
        }
        accessToken = access
        guard let type = body["token_type"] else { throw Self.failure("'token_type' is missing") }
        // Names of types are compared without regard to case (RFC 6749, section 5.1); any other asks for a proof with each
        // request that is not made here.
        guard let name = type.string, name.lowercased() == "bearer" else {
            throw Self.failure("'token_type' is not Bearer")
        }
        self.type = "Bearer"
        lifetime = try optional { () throws(SignInFailure) in try Self.lifetime("expires_in", of: body, unit) }
        refreshToken = try optional { () throws(SignInFailure) in try Self.token("refresh_token", of: body) }
        // Keycloak's; 0 is for ever.
        let refreshLifetime = try optional { () throws(SignInFailure) in
            try Self.lifetime("refresh_expires_in", of: body, unit)
        }
        self.refreshLifetime = refreshLifetime == 0 ? nil : refreshLifetime
        idToken = try optional { () throws(SignInFailure) in try Self.token("id_token", of: body) }
        scopes = try optional { () throws(SignInFailure) in try Self.scopes(of: body) }
        self.remark = remark
    }

    /// The grant that it is, from a moment on.
    func grant(at now: Int64, asking asked: [String], user: GrantedUser?) -> Grant {
        Grant(
            accessToken: accessToken,
            type: type,
            expires: lifetime.map { now + $0 },
            refreshToken: refreshToken,
            refreshExpires: refreshToken == nil ? nil : refreshLifetime.map { now + $0 },
            idToken: idToken,
            scopes: scopes ?? asked,
            user: user
        )
    }

    private static func token(_ name: String, of body: JSONValue) throws(SignInFailure) -> Secret<String>? {
        switch body[name] {
        case nil, .null: return nil
        case .string(let text):
            // It becomes part of a header field, or of a form.
            guard !text.isEmpty, text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw failure("'\(name)' is empty, larger than 64 KiB, or holds what no token may")
            }
            return Secret(text)
        default: throw failure("'\(name)' is no text")
        }
    }

    /// A number of units, some servers write it as text; what is too large to be meant is cut.
    private static func lifetime(_ name: String, of body: JSONValue, _ unit: Unit) throws(SignInFailure) -> Int64? {
        let count: Double
        switch body[name] {
        case nil, .null: return nil
        case .integer(let value): count = Double(value)
        case .number(let value): count = value
        case .string(let text):
            guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), let value = Double(text) else {
                throw failure("'\(name)' is no number")
            }
            count = value
        default: throw failure("'\(name)' is no number")
        }
        guard count >= 0 else { throw failure("'\(name)' is negative") }
        let milliseconds = count * Double(unit.rawValue)
        return milliseconds < Double(longest) ? Int64(milliseconds) : longest
    }

    private static func scopes(of body: JSONValue) throws(SignInFailure) -> [String]? {
        switch body["scope"] {
        case nil, .null: return nil
        case .string(let text):
            guard text.utf8.count <= 16 << 10, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw failure("'scope' is larger than 16 KiB, or holds what no scope may")
            }
            let scopes = text.split(separator: " ").map(String.init)
            return scopes.isEmpty ? nil : scopes
        default: throw failure("'scope' is no text")
        }
    }

    private static func failure(_ reason: String) -> SignInFailure {
        SignInFailure(.wrongAnswer, "the token answer: \(reason)")
    }
}
