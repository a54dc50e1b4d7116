/// The properties of MQTT 5, by their identifiers (section 2.2.2.2).
package enum Property: UInt8, Sendable, CaseIterable {
    case payloadFormat = 0x01
    case messageExpiry = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionID = 0x0b
    case sessionExpiry = 0x11
    case assignedClientID = 0x12
    case serverKeepAlive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case requestProblemInformation = 0x17
    case willDelay = 0x18
    case requestResponseInformation = 0x19
    case responseInformation = 0x1a
    case serverReference = 0x1c
    case reasonString = 0x1f
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case topicAlias = 0x23
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case userProperty = 0x26
    case maximumPacketSize = 0x27
    case wildcardsAvailable = 0x28
    case subscriptionIDsAvailable = 0x29
    case sharedSubscriptionsAvailable = 0x2a

    /// The form of a value on the wire.
    enum Form {
        case byte, two, four, variable, text, data, pair
    }

    var form: Form {
        switch self {
        case .payloadFormat, .requestProblemInformation, .requestResponseInformation, .maximumQoS, .retainAvailable,
            .wildcardsAvailable, .subscriptionIDsAvailable, .sharedSubscriptionsAvailable:
            .byte
        case .serverKeepAlive, .receiveMaximum, .topicAliasMaximum, .topicAlias: .two
        case .messageExpiry, .sessionExpiry, .willDelay, .maximumPacketSize: .four
        case .subscriptionID: .variable
        case .contentType, .responseTopic, .assignedClientID, .authenticationMethod, .responseInformation,
            .serverReference, .reasonString:
            .text
        case .correlationData, .authenticationData: .data
        case .userProperty: .pair
        }
    }

    /// Whether a packet may have several of them.
    var mayRepeat: Bool { self == .userProperty || self == .subscriptionID }

    /// The valid numbers.
    var range: ClosedRange<UInt32> {
        switch form {
        case .byte: 0...1
        case .two: self == .serverKeepAlive || self == .topicAliasMaximum ? 0...65_535 : 1...65_535
        case .four: self == .maximumPacketSize ? 1...UInt32.max : 0...UInt32.max
        case .variable: 1...268_435_455
        case .text, .data, .pair: 0...0
        }
    }
}

/// Where properties stand: in a packet of a kind, or with a will.
enum PropertyPlace {
    case packet(PacketKind)
    case will

    var allowed: Set<Property> {
        switch self {
        case .will:
            [
                .willDelay, .payloadFormat, .messageExpiry, .contentType, .responseTopic, .correlationData,
                .userProperty,
            ]
        case .packet(let kind): Self.allowed[kind] ?? []
        }
    }

    private static let acknowledgement: Set<Property> = [.reasonString, .userProperty]

    private static let allowed: [PacketKind: Set<Property>] = [
        .connect: [
            .sessionExpiry, .receiveMaximum, .maximumPacketSize, .topicAliasMaximum, .requestResponseInformation,
            .requestProblemInformation, .userProperty, .authenticationMethod, .authenticationData,
        ],
        .connectAck: [
            .sessionExpiry, .receiveMaximum, .maximumQoS, .retainAvailable, .maximumPacketSize, .assignedClientID,
            .topicAliasMaximum, .reasonString, .userProperty, .wildcardsAvailable, .subscriptionIDsAvailable,
            .sharedSubscriptionsAvailable, .serverKeepAlive, .responseInformation, .serverReference,
            .authenticationMethod, .authenticationData,
        ],
        .publish: [
            .payloadFormat, .messageExpiry, .topicAlias, .responseTopic, .correlationData, .userProperty,
            .subscriptionID, .contentType,
        ],
        .publishAck: acknowledgement, .publishReceived: acknowledgement, .publishRelease: acknowledgement,
        .publishComplete: acknowledgement, .subscribeAck: acknowledgement, .unsubscribeAck: acknowledgement,
        .subscribe: [.subscriptionID, .userProperty], .unsubscribe: [.userProperty],
        .disconnect: [.sessionExpiry, .reasonString, .userProperty, .serverReference],
        .authenticate: [.authenticationMethod, .authenticationData, .reasonString, .userProperty],
    ]
}
