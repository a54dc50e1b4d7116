/// A precondition of a connection or a registration.
package enum UserNeed: String, Choice {
    case user

    package var help: String {
        switch self {
        case .user: "a signed-in user; work begins at sign-in and ends at sign-out"
        }
    }
}

extension UserNeed {
    /// The setting for preconditions.
    package static func key(_ keys: inout Keys, _ summary: String) -> Setting<[UserNeed]?> {
        keys.optional("needs", summary, .example("[user]"))
    }
}

extension Checks {
    /// Requires a section that signs users in, where work waits for a user.
    package mutating func needUser(_ path: String, at place: Place) {
        need(
            Provision(.accessTokens, "user"),
            .needsUser,
            at: place,
            "\(path) needs a signed-in user, but no section signs in users",
            help: "add the section 'auth', or remove 'user'"
        )
    }
}
