import WireBase
import WireMQTT
import WireService
import WireStore
import WireTelemetry

extension Broker {
    /// Adds subscriptions, and sends SUBACK and the retained messages.
    func subscribe(_ packet: Subscribe, on connection: BrokerConnection) async throws {
        try await line.alone {
            guard let session = session(of: connection) else { return }
            let id = packet.properties.numbers(of: .subscriptionID).first
            var codes: [ReasonCode] = []
            var retaining: [BrokerSubscription] = []
            for asked in packet.subscriptions {
                guard asked.filter.levelCount <= BrokerLimits.levels else {
                    codes.append(.invalidTopicFilter)
                    continue
                }
                var options = asked
                options.qos = min(asked.qos, .atLeastOnce)
                let subscription = BrokerSubscription(options, id: id)
                let former = session.subscriptions.firstIndex { $0.filter == options.filter }
                if let former {
                    session.subscriptions[former] = subscription
                } else if session.subscriptions.count < BrokerLimits.subscriptions,
                    options.filter.text.utf8.count <= BrokerLimits.name
                {
                    session.subscriptions.append(subscription)
                } else {
                    codes.append(.quotaExceeded)
                    continue
                }
                codes.append(ReasonCode(options.qos.rawValue))
                let isWanted = options.retainHandling == .always || options.retainHandling == .ifNew && former == nil
                let again = retaining.firstIndex { $0.filter == options.filter }
                if let again { retaining.remove(at: again) }
                if isWanted || again != nil, options.filter.group == nil { retaining.append(subscription) }
            }
            try await store(session)
            connection.send(.subscribeAck(SubscribeAck(packet.id, codes)))
            for subscription in retaining { try await sendRetained(to: session, for: subscription) }
        }
    }

    func unsubscribe(_ packet: Unsubscribe, on connection: BrokerConnection) async throws {
        try await line.alone {
            guard let session = session(of: connection) else { return }
            let codes = packet.filters.map { filter -> ReasonCode in
                let count = session.subscriptions.count
                session.subscriptions.removeAll { $0.filter == filter }
                return session.subscriptions.count < count ? .success : .noSubscriptionExisted
            }
            try await store(session)
            connection.send(.unsubscribeAck(SubscribeAck(packet.id, codes)))
        }
    }

    // MARK: Retained messages

    /// Keeps a message for later subscribers, or removes the one of its topic; false where there is no room.
    func retain(_ message: BrokerMessage, at topic: TopicName) async throws -> Bool {
        guard !message.content.payload.isEmpty else {
            if let entry = retained.removeValue(forKey: topic) { try await retainedMessages.remove(entry.key) }
            return true
        }
        let now = machine.now
        if retained[topic] == nil, retained.count >= BrokerLimits.retained {
            retained = retained.filter { $0.value.expires.map { $0 > now } ?? true }
        }
        guard retained[topic] != nil || retained.count < BrokerLimits.retained,
            topic.text.utf8.count <= BrokerLimits.name
        else { return false }
        let key = try machine.key(topic.text)
        let kept = message.delivered(message.content.qos, id: 1, isRetained: true, [])
        try await retainedMessages.put(kept, of: key, if: .always)
        retained[topic] = RetainedEntry(key: key, expires: message.expires)
        return true
    }

    private func sendRetained(to session: ClientSession, for subscription: BrokerSubscription) async throws {
        var dropped = 0
        let topics = retained.keys.filter { subscription.filter.matches($0) }.sorted { $0.text < $1.text }
        for topic in topics {
            guard session.connection?.isEnded == false else { return }
            let now = machine.now
            guard let entry = retained[topic], let message = try await retainedMessages.readable(entry.key)?.record,
                !message.isExpired(at: now)
            else { continue }
            let qos = min(subscription.options.qos, message.content.qos)
            let delivery = message.delivered(qos, id: 0, isRetained: true, subscription.id.map { [$0] } ?? [])
            if qos == .atMostOnce {
                if session.connection?.sendUnlessBusy(delivery, at: now) == false { dropped += 1 }
            } else if !session.queue.isFull,
                session.isStored || hasRoom(for: delivery.size)
            {
                try await enqueue([(session, delivery)])
            } else {
                dropped += 1
            }
        }
        guard dropped > 0 else { return }
        log.warning(
            "retained messages of MQTT were dropped: the client reads too slowly, or its queue is full",
            ["client": .text(session.clientID.shown(upTo: 64)), "count": .integer(dropped)]
        )
    }
}
