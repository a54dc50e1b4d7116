import WireBase
import WireEmbedded
import WireNotifications

extension Property {
    /// Bytes as a message of the service to the receiver, and as one of the receiver to the service.
    static func checkAutopush(_ bytes: [UInt8]) throws(BrokenProperty) {
        _ = try? AutopushClientMessage(parsing: String(decoding: bytes, as: UTF8.self))
        for isLocal in [false, true] {
            switch try? AutopushAnswer(bytes, isLocal: isLocal) {
            case .hello(let name): try checkHello(name)
            case .registered(let channel, let endpoint):
                guard isLocal || endpoint.hasPrefix("https://") else {
                    throw BrokenProperty("an endpoint without TLS is taken from another machine")
                }
                try checkChannel(channel)
            case .notification(let message): try checkAcknowledgement(of: message)
            case .rejected, .unregistered, .other, nil: break
            }
        }
    }

    private static func checkHello(_ name: String) throws(BrokenProperty) {
        guard case .hello(let read)? = try? AutopushClientMessage(parsing: AutopushMessage.hello(name).text),
            read == name
        else {
            throw BrokenProperty("the service reads another name than the receiver sends")
        }
    }

    /// Channels are the receiver's own; here any text stands for one.
    private static func checkChannel(_ text: String) throws(BrokenProperty) {
        let messages = [AutopushMessage.register(text, sender: text), .unregister(text)].map {
            try? AutopushClientMessage(parsing: $0.text)
        }
        guard let channel = ChannelID(text) else {
            guard messages.allSatisfy({ $0 == nil }) else { throw BrokenProperty("an invalid channel is taken") }
            return
        }
        guard case .register(channel, key: text)? = messages[0], case .unregister(channel)? = messages[1] else {
            throw BrokenProperty("the service reads another channel than the receiver sends")
        }
    }

    private static func checkAcknowledgement(of message: AutopushAnswer.Message) throws(BrokenProperty) {
        let text = AutopushMessage.acknowledge(message, .stored).text
        let read = try? AutopushClientMessage(parsing: text)
        guard let channel = ChannelID(message.channel) else {
            guard read == nil else { throw BrokenProperty("an acknowledgement of an invalid channel is taken") }
            return
        }
        guard case .ack(let updates)? = read, updates.count == 1, updates[0].channel == channel,
            updates[0].version == message.version
        else { throw BrokenProperty("an acknowledgement names another message") }
    }
}
