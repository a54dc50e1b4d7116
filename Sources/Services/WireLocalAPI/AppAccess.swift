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
        _token = keys.required("token", "Token of at least 32 characters.", .example("${credential:kiosk-token}"))
        _namespaces = keys.value(
            "namespaces",
            "Namespaces of the store that the app may use.",
            or: [],
            .example("[kiosk]")
        )
        _tokens = keys.value(
            "tokens",
            "Access tokens that the app may get; with the user's token also the identity. Default: none.",
            or: [],
            .example("[user]")
        )
        _scopes = keys.optional(
            "scopes",
            "Scopes that these tokens may have; tokens with other scopes are withheld. Default: all.",
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
