import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireMQTT
import WireNetworkContract
import WireNotificationContract
import WireSecrets
import WireService
import WireTelemetry

/// Reads the topics of an MQTT broker until the connection ends.
///
/// A message is acknowledged when its notification is on the disk; where that is not possible the connection ends, and
/// the broker sends the message again.
struct MQTTReader: Sendable {
    let stream: MQTTStream
    let session: StreamSession
    let requests: any ServerClient

    private enum Turn: Sendable {
        case ended(StreamEnd), left
    }

    private var clock: TimeSource { session.present.host.clock }

    /// The time for connecting and subscribing.
    private static let patience = Duration.seconds(30)
    /// The size of a packet besides its payload.
    private static let margin = ByteCount.kibibytes(128)

    private var largestPacket: ByteCount { .bytes(session.present.settings.maxPayload.bytes + Self.margin.bytes) }

    func read(until leave: OneShot) async -> StreamEnd {
        let identity: MQTTIdentity
        do throws(StreamEnd) { identity = try await MQTTIdentity(of: stream, session) } catch { return error }
        let broker = BrokerSession(settings(identity), remembering: session.last)
        let opened = await withCancellation(leave) { () -> Result<BrokerLink, StreamEnd> in await open() }
        switch opened {
        case .success(let link):
            let end = await converse(on: link, broker, until: leave)
            await link.leave(within: .seconds(2))
            if leave.hasFired, session.endsForGood.hasFired, stream.version == .v3 { await forget(broker) }
            return end
        case .failure(let end): return end
        case nil: return StreamEnd("the stream was closed by the runner")
        }
    }

    private func settings(_ identity: MQTTIdentity) -> BrokerSession.Settings {
        BrokerSession.Settings(
            version: stream.version.wire,
            identity: identity,
            username: stream.username,
            password: stream.password,
            qos: stream.qos == 0 ? .atMostOnce : .atLeastOnce,
            expiry: UInt32(clamping: (stream.usedExpiry.inMicroseconds + 999_999) / 1_000_000),
            keepAlive: stream.keepAlive.every + stream.keepAlive.within,
            largestPacket: largestPacket,
            retained: stream.retained,
            online: stream.status?.online ?? "",
            offline: stream.status?.offline ?? ""
        )
    }

    // MARK: Opening

    private func open() async -> Result<BrokerLink, StreamEnd> {
        let call = session.call(to: .address(stream.url))
        guard stream.url.absolute?.isBroker == true else {
            let reader = socketReader
            do throws(SocketFailure) { return .success(.socket(try await reader.open(call, by: requests))) } catch {
                return .failure(reader.end(of: error))
            }
        }
        do throws(CallFailure) { return .success(.plain(try await requests.connect(call, clock: clock))) } catch {
            return .failure(StreamEnd(error))
        }
    }

    private var socketReader: SocketReader {
        SocketReader(
            session: session,
            subprotocols: ["mqtt"],
            keepAlive: stream.keepAlive,
            // Several packets may share a message.
            limit: max(.mebibytes(4), .bytes(largestPacket.bytes * 2))
        )
    }

    // MARK: The conversation

    private func converse(on link: BrokerLink, _ broker: BrokerSession, until leave: OneShot) async -> StreamEnd {
        let pulse = BrokerPulse(stream.keepAlive, clock, broker)
        send(broker.connect(), on: link)
        return await withTaskGroup(of: Turn.self) { group in
            group.addTask { .ended(await receive(from: link, broker, pulse)) }
            group.addTask {
                guard await pulse.isReady(within: Self.patience) else {
                    return .ended(
                        StreamEnd("the broker did not accept the client within \(Self.patience.literal.plainText)")
                    )
                }
                try? await pulse.watch { send(.ping, on: link) }
                return .ended(StreamEnd("the broker did not respond to a ping"))
            }
            group.addTask {
                await leave.wait()
                guard leave.hasFired else { return .left }
                await pulse.stopTaking()
                for packet in pulse.farewell(isFinal: session.endsForGood.hasFired) { send(packet, on: link) }
                // The broker usually closes the connection at once.
                try? await clock.sleep(.seconds(3))
                return .left
            }
            var end: StreamEnd?
            while let turn = await group.next() {
                group.cancelAll()
                if case .ended(let told) = turn { end = end ?? told }
            }
            return end ?? StreamEnd("the stream was closed by the runner")
        }
    }

