/// The time of a request, so that a late answer to an earlier request replaces nothing.
///
/// The position of the region comes first: it grows with each write of any process, and no clock change affects it.
/// The answer includes what was written before the request was sent; it may lack what was written meanwhile.
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
