/// What must hold for any bytes whatever: what the fuzzer searches to break, and what findings are replayed against.
package enum Property: String, CaseIterable, Sendable {
    /// Any text read as YAML becomes a sound tree within the limits, or a complaint that points into the text.
    case yaml
    /// The same for JSON; besides, what was read and written reads the same.
    case json
    /// One tree laid over another wins where it speaks and leaves alone what it does not name; references in the result
    /// are filled in as written.
    case overlay
    /// References, templates and amounts that are taken mean what their text says.
    case reference
    /// A token that is taken can be written in one way only, and keys that are taken are strong.
    case token
    /// A GraphQL text that is taken prints to one that means the same, and each finding points into the text.
    case graphql
    /// Messages of GraphQL over WebSockets never break a session, at either end.
    case socket
    /// A message of Web Push is decrypted or refused, and its records have their delimiters.
    case push
    /// A message of Mozilla's push protocol is refused or read, and what a receiver answers is what the service reads.
    case autopush
    /// A call of a UnifiedPush distributor is refused or read, and its reply repeats the id of a message.
    case connector
    /// Bytes of an MQTT connection are the same packets however they arrive, and packets that are read can be written.
    case mqtt
    /// A topic of MQTT matches a filter exactly if its levels do, and a subscription of a server can be written again.
    case topic
    /// A whole file, its environments and an override are judged and reported, and what a valid file comes to is valid
    /// again.
    case file

    /// Throws where the bytes break the property; a crash breaks it too.
    package func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        switch self {
        case .yaml: try Self.checkYAML(bytes)
        case .json: try Self.checkJSON(bytes)
        case .overlay: try Self.checkOverlay(bytes)
        case .reference: try Self.checkTexts(bytes)
        case .token: try Self.checkTokens(bytes)
        case .graphql: try Self.checkGraphQL(bytes)
        case .socket: try Self.checkSocket(bytes)
        case .push: try Self.checkPush(bytes)
        case .mqtt: try Self.checkMQTT(bytes)
        case .topic: try Self.checkTopic(bytes)
        #if !TREES_ONLY
        case .autopush: try Self.checkAutopush(bytes)
        case .connector: try Self.checkConnector(bytes)
        case .file: try Self.checkFile(bytes)
        #else
        case .autopush, .connector, .file: throw BrokenProperty("this program was made for trees only")
        #endif
        }
    }
}

/// Why a property does not hold.
package struct BrokenProperty: Error, CustomStringConvertible {
    /// What was expected and what came instead.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
