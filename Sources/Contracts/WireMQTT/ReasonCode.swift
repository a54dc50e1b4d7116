/// The outcome of a request, or the reason of a disconnect (MQTT 5, section 2.4).
///
/// The return codes of 3.1.1 are converted to the codes with the same meaning.
package struct ReasonCode: Sendable, Hashable {
    package let rawValue: UInt8

    package init(_ rawValue: UInt8) { self.rawValue = rawValue }

    package var isFailure: Bool { rawValue >= 0x80 }

    package static let success = Self(0x00)
    package static let disconnectWithWill = Self(0x04)
    package static let noMatchingSubscribers = Self(0x10)
    package static let noSubscriptionExisted = Self(0x11)
    package static let unspecified = Self(0x80)
    package static let malformedPacket = Self(0x81)
    package static let protocolError = Self(0x82)
    package static let implementationSpecific = Self(0x83)
    package static let unsupportedVersion = Self(0x84)
    package static let invalidClientID = Self(0x85)
    package static let badCredentials = Self(0x86)
    package static let notAuthorized = Self(0x87)
    package static let serverUnavailable = Self(0x88)
    package static let serverBusy = Self(0x89)
    package static let banned = Self(0x8a)
    package static let serverShuttingDown = Self(0x8b)
    package static let badAuthenticationMethod = Self(0x8c)
    package static let keepAliveTimeout = Self(0x8d)
    package static let sessionTakenOver = Self(0x8e)
    package static let invalidTopicFilter = Self(0x8f)
    package static let invalidTopicName = Self(0x90)
    package static let receiveMaximumExceeded = Self(0x93)
    package static let invalidTopicAlias = Self(0x94)
    package static let packetTooLarge = Self(0x95)
    package static let messageRateTooHigh = Self(0x96)
    package static let quotaExceeded = Self(0x97)
    package static let administrativeAction = Self(0x98)
    package static let invalidPayloadFormat = Self(0x99)
    package static let retainNotSupported = Self(0x9a)
    package static let qualityNotSupported = Self(0x9b)
    package static let useAnotherServer = Self(0x9c)
    package static let serverMoved = Self(0x9d)
    package static let sharedSubscriptionsNotSupported = Self(0x9e)
    package static let connectionRateExceeded = Self(0x9f)
    package static let maximumConnectTime = Self(0xa0)
    package static let subscriptionIDsNotSupported = Self(0xa1)
    package static let wildcardsNotSupported = Self(0xa2)
}

extension ReasonCode: CustomStringConvertible {
    /// The code with its name: `0x87, not authorized`.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        let number = "0x\(digits.utf8.count < 2 ? "0" : "")\(digits)"
        return Self.names[rawValue].map { "\(number), \($0)" } ?? number
    }

    private static let names: [UInt8: String] = [
        0x04: "disconnect with will", 0x80: "unspecified error", 0x81: "malformed packet", 0x82: "protocol error",
        0x83: "implementation specific error", 0x84: "unsupported protocol version", 0x85: "client id not valid",
        0x86: "bad user name or password", 0x87: "not authorized", 0x88: "server unavailable", 0x89: "server busy",
        0x8a: "banned", 0x8b: "server shutting down", 0x8c: "bad authentication method", 0x8d: "keep alive timeout",
        0x8e: "session taken over", 0x8f: "topic filter invalid", 0x90: "topic name invalid",
        0x91: "packet id in use", 0x92: "packet id not found", 0x93: "receive maximum exceeded",
        0x94: "topic alias invalid", 0x95: "packet too large", 0x96: "message rate too high", 0x97: "quota exceeded",
        0x98: "administrative action", 0x99: "payload format invalid", 0x9a: "retain not supported",
        0x9b: "QoS not supported", 0x9c: "use another server", 0x9d: "server moved",
        0x9e: "shared subscriptions not supported", 0x9f: "connection rate exceeded",
        0xa0: "maximum connect time", 0xa1: "subscription ids not supported",
        0xa2: "wildcard subscriptions not supported",
    ]
}

extension ReasonCode {
    /// The codes of 3.1.1 for the response to CONNECT, in order from 1 (section 3.2.2.3).
    private static let returnCodes: [Self] = [
        .unsupportedVersion, .invalidClientID, .serverUnavailable, .badCredentials, .notAuthorized,
    ]

    /// Converts a return code of 3.1.1; nil for an unknown one.
    init?(returnCode: UInt8) {
        guard returnCode > 0 else {
            self = .success
            return
        }
        guard returnCode <= Self.returnCodes.count else { return nil }
        self = Self.returnCodes[Int(returnCode) - 1]
    }

    /// The return code of 3.1.1; other failures are that of an unavailable server.
    var returnCode: UInt8 {
        guard isFailure else { return 0 }
        return Self.returnCodes.firstIndex(of: self).map { UInt8($0 + 1) } ?? 3
    }
}
