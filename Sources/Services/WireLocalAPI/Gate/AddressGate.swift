import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// Who may use the loopback address: programs by a token, the console by its session, and no page of anybody else.
///
/// Any web page a person opens can send requests to 127.0.0.1, so what a browser says of itself is looked at before any
/// token is: the name it was called by (rebinding of names), the page that called (forged requests).
final class AddressGate: Sendable {
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
        guard hosts.count == 1, let host = hosts.first else { return .forbidden("a request has one Host") }
        guard names.contains(host) || names.contains(host.lowercased()) else {
            return .forbidden(
                "this address is not called \(host.shown(upTo: 100).quoted); api.allowedHosts may name it"
            )
        }
        // Of a field that is there twice, each is looked at: another reader may take the one or the other.
        for origin in head.fields.values(of: "Origin") where !isOwn(origin, host) && !origins.contains(origin) {
            return .forbidden(
                "pages of \(origin.shown(upTo: 100).quoted) may not call; api.allowedOrigins may name them"
            )
        }
        for referer in head.fields.values(of: "Referer") where !isReferrer(referer, host) {
            return .forbidden("pages of other places may not call")
        }
        if head.fields["Origin"] == nil {
            for site in head.fields.values(of: "Sec-Fetch-Site") where !["same-origin", "none"].contains(site) {
                return .forbidden("pages of other places may not call")
            }
        }
        return nil
    }

    private func isOwn(_ origin: String, _ host: String) -> Bool { origin == "http://\(host)" }

    private func isReferrer(_ referer: String, _ host: String) -> Bool {
        let allowed = origins.union(["http://\(host)"])
        return allowed.contains { referer == $0 || referer.hasPrefix("\($0)/") }
    }

    /// What a token or a session lets its holder do; a problem where neither is right.
    func rights(of head: Request) -> Result<Rights, Problem> {
        let fields = head.fields.values(of: "Authorization")
        if let field = fields.first {
            let scheme = "Bearer "
            let bytes = field.utf8.span
            let start = scheme.utf8.count
            guard fields.count == 1, bytes.count > start,
                bytes.extracting(first: start).isSameField(as: scheme.utf8.span)
            else {
                return .failure(.unauthorized("'Authorization' takes 'Bearer' and a token, once"))
            }
            return rights(ofToken: bytes.extracting(droppingFirst: start), sentBy: head.caller)
        }
        if let session = head.fields[ConsoleSessions.field] {
            guard sessions.has(session) else {
                return .failure(.unauthorized("the session is over; 'corewire console' prints a new link"))
            }
            return .success(.everything("console"))
        }
        return .success(.none)
    }

    /// What a token lets its holder do; wrong ones are counted.
    func rights(ofToken token: Span<UInt8>, sentBy caller: Caller) -> Result<Rights, Problem> {
        // The right one is let in however many wrong ones came before: any account of this machine can send those.
        if let rights = tokens.rights(of: token) { return .success(rights) }
        guard wrongTokens.take(caller.account) else {
            return .failure(.tooMany("too many wrong tokens; wait a minute", after: .seconds(60)))
        }
        return .failure(.unauthorized("the token is not one of this runner's"))
    }
}

extension Caller {
    /// What its wrong tokens are counted by.
    fileprivate var account: String {
        switch self {
        case .process(let user, _, _): "user \(user)"
        case .address(let host): host
        }
    }
}
