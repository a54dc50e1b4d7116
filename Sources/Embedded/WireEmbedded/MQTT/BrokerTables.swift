/// The records of an MQTT broker.
enum BrokerTables: String, RecordTable {
    /// The sessions that outlive their connections, by the digest of the client id.
    case sessions
    /// The messages that are not acknowledged, by session and place in its queue.
    case messages
    /// The retained messages, by the digest of the topic.
    case retained

    var path: String { "mqtt/\(rawValue)" }

    var limit: Int {
        switch self {
        case .sessions: BrokerLimits.sessions
        case .messages: 20_000
        case .retained: BrokerLimits.retained
        }
    }

    /// Publishers are refused rather than that messages of others are lost.
    var forgets: Bool { false }
}
