import WireAuth
import WireBase
import WireService

extension Corewire {
    /// Whose token it is; as in the file's `auth.mode`.
    public enum AuthMode: String, Sendable, Hashable, CaseIterable {
        /// The app itself.
        case app
        /// The app, with the user it has identified.
        case appPlus
        /// The signed-in user.
        case user
    }

    /// A token that may be sent; it never prints itself.
    public struct Token: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The scheme it is sent with, `Bearer` nearly always.
        public let type: String
        /// When it ends, in milliseconds since 1970; nil for one whose end the server did not tell.
        public let expires: Int64?
        /// Whose it is.
        public let mode: AuthMode
        /// What it is good for.
        public let scopes: [String]
        let service: AccessToken

        /// The token itself, for the one line that sends it.
        public func reveal() -> String { service.value.reveal() }

        /// The value of the field `Authorization`, for the one line that sends it.
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
