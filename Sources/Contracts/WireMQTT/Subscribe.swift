/// A request for the messages of topics.
package struct Subscribe: Sendable, Equatable {
    /// When the server sends retained messages.
    package enum RetainHandling: UInt8, Sendable, CaseIterable {
        case always, ifNew, never
    }

    /// A filter with its options.
    package struct Subscription: Sendable, Equatable {
        package var filter: TopicFilter
        package var qos: QualityOfService
        /// Whether own messages are left out; of MQTT 5, as the options that follow.
        package var isNoLocal = false
        package var retainAsPublished = false
        package var retainHandling = RetainHandling.always

        package init(_ filter: TopicFilter, _ qos: QualityOfService) { (self.filter, self.qos) = (filter, qos) }

        fileprivate init(_ fields: inout FieldReader, in version: ProtocolVersion) throws(PacketError) {
            filter = try fields.filter(of: .subscribe)
            let options = try fields.byte()
            guard let qos = QualityOfService(rawValue: options & 0x3),
                let handling = RetainHandling(rawValue: options >> 4 & 0x3),
                options & (version == .v5 ? 0xc0 : 0xfc) == 0
            else { throw .malformed("SUBSCRIBE has invalid options") }
            self.qos = qos
            (isNoLocal, retainAsPublished) = (options & 0x4 != 0, options & 0x8 != 0)
            retainHandling = handling
            guard !isNoLocal || filter.group == nil else {
                throw .invalid("a shared subscription cannot leave out own messages")
            }
        }

        fileprivate func options(in version: ProtocolVersion) -> UInt8 {
            guard version == .v5 else { return qos.rawValue }
            return qos.rawValue | (isNoLocal ? 0x4 : 0) | (retainAsPublished ? 0x8 : 0) | retainHandling.rawValue << 4
        }
    }

    package var id: UInt16
    package var subscriptions: [Subscription]
    package var properties = Properties()

    package init(_ id: UInt16, _ subscriptions: [Subscription]) { (self.id, self.subscriptions) = (id, subscriptions) }

    init(_ fields: inout FieldReader, in version: ProtocolVersion) throws(PacketError) {
        id = try fields.packetID(of: .subscribe)
        if version == .v5 { properties = try Properties(&fields, at: .packet(.subscribe)) }
        subscriptions = []
        repeat { subscriptions.append(try Subscription(&fields, in: version)) } while !fields.isAtEnd
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        guard !subscriptions.isEmpty else { throw .invalid("SUBSCRIBE has no topics") }
        fields.add(id)
        if version == .v5 { try properties.write(to: &fields) }
        for subscription in subscriptions {
            try fields.add(text: subscription.filter.text)
            fields.add(subscription.options(in: version))
        }
    }
}

/// The end of subscriptions.
package struct Unsubscribe: Sendable, Equatable {
    package var id: UInt16
    package var filters: [TopicFilter]
    package var properties = Properties()

    package init(_ id: UInt16, _ filters: [TopicFilter]) { (self.id, self.filters) = (id, filters) }

    init(_ fields: inout FieldReader, in version: ProtocolVersion) throws(PacketError) {
        id = try fields.packetID(of: .unsubscribe)
        if version == .v5 { properties = try Properties(&fields, at: .packet(.unsubscribe)) }
        filters = []
        repeat { filters.append(try fields.filter(of: .unsubscribe)) } while !fields.isAtEnd
    }

    func write(to fields: inout FieldWriter, in version: ProtocolVersion) throws(PacketError) {
        guard !filters.isEmpty else { throw .invalid("UNSUBSCRIBE has no topics") }
        fields.add(id)
        if version == .v5 { try properties.write(to: &fields) }
        for filter in filters { try fields.add(text: filter.text) }
    }
}

/// The response to SUBSCRIBE or UNSUBSCRIBE, with a code for each filter; none for UNSUBSCRIBE of 3.1.1.
package struct SubscribeAck: Sendable, Equatable {
    package var id: UInt16
    package var codes: [ReasonCode]
    package var properties = Properties()

    package init(_ id: UInt16, _ codes: [ReasonCode]) { (self.id, self.codes) = (id, codes) }

    init(_ fields: inout FieldReader, _ kind: PacketKind, in version: ProtocolVersion) throws(PacketError) {
        id = try fields.packetID(of: kind)
        codes = []
        if version == .v5 { properties = try Properties(&fields, at: .packet(kind)) }
        guard version == .v5 || kind == .subscribeAck else { return }
        repeat {
            let code = ReasonCode(try fields.byte())
            guard version == .v5 || code.rawValue <= 2 || code == .unspecified else {
                throw .malformed("SUBACK has an unknown code")
            }
            codes.append(code)
        } while !fields.isAtEnd
    }

    func write(to fields: inout FieldWriter, _ kind: PacketKind, in version: ProtocolVersion) throws(PacketError) {
        fields.add(id)
        if version == .v5 { try properties.write(to: &fields) }
        guard version == .v5 || kind == .subscribeAck else { return }
        guard !codes.isEmpty else { throw .invalid("\(kind.name) has no codes") }
        for code in codes { fields.add(version == .v5 || !code.isFailure ? code.rawValue : 0x80) }
    }
}

extension FieldReader {
    fileprivate mutating func filter(of kind: PacketKind) throws(PacketError) -> TopicFilter {
        guard let filter = TopicFilter(try text()) else { throw .malformed("a topic of \(kind.name) is invalid") }
        return filter
    }
}
