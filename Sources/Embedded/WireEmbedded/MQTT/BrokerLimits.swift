import WireBase

/// The limits of the MQTT broker.
enum BrokerLimits {
    /// The largest packet, which a client of MQTT 5 is told.
    static let packet = ByteCount.kibibytes(256)
    /// The number of sessions, connected or not.
    static let sessions = 500
    /// The subscriptions of a session.
    static let subscriptions = 100
    /// The retained messages.
    static let retained = 500
    /// The messages of a session that are not acknowledged.
    static let queued = 1_000
    /// The size of all messages in memory, for sessions that end with their connections.
    static let held = ByteCount.mebibytes(64)
    /// The messages that are sent to a client before the first is acknowledged, at most.
    static let window = 10
    /// The unsent bytes of a connection, above which messages with QoS 0 are dropped.
    static let unsent = ByteCount.mebibytes(1)
    /// The longest client id, filter and retained topic, in bytes.
    static let name = 1_024
    /// The levels of a topic or a filter.
    static let levels = 128
    /// The time within which a client must send CONNECT.
    static let connect = Duration.seconds(10)
    /// The longest life of a session without a connection, in seconds: 30 days.
    static let expiry: UInt32 = 30 * 86_400
}
