/// When a server was asked for what it told, so that an earlier answer that comes later replaces nothing.
///
/// The position of the region comes first: it grows with each write of each process, and no clock that is set changes it.
/// What was written before a request was sent is known to its answer; what was written meanwhile may not be.
package struct Moment: Sendable, Hashable, Comparable {
    package let position: Int64
    /// Milliseconds since 1970: how old the answer is.
    package let time: Int64

    package init(position: Int64, time: Int64) { (self.position, self.time) = (position, time) }

    /// After all others.
    package static let never = Self(position: .max, time: .max)

    package static func < (left: Self, right: Self) -> Bool {
        (left.position, left.time) < (right.position, right.time)
    }
}
