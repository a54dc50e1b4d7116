/// The locations that the sealed parts of a store are bound to.
package struct SealedPlaces: Sendable, Hashable {
    /// The group whose data they are; nil for the store of one machine.
    package let group: String?

    package init(group: String?) { self.group = group }

    /// A location in the store: data of one group is not that of another.
    package func place(_ part: SealedPart, _ name: String, in scope: String) -> String {
        let place = part.place(of: name, in: scope)
        guard let group else { return place }
        return "group \(group.utf8.count) \(group) \(place)"
    }
}
