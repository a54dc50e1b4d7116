package import WireBase
package import WireConfig

/// An app with its own token for the loopback address and with limited rights.
package struct AppAccess: Record {
    @Setting package var token: Secret<String>
    @Setting package var namespaces: [Identifier]
    @Setting package var tokens: [AppToken]
    @Setting package var scopes: [Scope]?
    @Setting package var access: AppRights

    package init(_ keys: inout Keys) {
        _token = keys.required("token", "A token of at least 32 characters.", .example("${credential:kiosk-token}"))
        _namespaces = keys.value(
            "namespaces",
            "The namespaces of the store that the app may use.",
            or: [],
            .example("[kiosk]")
        )
        _tokens = keys.value(
            "tokens",
            "The access tokens the app may get, with the user's the identity as well; none when absent.",
            or: [],
            .example("[user]")
        )
        _scopes = keys.optional(
            "scopes",
            "The allowed scopes of such tokens; tokens with other scopes are withheld. All when absent.",
            .example("[openid, profile, offline_access]")
        )
        _access = keys.value("access", "Whether the app may only read, or also write.", or: .write)
    }
}

/// The access tokens an app may get.
package enum AppToken: String, Choice {
    case app, appPlus, user

    package var help: String {
        switch self {
        case .app: "tokens of the app itself"
        case .appPlus: "tokens of the app until a user is identified, then of both"
        case .user: "tokens of the signed-in user"
        }
    }
}

/// The rights of an app.
package enum AppRights: String, Choice {
    case read, write

    package var help: String {
        switch self {
        case .read: "the app may read"
        case .write: "the app may read and write"
        }
    }
}
