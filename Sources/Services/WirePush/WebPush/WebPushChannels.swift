import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WirePushContract
import WireSecrets
import WireService

/// The channels of this device at the Web Push service of the file: one for each registrar that gets a subscription.
///
/// Each owner of registrations has an account of their own, so that the service cannot link users.
final class WebPushChannels: Sendable {
    private let host: PushHost
    private let repository: PushRepository
    /// The service of the file; nil where there is none.
    let server: WebPushServer?
    private let changed = Subscribers<Void>()
    /// Why the service has rejected channels, by id.
    private let rejections = Mutex<[String: String]>([:])

    init(_ settings: PushSection, _ host: PushHost, _ repository: PushRepository) {
        (self.host, self.repository) = (host, repository)
        if let source = settings.tokens.webPush {
            server = source.server(in: host.places)
        } else if host.facts.backend == .embedded {
            server = WebPushServer(.autopush, at: Address(known: "autopush").stoodInFor(at: "autopush"), from: nil)
        } else {
            server = nil
        }
    }

    /// Calls those who follow the channels.
    func notify() { changed.notify(()) }
    func finish() { changed.finish() }

    // MARK: Tokens

    /// A request for the subscription of a registration.
    struct Request: Sendable {
        let registrar: String
        /// The tag of the owner.
        let tag: String
        /// The public key of the only sender.
        let sender: String?
        /// Whether a channel is opened where there is none.
        let isWanted: Bool
    }

    /// The subscription as a token; throws while the service has given no endpoint.
    func token(for request: Request) async throws(Fault) -> ProviderToken {
        guard let server else {
            throw Fault("no Web Push service in the file", help: "write 'push.tokens.webPush', or remove the provider")
        }
        var record = try account(of: request.tag)
        if request.isWanted, record?.current(request) == nil {
            let channel = try newChannel(for: request.registrar, sender: request.sender)
            record = try await edit(request.tag) { record in
                var account = record ?? WebPushRecord(server: server.scope)
                // The endpoints of another service are void.
                if account.server != server.scope { account = WebPushRecord(server: server.scope) }
                if account.current(request) == nil { account.add(channel) }
                record = account
            }
        }
        guard let channel = record?.current(request) else { throw Fault("no Web Push channel") }
        guard let subscription = channel.subscription else {
            throw Fault(rejections.withLock { $0[channel.id] } ?? Self.waiting, origin: server.origin)
        }
        return ProviderToken(.webPush, subscription.token)
    }

    private static let waiting = "the Web Push service has given no endpoint yet"

    /// Whether a registrar waits for an endpoint that the service has not refused.
    func isWaiting(for request: Request) -> Bool {
        guard let channel = try? account(of: request.tag)?.current(request), channel.endpoint == nil
        else { return false }
        return rejections.withLock { $0[channel.id] } == nil
    }

    private func newChannel(for registrar: String, sender: String?) throws(Fault) -> WebPushRecord.Channel {
        guard let crypto = host.find(.webPushCrypto) else { throw Fault("this program cannot decrypt Web Push") }
        let keys = try crypto.newKeys()
        return .init(id: UUIDText.random(), registrar: registrar, sender: sender, keys: keys)
    }

    // MARK: Ending

    /// Ends the channels of a registrar whose subscription it neither has nor is to get.
    func release(_ registrar: String, of tag: String, except tokens: [ProviderToken?], isWanted: Bool)
        async throws(Fault)
    {
        let kept = tokens.compactMap { $0?.provider == .webPush ? $0?.text : nil }
        let isOver = { @Sendable (channel: WebPushRecord.Channel) in
            guard channel.registrar == registrar, channel.keys != nil, !(isWanted && channel.isCurrent) else {
                return false
            }
            return !(channel.subscription.map { kept.contains($0.token) } ?? false)
        }
        guard try account(of: tag)?.channels.contains(where: isOver) ?? false else { return }
        try await edit(tag) { $0?.end(isOver) }
    }

    /// Ends the channels of some owners, and of registrars that are not in the file any more.
    func end(_ isMeant: @escaping @Sendable (_ tag: String) -> Bool) async throws(Fault) {
        for tag in try tags() where isMeant(tag) { try await edit(tag) { $0?.end { _ in true } } }
    }

