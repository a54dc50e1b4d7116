import WireBase
import WireHTTP
import WireMessageBus
import WireNotificationContract
import WirePushContract
import WireService

/// Takes the calls of a distributor.
///
/// A distributor repeats a message until it gets a reply, if its server keeps messages at all. So each is replied to
/// once it is on the disk, or because it can never be read.
extension DistributorConnection {
    /// How long a call is kept that cannot be stored: common programs wait 25 seconds for a reply.
    private static let holdLimit = Duration.seconds(20)
    private static let holdPause = Duration.seconds(2)

    /// Answers calls in their order.
    func serve(_ calls: AsyncStream<BusIncomingCall>, _ version: UnifiedPush.Version, _ finder: DistributorFinder) async
    {
        for await call in calls {
            do throws(ConnectorRefusal) {
                let read = try ConnectorCall(call, version)
                guard await may(call.sender, make: read, finder) else {
                    throw ConnectorRefusal(.accessDenied, "only the distributor may call this")
                }
                try await check(read)
                try await take(read)
                call.answer(.values(read.reply(version)))
            } catch {
                session.noteRefusal(error.text)
                call.answer(error.answer)
            }
        }
    }

    /// Whether a program may make a call: a distributor that is not in use may bring what is left of its messages.
    ///
    /// Only distributors know tokens, so that the calls of other programs cost no requests to the bus.
    private func may(_ sender: String, make call: ConnectorCall, _ finder: DistributorFinder) async -> Bool {
        if sender == distributor?.owner { return true }
        guard let (_, channel) = try? await found(call.token) else { return false }
        if case .message = call { return await mayBringMessages(sender, of: channel, finder) }
        // It may have come a moment ago, or another one in its place.
        return (try? await finder.find())?.owner == sender
    }

    /// Whether a distributor that is not in use may bring messages: until the channel has the endpoint of another one, and
    /// those that were on their way then.
    private func mayBringMessages(_ sender: String, of channel: WebPushState.Channel, _ finder: DistributorFinder) async
        -> Bool
    {
        guard let names = try? await finder.names(of: sender), let name = names.first else { return false }
        guard let present = channel.distributor, !names.contains(present) else { return true }
        let registrations = names.map { FormerDistributors.Registration(channel: channel.id, distributor: $0) }
        guard let formers, !registrations.contains(where: formers.isRead) else { return true }
        formers.reject(.init(channel: channel.id, distributor: name))
        return false
    }

    /// Reports an endpoint that cannot be used: its channel has none.
    private func check(_ call: ConnectorCall) async throws(ConnectorRefusal) {
        guard case .newEndpoint(let endpoint, let token) = call, !PushEndpoint.isValid(endpoint, fromHere: true) else {
            return
        }
        let expected = "expected a URL of 'https' as 'endpoint'"
        if let (account, _) = try? await found(token) {
            await account.rejected(token, because: "the distributor gave an invalid endpoint: \(expected)")
        }
        throw ConnectorRefusal(.invalidArguments, expected)
    }

    /// Takes a call; where it cannot be stored, again for as long as the caller waits.
    private func take(_ call: ConnectorCall) async throws(ConnectorRefusal) {
        let due = clock.monotonic() + Self.holdLimit
        while true {
            let failure: NotificationFailure
            do throws(NotificationFailure) { return try await store(call) } catch { failure = error }
            guard clock.monotonic() + Self.holdPause <= due, (try? await clock.sleep(Self.holdPause)) != nil else {
                session.hindered(by: failure)
                throw ConnectorRefusal(.failed, "the message cannot be stored now")
            }
        }
    }

    private func store(_ call: ConnectorCall) async throws(NotificationFailure) {
        let isNews: Bool
        switch call {
        case .message(let message, let token): isNews = try await store(message, of: token)
        case .newEndpoint(let endpoint, let token):
            isNews = try await stored { () async throws(Fault) in try await store(endpoint, of: token) }
        case .unregistered(let token):
            // The end of a channel is confirmed so too; the first version then says no token.
            let isLost = try await stored { () async throws(Fault) in
                try await found(token).map { !$0.1.isEnding } ?? token.isEmpty
            }
            if isLost { registrations?.unregistered(token) }
            isNews = false
        }
        if isNews { recordNews() }
    }

    /// Reads or changes an account.
    private func stored(_ work: () async throws(Fault) -> Bool) async throws(NotificationFailure) -> Bool {
        do throws(Fault) { return try await work() } catch { throw NotificationFailure(notStored: error) }
    }

    private func found(_ token: String) async throws(Fault) -> (any WebPushAccount, WebPushState.Channel)? {
        for account in try await accounts.accounts {
            if let channel = try await account.state.channels.first(where: { $0.id == token }) {
                return (account, channel)
            }
        }
        return nil
    }

    /// Stores an endpoint; returns whether it is another one.
    private func store(_ endpoint: String, of token: String) async throws(Fault) -> Bool {
        guard let (account, channel) = try await found(token) else {
            registrations?.endUnknown(token)
            return false
        }
        guard !channel.isEnding else { return false }
        let name = distributor?.name
        try await account.opened(token, at: endpoint, as: name)
        registrations?.opened(token)
        if let name, let former = channel.distributor, former != name {
            formers?.leave(.init(channel: token, distributor: former))
        }
        return channel.endpoint != endpoint
    }

    private func store(_ message: ConnectorCall.Message, of token: String) async throws(NotificationFailure) -> Bool {
        let (account, channel): (any WebPushAccount, WebPushState.Channel)
        let decrypted: DecryptedPush
        do throws(Fault) {
            // A token that is not known here may be of another environment.
            guard let found = try await found(token), found.1.isRead else { return false }
            (account, channel) = found
            decrypted = await message.body.isEmpty ? .message([]) : try account.decrypt(message.body, of: token)
        } catch {
            throw NotificationFailure(notStored: error)
        }
        let read: WebPushMessage
        switch decrypted {
        case .unreadable(let reason):
            session.note(nil, reason)
            return false
        case .message(let bytes):
            do throws(Fault) { read = try WebPushMessage(bytes, of: channel, by: account.service.messages) } catch {
                session.note(nil, error.reason)
                return false
            }
        }
        return try await session.accept(
            read.content,
            id: read.id ?? message.digestedText(of: token).map { String(session.present.digest($0).prefix(24)) },
            of: read.registrar,
            expires: read.expires,
            position: nil
        )
    }
}

extension ConnectorCall.Message {
    /// What makes it a repetition of another message; nil where it is never one.
    ///
    /// Each encryption of the same text is another one. Ids begin again with some distributors, and so count only for
    /// messages without a body.
    fileprivate func digestedText(of token: String) -> String? {
        body.isEmpty ? id.map { "\(token) id \($0)" } : "\(token) \(Base64.text(of: body))"
    }
}
