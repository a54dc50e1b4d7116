/// A value of a services file with its location: `section.url` is the value, `section.$url` the location.
@propertyWrapper
package struct Setting<Value: Sendable>: Sendable {
    /// The value.
    package let wrappedValue: Value
    /// The location of the value, or where it could be written.
    package let projectedValue: Place

    @inline(__always)
    package init(_ value: Value, at place: Place) {
        wrappedValue = value
        projectedValue = place
    }
}

/// The location of a value, so that a failure at run time can refer to the file.
package struct Place: Sendable {
    /// The node of the value; for an absent key the mapping that could contain it, if there is a file.
    package let node: NodeID?
    package let state: State

    package enum State: Sendable {
        /// Written and completely understood.
        case written
        /// Not written: the default applies.
        case absent
        /// Wrong and already reported, or waiting for a reference; not reported again.
        case uncertain
    }

    package init(node: NodeID?, state: State) {
        self.node = node
        self.state = state
    }

    package static let nowhere = Place(node: nil, state: .uncertain)

    /// Whether the file contains the value.
    package var isWritten: Bool { state == .written }
}
