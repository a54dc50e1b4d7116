import WireAuth
import WireBase
import WireService

extension Corewire {
    /// The kind of token, as in `auth.mode` of the file.
    public enum AuthMode: String, Sendable, Hashable, CaseIterable {
        /// A token of the app itself.
        case app
        /// A token of the app with an identified user.
        case appPlus
        /// A token of the signed-in user.
        case user
    }

    /// An access token, which is never printed.
    public struct Token: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The authentication scheme, usually `Bearer`.
        public let type: String
        /// The expiry in milliseconds since 1970; nil where the server has not sent one.
        public let expires: Int64?
        /// The mode.
        public let mode: AuthMode
        /// The scopes.
        public let scopes: [String]
        let service: AccessToken

        /// The token itself, for the line that sends it.
        public func reveal() -> String { service.value.reveal() }

        /// The value of the field `Authorization`, for the line that sends it.
        public func authorization() -> String { service.authorization.reveal() }

        /// Never the token.
        public var description: String { "\(mode.rawValue) token [redacted]" }
        /// Never the token.
        public var debugDescription: String { description }
        /// Never the token: `dump` and debuggers see an empty shell.
        public var customMirror: Mirror { Mirror(self, children: []) }

        init(_ token: AccessToken) {
            service = token
            type = token.type
            expires = token.expires
            mode = AuthMode(token.mode)
            scopes = token.scopes
        }
    }
}

extension Corewire.AuthMode {
    fileprivate init(_ mode: TokenMode) {
        self =
            switch mode {
            case .app: .app
            case .appPlus: .appPlus
            case .user: .user
            }
    }

    var service: TokenMode {
        switch self {
        case .app: .app
        case .appPlus: .appPlus
        case .user: .user
        }
    }
}
