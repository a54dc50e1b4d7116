package import WireBase
import WireConfig

/// What a caller may do.
package struct Rights: Sendable, Hashable {
    /// The most a route may ask for; nil for nothing but what is anybody's.
    package let access: Route.Access?
    /// The namespaces it may use; all where nil.
    package let namespaces: [String]?
    /// The tokens it may be given.
    package let tokens: TokenRights
    /// Under which name its requests are counted, and it is told what it may not do.
    package let account: String
    /// Whether it is known who it is.
    package let isKnown: Bool
    /// Whether a page of somebody else's may have sent the request: nothing is changed by it.
    package var isForgeable = false

    package init(
        access: Route.Access?,
        namespaces: [String]? = nil,
        tokens: TokenRights = .none,
        account: String,
        isKnown: Bool = true
    ) {
        self.access = access
        self.namespaces = namespaces
        self.tokens = tokens
        self.account = account
        self.isKnown = isKnown
    }

    /// Nobody has looked yet.
    package static let none = Rights(access: nil, account: "nobody", isKnown: false)

    package static func everything(_ account: String) -> Rights {
        Rights(access: .admin, tokens: .all, account: account)
    }

    /// Why they do not suffice for a route; nil where they do.
    package func problem(with route: Route, _ request: Request) -> Problem? {
        let isTokenEnough = route.operation.isForForeignClients && request.fields["Authorization"] != nil
        guard route.method.isSafe || !isForgeable || isTokenEnough else {
            return .forbidden("a call that changes something carries 'X-Corewire: 1'")
        }
        guard route.access == .anyone || access.map({ $0 >= route.access }) ?? false else {
            return isKnown
                ? .forbidden("\(account) may not ask for this")
                : .unauthorized("send 'Authorization: Bearer' and a token, or sign in to the console")
        }
        guard let namespaces else { return nil }
        let wanted = request[parameter: "namespace"]
        guard wanted.isEmpty || namespaces.contains(wanted) else {
            return .forbidden("\(account) may not use this namespace")
        }
        return nil
    }
}

/// Which access tokens a caller may be given; whoever may have none has nothing to do with who is signed in.
package struct TokenRights: Sendable, Hashable {
    /// Whose tokens, by the names of the modes; those of all where nil.
    package let modes: [String]?
    /// What the tokens may be good for at the most; anything where nil.
    package let scopes: [String]?
    /// Where the file says so.
    package var origin: ValueOrigin?

    package init(modes: [String]?, scopes: [String]? = nil) {
        self.modes = modes
        self.scopes = scopes
    }

    package static let none = TokenRights(modes: [])
    package static let all = TokenRights(modes: nil)

    /// Whether tokens of a mode may be given.
    package func allow(mode: String) -> Bool { modes?.contains(mode) ?? true }

    /// Whether the caller may have to do with the session of a mode: a caller that may be given its tokens, or the user's.
    package func allowSession(of mode: String) -> Bool { allow(mode: "user") || allow(mode: mode) }

    /// The first scope of a token that it must not have; nil where it may be given.
    package func scopeTooMany(among granted: [String]) -> String? {
        scopes.flatMap { allowed in granted.first { !allowed.contains($0) } }
    }
}

extension Route.Access: Comparable {
    private var rank: Int {
        switch self {
        case .anyone: 0
        case .read: 1
        case .write: 2
        case .admin: 3
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

extension Problem {
    package static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, "forbidden", "not allowed", detail: detail)
    }

    package static func unauthorized(_ detail: String) -> Problem {
        Problem(
            .unauthorized,
            "unauthorized",
            "who asks is not known",
            detail: detail,
            fields: ["WWW-Authenticate": "Bearer realm=\"corewire\""]
        )
    }
}
