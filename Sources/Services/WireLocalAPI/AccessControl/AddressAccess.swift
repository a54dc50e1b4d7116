import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The access control of the loopback address: programs by token, the console by session, no foreign pages.
///
/// Any web page can send requests to 127.0.0.1. So the host (DNS rebinding) and the origin (request forgery) are
/// checked before any token.
final class AddressAccess: Sendable {
    private let names: Set<String>
    private let origins: Set<String>
    private let tokens: APITokens
    private let sessions: ConsoleSessions
    private let wrongTokens: RateLimit

    init(
        names: Set<String>,
        origins: Set<String>,
        tokens: APITokens,
        sessions: ConsoleSessions,
        wrongTokens: RateLimit
    ) {
        self.names = names
        self.origins = origins
        self.tokens = tokens
        self.sessions = sessions
        self.wrongTokens = wrongTokens
    }

    func problem(with head: Request) -> Problem? {
        let hosts = head.fields.values(of: "Host")
        guard hosts.count == 1, let host = hosts.first else { return .forbidden("expected one 'Host' field") }
        guard names.contains(host) || names.contains(host.lowercased()) else {
            return .forbidden(
                "the host \(host.shown(upTo: 100).quoted) is not allowed; add it to api.allowedHosts"
            )
        }
        // Each value of a repeated field is checked: other parsers may use either.
        for origin in head.fields.values(of: "Origin") where !isOwn(origin, host) && !origins.contains(origin) {
            return .forbidden(
                "the origin \(origin.shown(upTo: 100).quoted) is not allowed; add it to api.allowedOrigins"
            )
        }
        for referer in head.fields.values(of: "Referer") where !isReferrer(referer, host) {
            return .forbidden("requests from other pages are not allowed")
        }
        if head.fields["Origin"] == nil {
            for site in head.fields.values(of: "Sec-Fetch-Site") where !["same-origin", "none"].contains(site) {
                return .forbidden("requests from other pages are not allowed")
            }
        }
        return nil
    }

    private func isOwn(_ origin: String, _ host: String) -> Bool { origin == "http://\(host)" }

    private func isReferrer(_ referer: String, _ host: String) -> Bool {
        let allowed = origins.union(["http://\(host)"])
        return allowed.contains { referer == $0 || referer.hasPrefix("\($0)/") }
    }

    /// The rights of a token or a session; a problem where neither is valid.
    func rights(of head: Request) -> Result<Rights, Problem> {
        let fields = head.fields.values(of: "Authorization")
        if let field = fields.first {
            let scheme = "Bearer "
            let bytes = field.utf8.span
            let start = scheme.utf8.count
            guard fields.count == 1, bytes.count > start,
                bytes.extracting(first: start).isSameField(as: scheme.utf8.span)
            else {
                return .failure(.unauthorized("expected one 'Authorization' field with 'Bearer' and a token"))
            }
            return rights(ofToken: bytes.extracting(droppingFirst: start), sentBy: head.caller)
        }
        if let session = head.fields[ConsoleSessions.field] {
            guard sessions.has(session) else {
                return .failure(.unauthorized("the session has expired; run 'corewire console' for a new link"))
            }
            return .success(.everything("console"))
        }
        return .success(.none)
    }

    /// The rights of a token; wrong tokens are counted.
    func rights(ofToken token: Span<UInt8>, sentBy caller: Caller) -> Result<Rights, Problem> {
        // The right token is accepted after any number of wrong ones, which any account of this machine can send.
        if let rights = tokens.rights(of: token) { return .success(rights) }
        guard wrongTokens.consume(caller.account) else {
            return .failure(.tooMany("too many wrong tokens; wait a minute", after: .seconds(60)))
        }
        return .failure(.unauthorized("the token is not one of this runner's"))
    }
}

extension Caller {
    /// The account whose wrong tokens are counted.
    fileprivate var account: String {
        switch self {
        case .process(let user, _, _): "user \(user)"
        case .address(let host): host
        }
    }
}
