import WireBase
package import WireHTTP

/// The operations on the device.
package enum DeviceCalls {
    package static let show = APICall<NoInput, DeviceReport, DeviceFailureKind>(
        .get,
        "/v1/device",
        "Return the device.",
        access: .read,
        answers: [device],
        fails: []
    )

    package static let change = APICall<DeviceChange, DeviceReport, DeviceFailureKind>(
        .patch,
        "/v1/device",
        "Change the device; null removes a member. Responds when the change is stored.",
        access: .write,
        upTo: .kibibytes(512),
        answers: [device],
        fails: [.invalid, .declared, .unavailable]
    )

    package static let remove = APICall<NoInput, Nothing, DeviceFailureKind>(
        .delete,
        "/v1/device",
        "Delete the device here, and at the server if supported, until it is registered again.",
        access: .write,
        answers: [.init(.noContent, "The device is deleted.")],
        fails: [.unavailable]
    )

    package static let register = APICall<NoInput, DeviceReport, DeviceFailureKind>(
        .post,
        "/v1/device/register",
        "Register the device at the server.",
        access: .write,
        answers: [.init(.accepted, "The registration is queued.")],
        fails: [.neverRegistered, .unavailable]
    )

    package static let tag = APICall<DeviceTagging, DeviceReport, DeviceFailureKind>(
        .put,
        "/v1/device/tags/{name…}",
        "Set a tag of the device.",
        access: .write,
        upTo: .kibibytes(8),
        answers: [device],
        fails: [.invalid, .declared, .unavailable]
    )

    package static let untag = APICall<DeviceTagName, DeviceReport, DeviceFailureKind>(
        .delete,
        "/v1/device/tags/{name…}",
        "Remove a tag of the device.",
        access: .write,
        answers: [device],
        fails: [.unknownTag, .invalid, .declared, .unavailable]
    )

    private static let device = APISuccess(.ok, "The device.")
}

/// Why an operation on the device failed.
package enum DeviceFailureKind: String, FailureKind {
    /// The file sets the value.
    case declared
    /// The file says `register: never`.
    case neverRegistered = "never-registered"
    /// An invalid tag, address or token.
    case invalid = "bad-device"
    case unknownTag = "no-such-tag"
    /// The store or the outbox does not accept the change.
    case unavailable = "device-unavailable"

    package var facts: FailureFacts {
        switch self {
        case .declared: FailureFacts(.conflict, "the value cannot be changed", "The file sets this value.")
        case .neverRegistered:
            FailureFacts(.conflict, "the file disables registration", "The file says 'register: never'.")
        case .invalid: FailureFacts(.unprocessableContent, "invalid device", "The device is invalid.")
        case .unknownTag: FailureFacts(.notFound, "unknown tag", "The device has no such tag.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "the change cannot be stored now",
                "The store or the outbox is not available.",
                retryAfter: 5
            )
        }
    }
}

package typealias DeviceFailure = APIFailure<DeviceFailureKind>
