package import WireBase
package import WireConfig

extension UserPresence {
    /// Why work for the signed-in user does not begin now; nil where it may.
    ///
    /// What the file says of it decides; where it says nothing, work for a user waits for one unless services may run
    /// without.
    package func missing(_ needs: [UserNeed]? = nil) -> Fault? {
        guard user == nil, needs?.contains(.user) ?? !allowsAnonymous else { return nil }
        return absence.fault
    }
}
