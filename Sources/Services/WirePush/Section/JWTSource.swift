package import WireConfig

/// Where the JWT of a user comes from, besides `auth` and the app.
package enum JWTSource: Sendable {
    /// A file that holds the token and nothing else; it is read again when it changes.
    case file(InputFile)
    /// A variable of the environment the program was started in.
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

/// Who has the JWT of the user while corewire runs.
package enum JWTHolder: String, Choice {
    case auth, app

    package var help: String {
        switch self {
        case .auth: "the access token of the signed-in user"
        case .app: "the app hands it in over the local API or in Swift"
        }
    }
}
