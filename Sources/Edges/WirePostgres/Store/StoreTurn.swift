import WireBase
import WireStore

/// The call that ends claims of a queue and makes new ones.
struct StoreTurn: Sendable {
    struct Ending: Sendable {
        enum End: Sendable {
            /// The note, sealed, and how long it is kept.
            case done([UInt8], Duration)
            case later(WorkDelay)
            /// The time of the claim is over.
            case late
            /// Nobody has begun with it.
            case notBegun

            fileprivate var number: Int16 {
                switch self {
                case .done: 0
                case .later: 1
                case .late: 2
                case .notBegun: 3
                }
            }
        }

        let position, fence: Int64
        let end: End

        init(_ position: Int64, _ fence: Int64, _ end: End) {
            (self.position, self.fence, self.end) = (position, fence, end)
        }

        fileprivate var delay: WorkDelay? { if case .later(let delay) = end { delay } else { nil } }

        fileprivate var note: (bytes: [UInt8], kept: Duration)? {
            if case .done(let bytes, let kept) = end { (bytes, kept) } else { nil }
        }
    }

    let queue: [UInt8]
    let endings: [Ending]
    let request: ClaimRequest?
    /// Positions of items that this runner cannot open.
    let skipped: [Int64]

    init(_ queue: [UInt8], _ endings: [Ending], claiming request: ClaimRequest? = nil, skipping skipped: [Int64] = []) {
        (self.queue, self.endings, self.request, self.skipped) = (queue, endings, request, skipped)
    }

    func statement(_ functions: StoreFunctions, _ member: Membership, _ number: Int64, at time: Int64?)
        -> PostgresStatement
    {
        let delays = endings.map(\.delay)
        return functions.call(
            "turn_1",
            [
                .int4(member.group), .int8(member.runner), .int8(number), .int8(time), .bytea(queue),
                .int8s(endings.map(\.position)), .int8s(endings.map(\.fence)), .int2s(endings.map(\.end.number)),
                .byteas(endings.map { $0.note?.bytes ?? [] }),
                .int8s(endings.map { $0.note.map { max(0, $0.kept.milliseconds) } ?? 0 }),
                .int8s(delays.map { $0.map { max(0, $0.time.milliseconds) } ?? 0 }),
                .byteas(delays.map { $0.map { Array($0.reason.utf8) } }),
                .byteas(delays.map { $0?.awaits.map { Array($0.utf8) } }),
                .bools(delays.map { $0?.isAttempt ?? true }),
                .int4(Int32(clamping: request?.count ?? 0)),
                .byteas((request?.named ?? []).map { Array($0.utf8) }),
                request?.kinds.map { .byteas($0.map { Array($0.utf8) }) } ?? .noByteas,
                .milliseconds(request?.lease ?? .zero), .int8s(skipped),
            ]
        )
    }
}
