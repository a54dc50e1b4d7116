package import WireConfig

/// The sources of a user's JWT besides `auth` and the app.
package enum JWTSource: Sendable {
    /// A file that holds only the token; read again when it changes.
    case file(InputFile)
    /// A variable of the program's environment.
    case variable(VariableName)
    /// A program that prints the token.
    case program(Command)
}

extension JWTSource: OneOf {
    package static var alternatives: [Alternative<Self>] {
        [
            Alternative(key: "file", "A file that holds the token, read again when it changes.") { .file($0) },
            Alternative(key: "env", "An environment variable that holds the token.") { .variable($0) },
            Alternative(key: "exec", "A program that prints the token.") { .program($0) },
        ]
    }
}

/// The source of the user's JWT at run time.
package enum JWTHolder: String, Choice {
    case auth, app

    package var help: String {
        switch self {
        case .auth: "the access token of the signed-in user"
        case .app: "set by the app over the local API or in Swift"
        }
    }
}
