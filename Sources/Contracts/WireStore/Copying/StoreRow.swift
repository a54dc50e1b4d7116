package import WireBase

/// A row of a store as it is exported: what outlives the processes that use the store.
///
/// Claims, leases and the history of changes are left out. Items come in the order of their queue.
package enum StoreRow: Sendable, Hashable {
    case entry(Entry)
    case item(Item)
    case ended(Ended)
    case pause(Pause)

    /// An entry of a namespace.
    package struct Entry: Sendable, Hashable {
        package var namespace = ""
        package var key = ""
        package var version: Int64 = 0
        package var type = ""
        /// The size of the value before it was sealed.
        package var size = 0
        /// Milliseconds since 1970.
        package var modified: Int64 = 0
        package var expires: Int64?
        package var isSealed = false
        package var bytes: [UInt8] = []

        package init() {}
    }

    /// A waiting item of a queue.
    package struct Item: Sendable, Hashable {
        package var queue = ""
        package var id = ""
        package var lane = ""
        package var kind = ""
        /// Milliseconds since 1970.
        package var added: Int64 = 0
        package var due: Int64 = 0
        package var attempts = 0
        package var reason: String?
        package var awaits: String?
        /// The size of head and payload before they were sealed.
        package var size = 0
        package var isSealed = false
        package var head: [UInt8] = []
        package var payload: [UInt8] = []

        package init() {}
    }

    /// The id of an ended item, with its note.
    package struct Ended: Sendable, Hashable {
        package var queue = ""
        package var id = ""
        /// Milliseconds since 1970.
        package var ended: Int64 = 0
        package var until: Int64 = 0
        package var note: [UInt8] = []
        /// The id that the note is sealed for; nil for that of the item.
        package var notedFor: String?

        package init() {}
    }

    /// A paused lane; the lane '' is the whole queue.
    package struct Pause: Sendable, Hashable {
        package var queue = ""
        package var lane = ""

        package init() {}
    }

    /// Its namespace or queue.
    package var scope: String {
        switch self {
        case .entry(let entry): entry.namespace
        case .item(let item): item.queue
        case .ended(let ended): ended.queue
        case .pause(let pause): pause.queue
        }
    }

    /// The bytes of its values.
    package var weight: Int {
        switch self {
        case .entry(let entry): entry.bytes.count
        case .item(let item): item.head.count + item.payload.count
        case .ended(let ended): ended.note.count
        case .pause: 0
        }
    }

    /// What is sealed in it.
    package var sealedParts: [[UInt8]] {
        switch self {
        case .entry(let entry): entry.isSealed ? [entry.bytes] : []
        case .item(let item): item.isSealed ? [item.head, item.payload].filter { !$0.isEmpty } : []
        case .ended(let ended): ended.note.isEmpty ? [] : [ended.note]
        case .pause: []
        }
    }

    /// The number and the bytes of rows that are read or written at once.
    package static let most = (count: 500, size: ByteCount.mebibytes(4))
}

extension StoreRow {
    /// The row with its sealed parts bound to the places of another store.
    package func bound(to new: SealedPlaces, from former: SealedPlaces, by sealer: any Sealer)
        throws(StoreFailure) -> StoreRow
    {
        func part(_ part: SealedPart, _ bytes: [UInt8], _ name: String, for bound: String? = nil)
            throws(StoreFailure) -> [UInt8]
        {
            let old = former.place(part, bound ?? name, in: scope)
            let next = new.place(part, name, in: scope)
            guard old != next, !bytes.isEmpty else { return bytes }
            do throws(StoreFailure) {
                return try sealer.seal(try sealer.open(bytes, for: old), for: next)
            } catch {
                throw StoreFailure(
                    error.kind,
                    "\(name.quoted) of \(scope.quoted) cannot be opened: \(error.reason)",
                    help: error.help
                )
            }
        }
        switch self {
        case .entry(var entry):
            if entry.isSealed { entry.bytes = try part(.entry, entry.bytes, entry.key) }
            return .entry(entry)
        case .item(var item):
            if item.isSealed {
                item.head = try part(.head, item.head, item.id)
                item.payload = try part(.work, item.payload, item.id)
            }
            return .item(item)
        case .ended(var ended):
            ended.note = try part(.note, ended.note, ended.id, for: ended.notedFor)
            ended.notedFor = nil
            return .ended(ended)
        case .pause: return self
        }
    }
}
