import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireMQTT
import WireNotificationContract
import WireTransfer

/// A notification as a message to an MQTT broker: with QoS 1, so that it is sent when the broker has acknowledged it.
struct MQTTPost: Sendable {
    private let destination: OutgoingPush.MQTT
    private let message: Publish

    private let id: String

    /// The number of the only packet that needs one.
    private static let number: UInt16 = 1

    init(_ push: OutgoingPush, to destination: OutgoingPush.MQTT) throws(Failure) {
        guard let topic = TopicName(destination.topic) else {
            throw Failure(message: "the topic is not the name of a topic", status: .problemsFound)
        }
        id = push.notification.id ?? UUIDText.random()
        var message = Publish(
            topic,
            push.message(id).bytes(),
            .atLeastOnce,
            id: Self.number,
            isRetained: destination.isRetained
        )
        message.properties[text: .contentType] = "application/json"
        message.properties[number: .payloadFormat] = 1
        message.properties[number: .messageExpiry] = destination.lifetime.map {
            UInt32(clamping: ($0.inMicroseconds + 999_999) / 1_000_000)
        }
        (self.destination, self.message) = (destination, message)
    }

    func send(within limit: Duration, _ showing: Display) async throws -> ExitStatus {
        let client = try CommandClient.make(orFail: "the notification cannot be sent")
        let (published, ended) = (OneShot(), OneShot())
        let result = await withTaskGroup(of: Result<ReasonCode, Failure>?.self) { group in
            group.addTask {
                do throws(Failure) {
                    return .success(try await send(by: CommandRequests(client: client), published, ended))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await TimeSource.host.sleep(limit)
                // The rest is the end of the connection, which has a limit of its own.
                guard !ended.hasFired else { return nil }
                let reason = "the broker did not respond in time"
                return .failure(PushSendCommand.lost(reason, mayHaveArrived: published.hasFired))
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .failure(Failure(message: "not sent", status: .internalError))
        }
        await client.stop()
        let code = try result.get()
        showing.show(.members(["code": .integer(Int(code.rawValue)), "id": .string(id)])) { "sent\n" }
        return .success
    }

    /// Sends the message, with MQTT 3.1.1 to a broker that does not know MQTT 5; returns the code of PUBACK.
    ///
    /// Fires `published` when the message is given to the connection, and `ended` before the connection is closed.
    private func send(by requests: CommandRequests, _ published: OneShot, _ ended: OneShot) async throws(Failure)
        -> ReasonCode
    {
        for version in [ProtocolVersion.v5, .v3] {
            guard version == .v5 || destination.lifetime == nil else {
                throw Failure(
                    message: "not sent: the broker does not know MQTT 5, which --ttl requires",
                    status: .problemsFound
                )
            }
            let link = try await MQTTLink.open(destination.broker, version, publishing: published, by: requests)
            let outcome: Result<ReasonCode?, Failure>
            do throws(Failure) { outcome = .success(try await publish(on: link, in: version)) } catch {
                outcome = .failure(error)
            }
            if case .success(nil) = outcome {} else { ended.fire() }
            try? link.send(.disconnect(Disconnect()))
            await link.leave()
            if let code = try outcome.get() { return code }
        }
        throw Failure(message: "the broker knows neither MQTT 5 nor MQTT 3.1.1", status: .problemsFound)
    }

    /// Returns the code of PUBACK; nil where the broker does not know the version.
    private func publish(on link: MQTTLink, in version: ProtocolVersion) async throws(Failure) -> ReasonCode? {
        var connect = Connect(version, clientID: "", isClean: true, keepAlive: 60)
        connect.username = destination.username
        connect.password = destination.password.map { Array($0.reveal().utf8) }
        try link.send(.connect(connect))
        guard case .connectAck(let ack) = try await link.receive() else { throw link.unexpected }
        if ack.code == .unsupportedVersion { return nil }
        guard !ack.code.isFailure else { throw refusal(ofConnection: ack.code) }
        try check(ack.properties, in: version)
        try link.send(.publish(message))
        while true {
            switch try await link.receive() {
            case .acknowledge(let ack) where ack.kind == .publishAck && ack.id == Self.number:
                guard !ack.code.isFailure else { throw refusal(ack.code, of: "the message") }
                return ack.code
            case .disconnect(let disconnect) where Self.isEnd(disconnect.code):
                throw link.lost("the broker has closed the connection: \(disconnect.code)")
            case .disconnect(let disconnect): throw refusal(disconnect.code, of: "the message")
            // Nothing is subscribed.
            default: throw link.unexpected
            }
        }
    }

    /// Checks the message against the limits of the broker.
    private func check(_ limits: Properties, in version: ProtocolVersion) throws(Failure) {
        func reject(_ reason: String) -> Failure { Failure(message: "not sent: \(reason)", status: .problemsFound) }
        if limits[number: .maximumQoS] == 0 { throw reject("the broker does not acknowledge messages") }
        if limits[number: .retainAvailable] == 0, message.isRetained { throw reject("the broker retains no messages") }
        let size = (try? Packet.publish(message).encoded(in: version).count) ?? .max
        guard size <= limits[number: .maximumPacketSize] ?? .max else {
            throw reject("the message is too long for the broker")
        }
    }

    /// Whether DISCONNECT says nothing of the message.
    private static func isEnd(_ code: ReasonCode) -> Bool {
        [.success, .unspecified, .serverShuttingDown, .administrativeAction, .serverMoved].contains(code)
    }

    private func refusal(ofConnection code: ReasonCode) -> Failure {
        guard [.badCredentials, .notAuthorized, .badAuthenticationMethod, .banned].contains(code) else {
            return refusal(code, of: "the connection")
        }
        return Failure(
            message: destination.username == nil
                ? "the broker does not accept connections without a user name: \(code)"
                : "the broker does not accept the user name and password: \(code)",
            status: .noPermission,
            help: destination.username == nil ? "use --username and --password" : nil
        )
    }

    private func refusal(_ code: ReasonCode, of part: String) -> Failure {
        switch code {
        case .badCredentials, .notAuthorized, .banned, .badAuthenticationMethod:
            Failure(
                message: "the broker does not allow this sender to write to the topic: \(code)",
                status: .noPermission,
                help: destination.username == nil ? "use --username and --password" : nil
            )
        case .serverUnavailable, .serverBusy, .serverShuttingDown, .quotaExceeded, .connectionRateExceeded,
            .messageRateTooHigh:
            Failure(message: "the broker rejected \(part): \(code)", status: .temporary, help: "try again later")
        case .packetTooLarge:
            Failure(message: "the message is too long for the broker", status: .problemsFound)
        default: Failure(message: "the broker rejected \(part): \(code)", status: .problemsFound)
        }
    }
}
