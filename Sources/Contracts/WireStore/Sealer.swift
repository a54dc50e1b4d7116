/// Encrypts what lies on disk, with keys that never leave it.
package protocol Sealer: Sendable {
    /// The bytes encrypted and authenticated, bound to the place they are for.
    func seal(_ bytes: [UInt8], for place: String) throws(StoreFailure) -> [UInt8]
    /// What was sealed for a place; fails for another place, another key, or any changed bit.
    func open(_ sealed: [UInt8], for place: String) throws(StoreFailure) -> [UInt8]
    /// Whether it was sealed with the present key, or a former one.
    func isCurrent(_ sealed: [UInt8]) -> Bool
}