    private func receive(from link: BrokerLink, _ broker: BrokerSession, _ pulse: BrokerPulse) async -> StreamEnd {
        var broker = broker
        var reader = PacketReader(
            stream.version.wire,
            limit: largestPacket,
            skipsLarge: true
        )
        while true {
            do throws(StreamEnd) {
                reader.add(try await link.receive())
                pulse.heard()
                var messages: [Publish] = []
                while let steps = steps(in: &reader, &broker) {
                    for step in steps {
                        if case .message(let message) = step {
                            messages.append(message)
                            if messages.count < Self.mostTogether { continue }
                        }
                        try await take(&messages, from: link, broker, pulse)
                        try await take(step, from: link, broker, pulse)
                    }
                }
                try await take(&messages, from: link, broker, pulse)
            } catch {
                var end = error
                // Two clients with one id take the session from each other with each message, and what the broker has
                // not read by then turns its close into a reset. So a connection was only good if it was stable.
                if end.isComplete, pulse.isOpen { end.mayBeTakenOver() }
                if end.kind == .refused { end.origin = end.origin ?? session.place }
                return end
            }
        }
    }

    /// The steps for the next packet; nil where it has not arrived as a whole.
    private func steps(in reader: inout PacketReader, _ broker: inout BrokerSession) -> [BrokerSession.Step]? {
        do throws(PacketError) { return try reader.next().map { broker.receive($0) } } catch {
            return broker.refuse(error)
        }
    }

    private func take(_ step: BrokerSession.Step, from link: BrokerLink, _ broker: BrokerSession, _ pulse: BrokerPulse)
        async throws(StreamEnd)
    {
        switch step {
        case .send(let packet): send(packet, on: link)
        case .accepted(let keepAlive): pulse.limit(to: keepAlive)
        case .lowered:
            session.present.host.log.notice(
                "the broker lowered the quality of service: messages can be lost",
                ["stream": .text(session.name)]
            )
        case .remember(let subscriptions):
            do throws(NotificationFailure) { try await session.saveLastEventID(behind: subscriptions) } catch {
                throw StreamEnd(error)
            }
        case .ready:
            session.opened()
            pulse.ready(broker)
        case .message: break
        case .end(let end): throw end
        }
    }

    /// The maximum number of messages that are stored together.
    private static let mostTogether = 32

    /// Stores messages that have arrived together, and acknowledges them in order.
    private func take(
        _ messages: inout [Publish],
        from link: BrokerLink,
        _ broker: BrokerSession,
        _ pulse: BrokerPulse
    ) async throws(StreamEnd) {
        let taken = messages
        messages = []
        guard !taken.isEmpty, pulse.beginTaking() else { return }
        defer { pulse.endTaking() }
        let failures = await MQTTMessages(stream: stream, session: session).take(taken)
        for (message, failure) in zip(taken, failures) where failure == nil {
            if message.qos == .atLeastOnce { send(Acknowledgement.message(message.id), on: link) }
            session.recordData()
        }
        if let failure = failures.compactMap(\.self).first {
            for packet in broker.busy { send(packet, on: link) }
            throw StreamEnd(failure)
        }
    }

    private func send(_ packet: Packet, on link: BrokerLink) {
        do throws(PacketError) { link.send(try packet.encoded(in: stream.version.wire)) } catch {
            session.present.host.log.warning(
                "a packet cannot be sent to a broker",
                ["stream": .text(session.name), "reason": .text(error.reason)]
            )
        }
    }

    // MARK: The session of 3.1.1

    /// Connects once more so that the broker drops the session, which 3.1.1 has no other way for.
    private func forget(_ broker: BrokerSession) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard case .success(let link) = await open() else { return }
                send(broker.connect(isClean: true), on: link)
                _ = try? await link.receive()
                send(.disconnect(Disconnect()), on: link)
                await link.leave(within: .seconds(2))
            }
            group.addTask { try? await clock.sleep(.seconds(5)) }
            await group.next()
            group.cancelAll()
        }
    }
}
