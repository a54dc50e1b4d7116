package import WireBase
import WireConfig

/// The rights of a caller.
package struct Rights: Sendable, Hashable {
    /// The highest access level the caller has; nil allows public routes only.
    package let access: Route.Access?
    /// The namespaces the caller may use; nil allows all.
    package let namespaces: [String]?
    /// The tokens the caller may receive.
    package let tokens: TokenRights
    /// The account name for metrics and for error messages.
    package let account: String
    /// Whether the caller is identified.
    package let isKnown: Bool
    /// Whether a web page of another origin may have sent the request; such a request must not change anything.
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

    /// The rights before access control has run.
    package static let none = Rights(access: nil, account: "nobody", isKnown: false)

    package static func everything(_ account: String) -> Rights {
        Rights(access: .admin, tokens: .all, account: account)
    }

    /// The problem when the rights do not suffice for a route; otherwise nil.
    package func problem(with route: Route, _ request: Request) -> Problem? {
        let isTokenEnough = route.operation.isForForeignClients && request.fields["Authorization"] != nil
        guard route.method.isSafe || !isForgeable || isTokenEnough else {
            return .forbidden("a request that changes something must have the field 'X-Corewire: 1'")
        }
        guard route.access == .anyone || access.map({ $0 >= route.access }) ?? false else {
            return isKnown
                ? .forbidden("\(account) may not use this operation")
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

/// The access tokens a caller may receive; a caller without any may not use sessions either.
package struct TokenRights: Sendable, Hashable {
    /// The allowed modes; nil allows the tokens of all modes.
    package let modes: [String]?
    /// The allowed scopes; nil allows any scope.
    package let scopes: [String]?
    /// Where the services file sets these rights.
    package var origin: ValueOrigin?

    package init(modes: [String]?, scopes: [String]? = nil) {
        self.modes = modes
        self.scopes = scopes
    }

    package static let none = TokenRights(modes: [])
    package static let all = TokenRights(modes: nil)

    /// Whether the caller may receive tokens of a mode.
    package func allow(mode: String) -> Bool { modes?.contains(mode) ?? true }

    /// Whether the caller may use the session of a mode: it may receive the tokens of that mode, or the user's.
    package func allowSession(of mode: String) -> Bool { allow(mode: "user") || allow(mode: mode) }

    /// The first scope of a token that the caller may not have; nil where the token may be given.
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
            "the caller is not identified",
            detail: detail,
            fields: ["WWW-Authenticate": "Bearer realm=\"corewire\""]
        )
    }
}
