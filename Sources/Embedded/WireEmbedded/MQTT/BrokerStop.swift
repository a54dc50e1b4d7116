import WireMQTT

/// Why the broker ends a connection: the code that a client of MQTT 5 is told.
struct BrokerStop: Error, Sendable, Equatable {
    let code: ReasonCode

    init(_ code: ReasonCode) { self.code = code }
}
