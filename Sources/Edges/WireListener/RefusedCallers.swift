import Glibc
import WireHTTP

/// Refuses callers beyond the limit with a response, and a moment to read it.
///
/// Closing a connection with unread bytes resets it and loses the response, so further input is read and dropped.
struct RefusedCallers {
    private var leaving: [(descriptor: Int32, until: UInt64)] = []

    private static let room = 64
    private static let patience: UInt64 = 1_000_000_000

    static let answer = RawAnswer.bytes(
        Problem(
            .unavailable,
            "too-many-connections",
            "no connection is free",
            detail: "the limit of open connections is reached",
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
