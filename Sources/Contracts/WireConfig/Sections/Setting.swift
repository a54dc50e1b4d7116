/// A value of a services file together with the place it was written at: `section.url` is the value, `section.$url`
/// the place.
@propertyWrapper
package struct Setting<Value: Sendable>: Sendable {
    /// The value.
    package let wrappedValue: Value
    /// Where it was written, or could be.
    package let projectedValue: Place

    @inline(__always)
    package init(_ value: Value, at place: Place) {
        wrappedValue = value
        projectedValue = place
    }
}

/// Where a value was written: kept with every value, so that a failure at run time can point at the file.
package struct Place: Sendable {
    /// The node of the value; for a key that is absent the mapping that could hold it, if there is a file at all.
    package let node: NodeID?
    package let state: State

    package enum State: Sendable {
        /// Written, and wholly understood.
        case written
        /// Not written: the default holds.
        case absent
        /// Not wholly known: wrong, and reported already, or waiting for a reference. Nothing more is said about it.
        case uncertain
    }

    package init(node: NodeID?, state: State) {
        self.node = node
        self.state = state
    }

    package static let nowhere = Place(node: nil, state: .uncertain)

    /// Whether the file says it, in so many words.
    package var isWritten: Bool { state == .written }
}
