/// Encrypts stored data with keys that never leave the sealer.
package protocol Sealer: Sendable {
    /// Encrypts and authenticates bytes, bound to their storage location.
    func seal(_ bytes: [UInt8], for place: String) throws(StoreFailure) -> [UInt8]
    /// Decrypts bytes; fails for another location, another key, or any changed bit.
    func open(_ sealed: [UInt8], for place: String) throws(StoreFailure) -> [UInt8]
    /// Whether the bytes were sealed with the current key, not an earlier one.
    func isCurrent(_ sealed: [UInt8]) -> Bool
}
