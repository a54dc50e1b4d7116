import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// The identity of a notification: the sender and its id.
struct NotificationID: Sendable, Hashable {
    let text: String

    /// The sender's id takes precedence; the transport's id is used where there is none.
    init(of push: ReceivedPush, carrier: String?, _ digest: (String) -> String) {
        if let id = push.id, !id.isEmpty {
            self.init(push.registrar.map { "\($0):\(id)" } ?? id, digest)
        } else if let carrier {
            self.init(carrier, digest)
        } else {
            self.init(Self.fresh(at: 0), digest)
        }
    }

    /// An id from a sender or a caller; its digest where it is long, contains line breaks, or is unusable as a path
    /// segment.
    init(_ name: String, _ digest: (String) -> String) {
        let isFit =
            name.utf8.count <= 200 && !name.unicodeScalars.contains(where: \.isUnfitForDisplay)
            && !Self.taken.contains(name)
        text = isFit && !name.isEmpty ? name : "sha256:\(digest(name))"
    }

    /// The words that have a meaning of their own in `/v1/notifications/{id}`.
    private static let taken = NotificationRoutes.operations.words(below: "/v1/notifications").union([".", ".."])

    /// A new id: a UUID, version 7 where the time is known (RFC 9562, section 5.7).
    static func fresh(at milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        for shift in stride(from: 40, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: milliseconds >> Int64(shift)))
        }
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        bytes.append(0x70 | UInt8(truncatingIfNeeded: high & 0x0f))
        bytes.append(UInt8(truncatingIfNeeded: high >> 8))
        bytes.append(0x80 | UInt8(truncatingIfNeeded: high >> 16) & 0x3f)
        for shift in stride(from: 48, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: low >> shift)) }
        return UUIDText.text(of: bytes)
    }
}
