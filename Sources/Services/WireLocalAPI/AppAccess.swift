public import WireBase
public import WireConfig

/// An app of its own: it comes over the loopback address with its token, and has what it is given.
public struct AppAccess: Record {
    /// Its token.
    @Setting public var token: Secret<String>
    /// The namespaces it may use.
    @Setting public var namespaces: [Identifier]
    /// Whether it may change things.
    @Setting public var access: AppRights

    package init(_ keys: inout Keys) {
        _token = keys.required("token", "Its token, at least 32 characters.", .example("${credential:kiosk-token}"))
        _namespaces = keys.value(
            "namespaces",
            "The namespaces of the store it may use, and no others.",
            or: [],
            .example("[kiosk]")
        )
        _access = keys.value("access", "Whether it may only read, or change things too.", or: .write)
    }
}

/// What an app may do.
public enum AppRights: String, Choice {
    case read, write

    package var help: String {
        switch self {
        case .read: "it may look"
        case .write: "it may look and change"
        }
    }
}
