import WireBase
import WireConfig
import WireMQTT
import WireService
import WireStore
import WireTelemetry

extension Broker {
    /// A subscriber of a message.
    private struct Target {
        let session: ClientSession
        var qos: QualityOfService
        var isRetained: Bool
        var ids: [UInt32]

        /// Whether the message can be sent now or kept.
        var isReachable: Bool { session.connection != nil || qos == .atLeastOnce }
    }

    /// Takes a message of a client; returns the code of its PUBACK, once the message is on the disk.
    func publish(_ packet: Publish, on connection: BrokerConnection) async throws -> ReasonCode {
        try await line.alone {
            guard let client = connection.client, session(of: connection) != nil else {
                throw BrokerStop(.sessionTakenOver)
            }
            try await removeExpired()
            return try await route(
                BrokerMessage(packet, now: machine.now),
                from: client.key,
                canRefuse: client.version == .v5 && packet.qos == .atLeastOnce
            )
        }
    }

    /// Passes a message on to its subscribers.
    ///
    /// Where the queue of one of them is full, a publisher that can be refused is; for other publishers the message is
    /// dropped for this subscriber. Throws where the store fails and the publisher would take it for acknowledged.
    func route(_ message: BrokerMessage, from publisher: String?, canRefuse: Bool) async throws -> ReasonCode {
        guard let topic = message.topic else { return .success }
        let (targets, full) = divide(try await targets(withRoomFor: message, topic, from: publisher), message)
        guard full.isEmpty || !canRefuse else { return .quotaExceeded }
        for target in full { noteLoss(of: target.session) }
        do {
            if message.content.isRetained, try await !retain(message, at: topic) {
                guard !canRefuse else { return .quotaExceeded }
                log.warning("a message of MQTT was not retained: there are too many", [:])
            }
            try await enqueue(
                targets.filter { $0.qos == .atLeastOnce }.map { ($0.session, delivery(of: message, to: $0)) }
            )
        } catch let failure as StoreFailure where failure.kind == .full {
            if canRefuse { return .quotaExceeded }
            guard message.content.qos == .atMostOnce else { throw failure }
            log.warning("a message of MQTT was not retained: the store is full", [:])
        }
        for target in targets where target.qos == .atMostOnce {
            target.session.connection?.sendUnlessBusy(delivery(of: message, to: target), at: machine.now)
        }
        return targets.isEmpty ? .noMatchingSubscribers : .success
    }

    /// Divides the subscribers into those whose queues have room for all their messages, and the others.
    private func divide(_ targets: [Target], _ message: BrokerMessage) -> (room: [Target], full: [Target]) {
        var counts: [String: Int] = [:]
        let sizeInMemory = targets.contains { !$0.session.isStored } ? message.size : 0
        var added = 0
        var divided: (room: [Target], full: [Target]) = ([], [])
        for target in targets {
            guard target.qos == .atLeastOnce else {
                divided.room.append(target)
                continue
            }
            let session = target.session
            let count = counts[session.key, default: 0] + 1
            let size = session.isStored ? 0 : sizeInMemory
            if session.queue.hasRoom(for: count), size == 0 || hasRoom(for: added + size) {
                (counts[session.key], added) = (count, added + size)
                divided.room.append(target)
            } else {
                divided.full.append(target)
            }
        }
        return divided
    }

    /// The subscribers of a message, after their expired messages were removed.
    private func targets(withRoomFor message: BrokerMessage, _ topic: TopicName, from publisher: String?) async throws
        -> [Target]
    {
        let levels = topic.levels
        let matching = sessions.values.filter { $0.hasSubscription(for: levels) }.sorted { $0.key < $1.key }
        for session in matching { try await removeExpired(of: session) }
        let count = message.content.qos == .atMostOnce ? 0 : matching.count { !$0.isStored }
        if count > 0, !hasRoom(for: message.size * count) {
            for session in sessions.values where !session.isStored { try await removeExpired(of: session) }
        }
        return targets(of: message, topic, from: publisher, among: matching)
    }

    /// Whether the messages in memory may have so many more bytes.
    func hasRoom(for size: Int) -> Bool { held.bytes + size <= BrokerLimits.held.bytes }

    private func removeExpired(of session: ClientSession) async throws {
        for item in session.queue.removeExpired(at: machine.now) { try await remove(item, of: session) }
    }

    private func noteLoss(of session: ClientSession) {
        guard !session.isFullTold else { return }
        session.isFullTold = true
        log.warning(
            "messages of MQTT are dropped: the queue of a session is full",
            ["client": .text(session.clientID.shown(upTo: 64)), "limit": .integer(BrokerLimits.queued)]
        )
    }

