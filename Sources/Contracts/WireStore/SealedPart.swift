/// The parts of stored data that are sealed, each bound to its location.
package enum SealedPart: String, Sendable, CaseIterable {
    /// The value of an entry of a namespace.
    case entry
    /// The metadata and the payload of an item of a queue, and the note that it leaves.
    case head
    case work
    case note

    /// The location of a part by its key or id, and its namespace or queue.
    package func place(of name: String, in scope: String) -> String {
        "\(rawValue) \(scope.utf8.count) \(scope) \(name)"
    }
}
