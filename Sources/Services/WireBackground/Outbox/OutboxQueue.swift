import WireBase
import WireService
import WireStore

/// A queue of the outbox: the one that machines may share, or, where they do, that of this machine besides.
///
/// The limits apply to each: the room for a machine's requests does not depend on those of other machines, nor on
/// whether the shared queue can be read.
struct OutboxQueue: Sendable {
    let work: any WorkQueue
    let name: String
    /// Whether no other machine sees it, while another queue is shared.
    let isLocal: Bool

    /// The queues with a name: the usual one first, the one for local requests last, which may be the same.
    static func all(_ name: String, in stores: Stores) -> [OutboxQueue] {
        let usual = OutboxQueue(work: stores[.outbox].queue, name: name, isLocal: false)
        guard stores.isShared(.outbox) else { return [usual] }
        return [usual, OutboxQueue(work: stores.device.queue, name: name, isLocal: true)]
    }

    /// The eraser of its data.
    func eraser(_ eraser: Eraser) -> Eraser { isLocal ? eraser : eraser.of(.outbox) }

    func usage() async throws(StoreFailure) -> WorkUsage { try await work.usage(ofQueue: name) }
    func pauses() async throws(StoreFailure) -> WorkPauses { try await work.pauses(of: name) }

    func list(lane: String? = nil, after: Int64?, limit: Int) async throws(StoreFailure) -> [WaitingWork] {
        try await work.list(name, lane: lane, after: after, limit: limit)
    }

    func expedite(_ which: WorkExpediting) async throws(StoreFailure) -> Int {
        try await work.expedite(which, in: name)
    }
}

extension [WorkUsage] {
    /// The usage of all queues together.
    var total: WorkUsage {
        WorkUsage(
            entries: reduce(0) { $0 + $1.entries },
            size: .bytes(reduce(0) { $0 + $1.size.bytes }),
            oldest: compactMap(\.oldest).max()
        )
    }
}

extension [WorkPauses] {
    /// What is paused in any of the queues.
    var united: WorkPauses {
        WorkPauses(isWhole: contains { $0.isWhole }, lanes: Set(flatMap(\.lanes)).sorted())
    }
}
