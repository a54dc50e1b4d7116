/// A version of MQTT, by its number in CONNECT.
package enum ProtocolVersion: UInt8, Sendable, CaseIterable {
    /// MQTT 3.1.1.
    case v3 = 4
    /// MQTT 5.
    case v5 = 5
}

/// How often a message is delivered.
package enum QualityOfService: UInt8, Sendable, CaseIterable, Comparable {
    case atMostOnce, atLeastOnce, exactlyOnce

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
