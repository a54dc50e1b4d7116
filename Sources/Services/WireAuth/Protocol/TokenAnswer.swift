import WireAuthContract
import WireBase
import WireConfig
import WireService

/// A token response (RFC 6749, section 5.1) with checked types and sizes.
struct TokenAnswer: Sendable {
    var accessToken: Secret<String>
    var type: String
    /// The lifetime in milliseconds; nil where the server does not say.
    var lifetime: Int64?
    var refreshToken: Secret<String>?
    var refreshLifetime: Int64?
    var idToken: Secret<String>?
    /// Nil where the scopes are the requested ones.
    var scopes: [String]?
    /// The problem of a response that is used nevertheless.
    var remark: SignInFailure?

    /// The unit of `expires_in`, which depends on the dialect.
    enum Unit: Int64, Sendable {
        case seconds = 1_000
        /// As HALO has it.
        case milliseconds = 1
    }

    /// The maximum lifetime: a hundred years, so that sums of times cannot overflow.
    static let longest: Int64 = 100 * 365 * 86_400_000

    /// The maximum size of a token.
    static let limit = 64 << 10

    /// In a renewal the refresh token has been used, so only a missing access token makes the response useless.
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
        // Token types are case-insensitive (RFC 6749, section 5.1); other types need proofs that are not supported.
        guard let name = type.string, name.lowercased() == "bearer" else {
            throw Self.failure("'token_type' is not Bearer")
        }
        self.type = "Bearer"
        lifetime = try optional { () throws(SignInFailure) in try Self.lifetime("expires_in", of: body, unit) }
        refreshToken = try optional { () throws(SignInFailure) in try Self.token("refresh_token", of: body) }
        // Keycloak's; 0 means no expiry.
        let refreshLifetime = try optional { () throws(SignInFailure) in
            try Self.lifetime("refresh_expires_in", of: body, unit)
        }
        self.refreshLifetime = refreshLifetime == 0 ? nil : refreshLifetime
        idToken = try optional { () throws(SignInFailure) in try Self.token("id_token", of: body) }
        scopes = try optional { () throws(SignInFailure) in try Self.scopes(of: body) }
        self.remark = remark
    }

    /// The grant of the response, received at a given moment.
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
            // The token goes into a header field or a form.
            guard !text.isEmpty, text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw failure("'\(name)' is empty, larger than 64 KiB, or has invalid characters")
            }
            return Secret(text)
        default: throw failure("'\(name)' is not text")
        }
    }

    /// Reads a lifetime, which some servers write as text; too large values are clamped.
    private static func lifetime(_ name: String, of body: JSONValue, _ unit: Unit) throws(SignInFailure) -> Int64? {
        let count: Double
        switch body[name] {
        case nil, .null: return nil
        case .integer(let value): count = Double(value)
        case .number(let value): count = value
        case .string(let text):
            guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), let value = Double(text) else {
                throw failure("'\(name)' is not a number")
            }
            count = value
        default: throw failure("'\(name)' is not a number")
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
                throw failure("'scope' is larger than 16 KiB, or has invalid characters")
            }
            let scopes = text.split(separator: " ").map(String.init)
            return scopes.isEmpty ? nil : scopes
        default: throw failure("'scope' is not text")
        }
    }

    private static func failure(_ reason: String) -> SignInFailure {
        SignInFailure(.wrongAnswer, "the token response: \(reason)")
    }
}
