import WireStore

/// Says that what was claimed of a store may be under way: in this process, or in a program that inherits the descriptor
/// and outlives it.
///
/// Claims of a process that was killed are void once nobody holds it any more.
package final class WorkHold: Sendable {
    private let presence: Presence

    init(_ path: String) throws(StoreFailure) {
        presence = try Presence.open(path)
        try presence.work()
    }

    package var descriptor: Int32 { presence.descriptor }
}
