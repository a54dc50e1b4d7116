import WireNetworkContract
import WireService

// Work with a user's token is done for the user who requested it, and waits while another one is signed in.

extension BackgroundHost {
    /// The user who owns work that is requested now; nil where it carries no user's token, or no user is signed in.
    func owner(of authorization: ServerCall.Authorization) -> String? {
        authorization.isOfUser ? uses.presence?.user?.subject : nil
    }

    /// Why work of a user cannot be done now: another user, or none, is signed in; nil where it can.
    func absence(of owner: String?) -> String? {
        guard let owner, let presence = uses.presence else { return nil }
        guard let user = presence.user else { return presence.absence.reason }
        return user.subject == owner ? nil : "the owner of the work is not signed in"
    }
}
