/// What must be there for a connection or a registration to begin.
package enum UserNeed: String, Choice {
    case user

    package var help: String {
        switch self {
        case .user: "a signed-in user; it begins when a user signs in, and ends when that user is signed out"
        }
    }
}

extension UserNeed {
    /// The key of what may wait for a user.
    package static func key(_ keys: inout Keys, _ summary: String) -> Setting<[UserNeed]?> {
        keys.optional("needs", summary, .example("[user]"))
    }
}

extension Checks {
    /// Needs a section that signs users in, where work waits for one.
    package mutating func needUser(_ path: String, at place: Place) {
        need(
            Provision(.accessTokens, "user"),
            .needsUser,
            at: place,
            "\(path) needs a signed-in user, and no section signs users in",
            help: "add the section 'auth', or remove 'user'"
        )
    }
}
