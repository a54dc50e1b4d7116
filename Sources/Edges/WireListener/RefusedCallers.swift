import Glibc
import WireHTTP

/// Callers for whom there is no room: they are told so, and given a moment to read it.
///
/// A connection that is closed with bytes unread is reset, and the answer lost with it; so what they send is read away.
struct RefusedCallers {
    private var leaving: [(descriptor: Int32, until: UInt64)] = []

    private static let room = 64
    private static let patience: UInt64 = 1_000_000_000

    static let answer = RawAnswer.bytes(
        Problem(
            .unavailable,
            "too-many-connections",
            "no connection is free",
            detail: "as many connections are open as are allowed",
            fields: ["Retry-After": "1"]
        ).response
    )

    var isEmpty: Bool { leaving.isEmpty }

    mutating func refuse(_ descriptor: Int32, at now: UInt64) {
        RawAnswer.send(Self.answer, to: descriptor)
        guard leaving.count < Self.room else {
            _ = close(descriptor)
            return
        }
        leaving.append((descriptor, now + Self.patience))
    }

    mutating func sweep(at now: UInt64) {
        leaving.removeAll { caller in
            guard now >= caller.until || RawAnswer.readAway(caller.descriptor) else { return false }
            _ = close(caller.descriptor)
            return true
        }
    }

    mutating func closeAll() {
        for caller in leaving { _ = close(caller.descriptor) }
        leaving = []
    }
}
