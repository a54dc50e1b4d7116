import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireSecrets
import WireService

/// Topics of an ntfy server as the endpoints of channels: senders post encrypted messages to them.
struct NtfyEndpoints: Sendable {
    let account: any WebPushAccount
    let url: Address
    let token: Secret<String>?
    let session: StreamSession

    /// The prefix by which the server recognizes such topics, and the length of what follows.
    private static let prefix = "up"
    private static let randomBytes = 9
    private static let idleLimit = Duration.seconds(120)
    /// How long the topic of a replaced channel is still read.
    private static let quiet = Duration.seconds(10)

    private var clock: TimeSource { session.present.host.clock }

    /// A channel with its topic.
    private struct Endpoint: Sendable {
        let channel: WebPushState.Channel
        let topic: String
        /// Whether the topic is new, and not stored as the endpoint yet.
        let isNew: Bool

        /// Whether it is read only for what is on its way.
        var isEnding: Bool { channel.isEnding }
    }

    /// Reads the topics of all channels, and again when the channels change, until the connection or the stream ends.
    func read(by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        await session.reading(until: leave) {
            do throws(Fault) {
                while !Task.isCancelled {
                    let endpoints = try await endpoints()
                    guard !endpoints.isEmpty else { break }
                    let isOpen = OneShot()
                    let end = await unlessChanged(from: endpoints, opened: isOpen) {
                        await read(endpoints, by: requests, opening: isOpen)
                    }
                    if let end { return end }
                }
                return StreamEnd("the stream was closed by the runner")
            } catch {
                return StreamEnd(NotificationFailure(notStored: error))
            }
        }
    }

    private func read(_ endpoints: [Endpoint], by requests: any ServerClient, opening isOpen: OneShot) async
        -> StreamEnd
    {
        let list = endpoints.map(\.topic).joined(separator: ",")
        var topics = NtfyTopics(url: url, list: list, idleLimit: Self.idleLimit)
        topics.authorization = token.map { Secret("Bearer \($0.reveal())") }
        guard let base = requests.url(of: url) else {
            return StreamEnd(.refused, "the server has no address in this environment", at: account.service.origin)
        }
        let reader = NtfyReader(topics: topics, session: session, requests: requests) {
            () async throws(NotificationFailure) in
            isOpen.fire()
            // The server rejects messages to a topic that was never read.
            for endpoint in endpoints where endpoint.isNew {
                let url = TargetPath.joined(base.description, endpoint.topic) + "?up=1"
                do throws(Fault) { try await account.opened(endpoint.channel.id, at: url, as: nil) } catch {
                    throw NotificationFailure(notStored: error)
                }
            }
        } accept: { (message, id, position) async throws(NotificationFailure) in
            let channel = endpoints.first { $0.topic == message["topic"]?.string }?.channel
            try await accept(message, id, of: channel, position)
        }
        return await reader.read()
    }

    // MARK: Topics

    /// The channels with their topics; new channels get new ones.
    private func endpoints() async throws(Fault) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        for channel in try await account.state.channels {
            guard channel.isRead else {
                // The server does not know who reads a topic.
                try await account.closed(channel.id)
                continue
            }
            let known = channel.endpoint.flatMap { try? WebURL(parsing: $0) }?.path.split(separator: "/").last
            let topic = if let known { String(known) } else { try newTopic() }
            endpoints.append(Endpoint(channel: channel, topic: topic, isNew: known == nil))
        }
        return endpoints
    }

    private func newTopic() throws(Fault) -> String {
        guard let secrecy = session.present.host.find(.secrecy) else { throw Fault("no random numbers available") }
        return Self.prefix + Base64URL.text(of: try secrecy.random(Self.randomBytes))
    }

    /// Works until it ends, or the channels differ from those it works on; then nil.
    private func unlessChanged(
        from endpoints: [Endpoint],
        opened isOpen: OneShot,
        _ work: @escaping @Sendable () async -> StreamEnd
    ) async -> StreamEnd? {
        await withTaskGroup(of: StreamEnd?.self) { group in
            group.addTask { await work() }
            group.addTask {
                for await _ in account.changes() {
                    guard let channels = try? await account.state.channels else { continue }
                    let isSame = channels.elementsEqual(endpoints) { channel, endpoint in
                        channel.id == endpoint.channel.id && channel.isRead && channel.isEnding == endpoint.isEnding
                    }
                    guard isSame else { return nil }
                }
                // Another account follows, or the task is cancelled.
                await untilCancelled()
                return nil
            }
            group.addTask {
                await isOpen.wait()
                guard endpoints.contains(where: \.isEnding), (try? await clock.sleep(Self.quiet)) != nil else {
                    await untilCancelled()
                    return nil
                }
                for endpoint in endpoints where endpoint.isEnding { try? await account.closed(endpoint.channel.id) }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    // MARK: Messages

    private func accept(_ message: JSONValue, _ id: String, of channel: WebPushState.Channel?, _ position: String?)
        async throws(NotificationFailure)
    {
        let text = message["message"]?.string ?? ""
        let body = message["encoding"]?.string == "base64" ? Base64.bytes(of: text) : Array(text.utf8)
        guard let channel, let body else {
            return try await session.skip(position, "it is for no subscription of this device")
        }
        let result: DecryptedPush
        do throws(Fault) { result = try await account.decrypt(body, of: channel.id) } catch {
            throw NotificationFailure(notStored: error)
        }
        switch result {
        case .unreadable(let reason): try await session.skip(position, reason)
        case .message(let bytes):
            let read: WebPushMessage
            do throws(Fault) { read = try WebPushMessage(bytes, of: channel, by: account.service.messages) } catch {
                return try await session.skip(position, error.reason)
            }
            _ = try await session.accept(
                read.content,
                id: read.id ?? id,
                of: read.registrar,
                expires: read.expires,
                position: position
            )
        }
    }
}
