import WireBase
package import WireHTTP

/// The operations on the device, each declared once.
package enum DeviceCalls {
    package static let show = APICall<NoInput, DeviceReport, DeviceFailureKind>(
        .get,
        "/v1/device",
        "What is known of the device.",
        access: .read,
        answers: [device],
        fails: []
    )

    package static let change = APICall<DeviceChange, DeviceReport, DeviceFailureKind>(
        .patch,
        "/v1/device",
        "Change the device; a member that is null is taken away. Answered when it is on the disk.",
        access: .write,
        upTo: .kibibytes(512),
        answers: [device],
        fails: [.invalid, .declared, .unavailable]
    )

    package static let remove = APICall<NoInput, Nothing, DeviceFailureKind>(
        .delete,
        "/v1/device",
        "Forget the device, here and where the server can there, until somebody registers it.",
        access: .write,
        answers: [.init(.noContent, "It is forgotten.")],
        fails: [.unavailable]
    )

    package static let register = APICall<NoInput, DeviceReport, DeviceFailureKind>(
        .post,
        "/v1/device/register",
        "Have the device saved at the server.",
        access: .write,
        answers: [.init(.accepted, "It is written down that it is to be saved.")],
        fails: [.neverRegistered, .unavailable]
    )

    package static let tag = APICall<DeviceTagging, DeviceReport, DeviceFailureKind>(
        .put,
        "/v1/device/tags/{name…}",
        "Give the device a tag; one of the same name is replaced.",
        access: .write,
        upTo: .kibibytes(8),
        answers: [device],
        fails: [.invalid, .declared, .unavailable]
    )

    package static let untag = APICall<DeviceTagName, DeviceReport, DeviceFailureKind>(
        .delete,
        "/v1/device/tags/{name…}",
        "Take a tag from the device.",
        access: .write,
        answers: [device],
        fails: [.unknownTag, .invalid, .declared, .unavailable]
    )

    private static let device = APISuccess(.ok, "The device.")
}

/// Why an operation on the device fails.
package enum DeviceFailureKind: String, FailureKind {
    /// The file sets the value.
    case declared
    /// The file says `register: never`.
    case neverRegistered = "never-registered"
    /// A tag, an address or a token is not valid.
    case invalid = "bad-device"
    case unknownTag = "no-such-tag"
    /// The store or the outbox refuses the change.
    case unavailable = "device-unavailable"

    package var facts: FailureFacts {
        switch self {
        case .declared: FailureFacts(.conflict, "the file says what it is", "The file says what it is.")
        case .neverRegistered:
            FailureFacts(.conflict, "servers are not told of the device", "The file says that servers are not told.")
        case .invalid: FailureFacts(.unprocessableContent, "a device cannot be so", "A device cannot be so.")
        case .unknownTag: FailureFacts(.notFound, "the device has no such tag", "It has no such tag.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "it cannot be kept now",
                "The store or the outbox does not take it now.",
                retryAfter: 5
            )
        }
    }
}

package typealias DeviceFailure = APIFailure<DeviceFailureKind>