    // MARK: Subscribers

    private func targets(
        of message: BrokerMessage,
        _ topic: TopicName,
        from publisher: String?,
        among matching: [ClientSession]
    ) -> [Target] {
        var found: [Target] = []
        var groups: [TopicFilter: [Target]] = [:]
        let levels = topic.levels
        for session in matching {
            var whole: Target?
            for subscription in session.subscriptions where subscription.filter.matches(levels) {
                let options = subscription.options
                if options.isNoLocal, publisher == session.key { continue }
                var target = Target(
                    session: session,
                    qos: min(options.qos, message.content.qos),
                    isRetained: options.retainAsPublished && message.content.isRetained,
                    ids: subscription.id.map { [$0] } ?? []
                )
                if subscription.filter.group != nil {
                    guard target.isReachable else { continue }
                    groups[subscription.filter, default: []].append(target)
                    continue
                }
                if let other = whole {
                    target.qos = max(target.qos, other.qos)
                    target.isRetained = target.isRetained || other.isRetained
                    target.ids = other.ids + target.ids
                }
                whole = target
            }
            if let whole, whole.isReachable { found.append(whole) }
        }
        return found + groups.sorted { $0.key.text < $1.key.text }.compactMap { member(of: $0.value) }
    }

    /// Chooses the subscriber of a shared subscription: a connected one with room whose last turn is longest ago.
    private func member(of group: [Target]) -> Target? {
        func rank(_ target: Target) -> (Int, Int) {
            let session = target.session
            let isBusy = target.qos == .atLeastOnce && session.queue.isFull
            return ((isBusy ? 2 : 0) + (session.connection == nil ? 1 : 0), session.lastTurn)
        }
        let chosen = group.min { rank($0) < rank($1) }
        turn += 1
        chosen?.session.lastTurn = turn
        return chosen
    }

    private func delivery(of message: BrokerMessage, to target: Target) -> BrokerMessage {
        message.delivered(target.qos, id: 0, isRetained: target.isRetained, target.ids)
    }

    // MARK: Queues

    /// Adds messages to the queues of sessions, when they are stored where needed, and sends what can be sent.
    func enqueue(_ deliveries: [(session: ClientSession, message: BrokerMessage)]) async throws {
        var items: [(session: ClientSession, item: SessionQueue.Item)] = []
        var stored: [(key: String, message: BrokerMessage)] = []
        for (session, message) in deliveries {
            let number = session.queue.takeNumber()
            var message = message
            message.content.id = SessionQueue.id(of: number)
            if session.isStored {
                stored.append((session.key(of: number), message))
                items.append((session, SessionQueue.Item(stored: number, expires: message.expires)))
            } else {
                items.append((session, SessionQueue.Item(held: message, number: number)))
            }
        }
        do {
            try await stored.together { [messages] in _ = try await messages.put($0.message, of: $0.key, if: .always) }
        } catch {
            // The publisher sends it again.
            for (key, _) in stored { _ = try? await messages.remove(key) }
            throw error
        }
        for (session, item) in items { session.queue.add(item) }
        for (session, _) in items {
            do { try await sendNext(to: session) } catch {
                note(error)
                session.connection?.end(.unspecified)
            }
        }
    }

    /// Sends the next messages of a session, as many as the client takes without an acknowledgement.
    func sendNext(to session: ClientSession) async throws {
        guard let connection = session.connection, let window = connection.client?.window else { return }
        while let item = session.queue.next(upTo: window) {
            let now = machine.now
            var message = item.held
            if message == nil { message = try await messages.readable(session.key(of: item.number))?.record }
            if let message, message.topic != nil, !message.isExpired(at: now),
                connection.send(message.packet(isDuplicate: item.wasSent, at: now))
            {
                continue
            }
            // It has expired, is too large for this client or cannot be read.
            session.queue.skip(item)
            try await remove(item, of: session)
        }
    }

    /// Removes a message that the client has acknowledged.
    func acknowledge(_ id: UInt16, on connection: BrokerConnection) async throws {
        try await line.alone {
            guard let session = session(of: connection), let item = session.queue.acknowledge(id) else { return }
            session.isFullTold = false
            try await remove(item, of: session)
            try await sendNext(to: session)
        }
    }

    private func remove(_ item: SessionQueue.Item, of session: ClientSession) async throws {
        if item.held == nil { try await messages.remove(session.key(of: item.number)) }
    }
}
