import WireStore

/// Marks claimed work of a store as under way: in this process, or in a program that inherits the descriptor and
/// outlives the process.
///
/// The claims of a killed process end once no process has the descriptor open.
package final class WorkHold: Sendable {
    private let presence: Presence

    init(_ path: String) throws(StoreFailure) {
        presence = try Presence.open(path)
        try presence.work()
    }

    package var descriptor: Int32 { presence.descriptor }
}