    /// Makes new keys and endpoints for all channels; each former one ends once its registrar has the new one.
    func replaceAll() async throws(Fault) {
        for tag in try tags() { try await edit(tag) { $0?.replaceChannels() } }
    }

    /// Removes what no connection of this file can end: accounts at other services.
    func tidy(_ registrars: [String]) async throws(Fault) {
        for tag in try tags() {
            try await edit(tag) { [server] record in
                if record?.server != server?.scope { record = nil }
                record?.end { !registrars.contains($0.registrar) }
            }
        }
    }

    // MARK: Storage

    private func account(of tag: String) throws(Fault) -> WebPushRecord? { try repository.account(of: tag) }
    private func tags() throws(Fault) -> [String] { try repository.accountTags() }

    /// Changes an account; one without channels is removed.
    @discardableResult
    private func edit(_ tag: String, _ change: @Sendable (inout WebPushRecord?) -> Void) async throws(Fault)
        -> WebPushRecord?
    {
        let record = try await repository.editAccount(of: tag) { record in
            change(&record)
            if record?.channels.isEmpty ?? false { record = nil }
        }
        notify()
        return record
    }
}

// MARK: What connections see

extension WebPushChannels: WebPushAccounts {
    var accounts: [any WebPushAccount] {
        guard let server else { return [] }
        return ((try? tags()) ?? []).map { Account(tag: $0, service: server, channels: self) }
    }

    func changes() -> AsyncStream<Void> { changed.listen(beginningWith: ()) }

    /// The account of one owner.
    private struct Account: WebPushAccount {
        let tag: String
        let service: WebPushServer
        let channels: WebPushChannels

        var name: String { StoredTokens.isPerson(tag) ? "push.webPush.user" : "push.webPush" }
        var id: String { tag }
        var generation: String { "\(ObjectIdentifier(channels))" }

        func changes() -> AsyncStream<Void> { channels.changes() }

        var state: WebPushState {
            get throws(Fault) {
                let record = try channels.account(of: tag)
                return WebPushState(
                    name: record?.name,
                    channels: (record?.channels ?? []).map {
                        .init(id: $0.id, sender: $0.sender, endpoint: $0.endpoint, isEnding: $0.keys == nil)
                    }
                )
            }
        }

        func opened(_ channel: String, at endpoint: String, as name: String?) async throws(Fault) {
            channels.rejections.withLock { $0[channel] = nil }
            try await channels.edit(tag) { record in
                if let name { record?.name = name }
                record?.edit(channel) { $0.endpoint = endpoint }
            }
        }

        func rejected(_ channel: String, because reason: String) {
            channels.rejections.withLock { $0[channel] = reason }
            channels.notify()
        }

        func closed(_ channel: String) async throws(Fault) {
            try await channels.edit(tag) { record in record?.channels.removeAll { $0.id == channel && $0.keys == nil } }
        }

        func forgotten() async throws(Fault) {
            var fresh: [WebPushRecord.Channel] = []
            for channel in try channels.account(of: tag)?.channels ?? [] where channel.isCurrent {
                fresh.append(try channels.newChannel(for: channel.registrar, sender: channel.sender))
            }
            let new = fresh
            try await channels.edit(tag) { record in
                record?.name = nil
                record?.channels = new
            }
        }

        func decrypt(_ body: [UInt8], of channel: String) throws(Fault) -> DecryptedPush {
            guard let crypto = channels.host.find(.webPushCrypto) else {
                throw Fault("this program cannot decrypt Web Push")
            }
            guard let keys = try channels.account(of: tag)?.channels.first(where: { $0.id == channel })?.keys else {
                return .unreadable("the subscription has ended")
            }
            do throws(Fault) { return .message(try crypto.decrypt(body, with: keys)) } catch {
                return .unreadable(error.reason)
            }
        }
    }
}

extension WebPushServer {
    /// What an account belongs to.
    fileprivate var scope: String { "\(kind.rawValue) \(url.text)" }
}
