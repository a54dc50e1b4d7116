package import WireBase
package import WireConfig

/// An app of its own: it comes over the loopback address with its token, and has what it is given.
package struct AppAccess: Record {
    @Setting package var token: Secret<String>
    @Setting package var namespaces: [Identifier]
    @Setting package var tokens: [AppToken]
    @Setting package var scopes: [Scope]?
    @Setting package var access: AppRights

    package init(_ keys: inout Keys) {
        _token = keys.required("token", "Its token, at least 32 characters.", .example("${credential:kiosk-token}"))
        _namespaces = keys.value(
            "namespaces",
            "The namespaces of the store it may use, and no others.",
            or: [],
            .example("[kiosk]")
        )
        _tokens = keys.value(
            "tokens",
            "Whose access tokens it may be given, and with those of the user who that is; none unless it is said here.",
            or: [],
            .example("[user]")
        )
        _scopes = keys.optional(
            "scopes",
            "The scopes a token may have that it is given; one with others is withheld. Any where this is not said.",
            .example("[openid, profile, offline_access]")
        )
        _access = keys.value("access", "Whether it may only read, or change things too.", or: .write)
    }
}

/// Whose tokens an app may be given.
package enum AppToken: String, Choice {
    case app, appPlus, user

    package var help: String {
        switch self {
        case .app: "those of the app itself"
        case .appPlus: "those of the app until a user is identified, then of both"
        case .user: "those of the signed-in user"
        }
    }
}

/// What an app may do.
package enum AppRights: String, Choice {
    case read, write

    package var help: String {
        switch self {
        case .read: "it may look"
        case .write: "it may look and change"
        }
    }
}
