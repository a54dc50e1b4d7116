package import WireConfig

extension ServiceHost {
    /// Why work for the signed-in user does not begin now; nil where it may.
    ///
    /// What the file says of it decides; where it says nothing, work for a user waits for one unless services may run
    /// without.
    package func userMissing(_ needs: [UserNeed]? = nil) -> Fault? {
        guard let presence = find(.userPresence), presence.user == nil else { return nil }
        guard needs?.contains(.user) ?? !presence.allowsAnonymous else { return nil }
        return presence.absence.fault
    }

    /// Whether work for the signed-in user waits for one where the file says nothing of it.
    package var waitsForUsers: Bool { find(.userPresence).map { !$0.allowsAnonymous } ?? false }
}
