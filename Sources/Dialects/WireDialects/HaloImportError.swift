/// The reason for which a property list of HALO cannot be imported.
package struct HaloImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem in one phrase; never a value of the list.
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
