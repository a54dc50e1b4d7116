package import WireConfig
import WireHTTP
import WireService

/// The token of a request, in the words of files, of the local API and of stored data.
extension ServerCall.Authorization: JSONWord, PlainCodable {
    package var rawValue: String {
        switch self {
        case .none: "none"
        case .usual: "usual"
        case .token(nil): "token"
        case .token(let mode?): mode.rawValue
        }
    }

    package init?(rawValue word: String) {
        switch word {
        case "none": self = .none
        case "usual": self = .usual
        case "token": self = .token(nil)
        default:
            guard let mode = TokenMode(rawValue: word) else { return nil }
            self = .token(mode)
        }
    }

    /// Converts the choice of the file.
    package init(_ choice: TokenChoice) {
        self =
            switch choice {
            case .none: .none
            case .user: .token(.user)
            case .app: .token(.app)
            case .appPlus: .token(.appPlus)
            }
    }

    /// Converts the choice of a request, or else its older `authenticated` key.
    package init(_ choice: TokenChoice?, authenticated: Bool) {
        self = choice.map { Self($0) } ?? (authenticated ? .usual : .none)
    }

    /// The possible choices for a request.
    package static var allCases: [Self] { [.none, .usual, .token(nil)] + TokenMode.allCases.map { .token($0) } }

    /// Whether the token is, or can be, that of a signed-in user.
    package var isOfUser: Bool {
        switch self {
        case .none, .token(.app): false
        case .usual, .token: true
        }
    }
}
