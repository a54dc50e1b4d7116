package import WireBase
package import WireConfig

extension UserPresence {
    /// Why work for the signed-in user cannot start now; nil where it can.
    ///
    /// The needs in the file decide; without any, the work waits for a user unless services may run without one.
    package func missing(_ needs: [UserNeed]? = nil) -> Fault? {
        guard user == nil, needs?.contains(.user) ?? !allowsAnonymous else { return nil }
        return absence.fault
    }
}
