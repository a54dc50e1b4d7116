import Synchronization
import WireBase
import WireConfig
import WireSecrets
import WireService
import WireStore

extension AutopushMailboxes {
    /// The endpoint of a URL; nil for one that this server has not given.
    func endpoint(at url: String) async throws -> AutopushEndpoint? {
        guard let start = origin.map({ "\($0)/wpush/" }), url.hasPrefix(start) else { return nil }
        let parts = url.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return try await names().endpoint(of: String(parts[1]), version: String(parts[0]))
    }

    /// Stores a message for a channel, and sends it if the receiver is connected; returns its version.
    func accept(_ message: AutopushMessage, for endpoint: AutopushEndpoint) async throws -> String {
        let names = try await names()
        return try await line.alone {
            guard let user = try await users.readable(endpoint.user.text)?.record else {
                throw EmbeddedError.autopushGone(103)
            }
            guard user.channels.contains(endpoint.channel.text) else { throw EmbeddedError.autopushGone(106) }
            let connection = state.withLock { $0.connections[endpoint.user] }
            let stored = try await waiting(for: endpoint.user)
            let id = AutopushMessageID(
                user: endpoint.user,
                hasTopic: message.topic != nil,
                number: (stored.map(\.number).max() ?? 0) + 1,
                nonce: try machine.secrecy.random(AutopushMessageID.nonceSize)
            )
            let version = try names.version(of: id)
            guard message.lifetime > 0 else {
                connection?.send(message.notification(version: version))
                return version
            }
            guard stored.count <= Self.limit else {
                // A receiver that is not connected is forgotten when it connects.
                if connection != nil { try await drop(endpoint.user) }
                return version
            }
            try await messages.put(message, of: id.key, if: .absent)
            if let topic = message.topic { try await replace(stored, topic, of: message.channel) }
            // Messages behind stored ones are sent after them.
            if let connection, connection.queue.withLock({ $0.isDrained }) {
                try await send(id, to: connection, inBatch: false, names)
            }
            return version
        }
    }

    /// Removes the earlier messages of a channel with a topic.
    private func replace(_ stored: [AutopushMessageID], _ topic: String, of channel: String) async throws {
        for id in stored where id.hasTopic {
            guard let message = try await messages.readable(id.key)?.record, message.topic == topic,
                message.channel == channel
            else { continue }
            try await messages.remove(id.key)
        }
    }

    /// Removes a message that is not acknowledged; returns whether the server has given this version.
    func withdraw(_ version: String) async throws -> Bool {
        guard let id = try await names().message(of: version) else { return false }
        try await line.alone { _ = try await messages.remove(id.key) }
        return true
    }
}
