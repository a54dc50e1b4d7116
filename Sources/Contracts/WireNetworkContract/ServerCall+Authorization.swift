package import WireConfig
import WireHTTP
import WireService

/// Whose token goes along, as words of files, of the local API and of what is kept.
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

    /// What the file chooses for a request.
    package init(_ choice: TokenChoice) {
        self =
            switch choice {
            case .none: .none
            case .user: .token(.user)
            case .app: .token(.app)
            case .appPlus: .token(.appPlus)
            }
    }

    /// The same where a request chooses, and what its `authenticated` says otherwise.
    package init(_ choice: TokenChoice?, authenticated: Bool) {
        self = choice.map { Self($0) } ?? (authenticated ? .usual : .none)
    }

    /// What can be chosen for a request.
    package static var allCases: [Self] { [.none, .usual, .token(nil)] + TokenMode.allCases.map { .token($0) } }

    /// Whether what goes along is, or can be, the token of a signed-in user.
    package var isOfUser: Bool {
        switch self {
        case .none, .token(.app): false
        case .usual, .token: true
        }
    }
}
