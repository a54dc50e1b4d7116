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
    /// What is known of channels without an endpoint, by id.
    private struct Pending {
        /// When it was first waited for, on the monotonic clock.
        var since: Duration
        /// Why the service has rejected it.
        var rejection: String?
        /// Why it has not given an endpoint yet.
        var delay: String?

        var reason: String? { rejection ?? delay }
    }

    let host: PushHost
    let repository: PushRepository
    /// The service of the file; nil where there is none.
    let server: WebPushServer?
    private let changed = Subscribers<Void>()
    private let waited = Subscribers<Void>()
    private let pending = Mutex<[String: Pending]>([:])
    /// When the service has last forgotten an account, by its name.
    private let forgettings = Mutex<[String: Duration]>([:])

    init(_ settings: PushSection, _ host: PushHost, _ repository: PushRepository) {
        (self.host, self.repository) = (host, repository)
        let (isEmbedded, source) = (host.facts.backend == .embedded, settings.tokens.webPush)
        let named = source?.server(at: settings.tokens.$webPush, in: host.places)
        if isEmbedded, source?.isDistributor ?? true {
            // The embedded servers have no bus.
            let embedded = Address(known: "autopush").stoodInFor(at: "autopush")
            server = WebPushServer(.autopush(embedded), from: named?.origin, messages: named?.messages)
        } else {
            server = named
        }
    }

    /// Calls those who follow the channels.
    func notify() { changed.notify(()) }

    func changes() -> AsyncStream<Void> { changed.listen(beginningWith: ()) }

    func finish() {
        changed.finish()
        waited.finish()
    }

    // MARK: Tokens

    /// A request for the subscription of a registration.
    struct Request: Sendable {
        /// The name of the registrar, and a digest of its server.
        let registrar, server: String
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
        let name = repository.accountName(of: request.tag)
        var record = try await account(name)
        if request.isWanted, record?.current(request) == nil {
            let channel = try newChannel(for: request)
            record = try await edit(name) { record in
                // The endpoints of another service are void.
                var account = record.flatMap { $0.server == server.scope ? $0 : nil } ?? .init(server: server.scope)
                if account.current(request) == nil { account.add(channel) }
                record = account
            }
        }
        guard let channel = record?.current(request) else { throw Fault("no Web Push channel") }
        guard let subscription = channel.subscription else {
            throw Fault(
                note(channel) ?? "the Web Push service has given no endpoint yet",
                help: "'corewire notifications streams' shows the connection to it",
                origin: server.origin
            )
        }
        return ProviderToken(.webPush, subscription.token)
    }

    /// Notes that a channel is waited for; returns why it has no endpoint.
    private func note(_ channel: WebPushRecord.Channel) -> String? {
        let now = host.clock.monotonic()
        let known = pending.withLock { pending in
            let known = pending[channel.id]
            pending[channel.id] = known ?? Pending(since: now)
            return known
        }
        if known == nil { waited.notify(()) }
        return known?.reason
    }

    /// The time after which another provider is tried.
    static let patience = Duration.seconds(60)

    /// Whether an endpoint is about to come.
    func isWaiting(for request: Request) async -> Bool {
        let record = try? await account(repository.accountName(of: request.tag))
        guard let channel = record?.current(request), channel.endpoint == nil else { return false }
        return pending.withLock { pending in
            guard let state = pending[channel.id] else { return true }
            return state.rejection == nil && host.clock.monotonic() - state.since < Self.patience
        }
    }

    /// Yields whenever a channel begins to wait for its endpoint.
    func waits() -> AsyncStream<Void> { waited.listen() }

    private func newChannel(for request: Request) throws(Fault) -> WebPushRecord.Channel {
        .init(
            id: UUIDText.random(),
            registrar: request.registrar,
            server: request.server,
            sender: request.sender,
            keys: try newKeys()
        )
    }

    private func newKeys() throws(Fault) -> WebPushKeys {
        guard let crypto = host.find(.webPushCrypto) else { throw Fault("this program cannot decrypt Web Push") }
        return try crypto.newKeys()
    }

    // MARK: Ending

    /// Ends the channels of a registration besides that of its token, and the current one where `keepsCurrent`.
    ///
    /// Where `isReplaced`, messages on their way are still read.
    func release(
        _ registrar: String,
        of tag: String,
        except token: ProviderToken?,
        keepsCurrent: Bool,
        isReplaced: Bool
    ) async throws(Fault) {
        let kept = token?.provider == .webPush ? token?.text : nil
        for name in try await names() {
            // A registration has one owner at a time: the device, or the present user.
            let isOwners = name.tag == tag
            guard isOwners || StoredTokens.isPerson(name.tag) != StoredTokens.isPerson(tag) else { continue }
            let isOver = { @Sendable (channel: WebPushRecord.Channel) in
                guard channel.registrar == registrar, !channel.isEnding else { return false }
                let isKept = kept != nil && channel.subscription?.token == kept
                return !(isOwners && (isKept || (keepsCurrent && channel.isCurrent)))
            }
            guard try await account(name)?.channels.contains(where: isOver) ?? false else { continue }
            try await edit(name) { $0?.end(readingOn: isReplaced && isOwners, isOver) }
        }
    }

    /// Ends all channels of some owners, whose messages are not read any more.
    func end(_ isMeant: (_ tag: String) -> Bool) async throws(Fault) {
        try await each(try names().filter { isMeant($0.tag) }) { $0?.end(readingOn: false) { _ in true } }
    }

    /// Makes new keys and endpoints for all channels; each former one ends once its registrar has the new one.
    func replaceAll() async throws(Fault) {
        guard server != nil else {
            throw Fault("the file has no Web Push service", help: "write 'push.tokens.webPush'")
        }
        try await each(try names()) { $0?.replaceChannels() }
    }

    /// Ends channels of registrars that this file does not have.
    func tidy(_ registrars: [String]) async throws(Fault) {
        let here = server?.scope
        try await each(try names()) { record in
            if record?.server != here { record = nil }
            record?.end(readingOn: false) { !registrars.contains($0.registrar) }
        }
    }

    /// Ends the channels of the other environments, as far as they are at the service of this file.
    func endForeign() async throws(Fault) {
        let (here, foreign) = (server?.scope, try await repository.accountNames().filter(\.isForeign))
        try await each(foreign) { record in
            if record?.server == here { record?.end(readingOn: false) { _ in true } }
        }
    }

    /// Changes accounts; a failure does not stop the others, and what cannot be read is removed.
    private func each(_ names: [PushRepository.AccountName], _ change: @Sendable (inout WebPushRecord?) -> Void)
        async throws(Fault)
    {
        var fault: Fault?
        for name in names {
            do throws(Fault) {
                guard try await repository.isReadable(name) else { continue }
                try await edit(name, change)
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
    }

    // MARK: Storage

    /// The accounts of this environment.
    private func names() async throws(Fault) -> [PushRepository.AccountName] {
        try await repository.accountNames().filter { !$0.isForeign }
    }

    /// An account at the service of the file; nil for one at another service.
    private func account(_ name: PushRepository.AccountName) async throws(Fault) -> WebPushRecord? {
        let record = try await repository.account(name)
        return record?.server == server?.scope ? record : nil
    }

    /// Changes an account; one without channels is removed.
    @discardableResult
    private func edit(_ name: PushRepository.AccountName, _ change: @Sendable (inout WebPushRecord?) -> Void)
        async throws(Fault) -> WebPushRecord?
    {
        let before = try await repository.account(name)
        let record = try await repository.editAccount(name) { record in
            change(&record)
            if record?.channels.isEmpty ?? false { record = nil }
        }
        if record != before { notify() }
        return record
    }
}

// MARK: What connections see

extension WebPushChannels: WebPushAccounts {
    var accounts: [any WebPushAccount] {
        get async throws(Fault) {
            guard let server else { return [] }
            var accounts: [any WebPushAccount] = []
            for name in try await repository.accountNames() {
                guard let record = try await repository.readableAccount(name), record.server == server.scope,
                    !name.isForeign || record.channels.allSatisfy(\.isEnding)
                else { continue }
                accounts.append(Account(stored: name, service: server, channels: self))
            }
            return accounts
        }
    }

    /// The account of one owner.
    private struct Account: WebPushAccount {
        let stored: PushRepository.AccountName
        let service: WebPushServer
        let channels: WebPushChannels

        var name: String {
            if stored.isForeign { return "push.webPush.former" }
            return StoredTokens.isPerson(stored.tag) ? "push.webPush.\(stored.tag)" : "push.webPush"
        }
        var id: String { stored.id }
        var generation: String { "\(ObjectIdentifier(channels))" }

        func changes() -> AsyncStream<Void> { channels.changes() }

        var state: WebPushState {
            get async throws(Fault) {
                let record = try await channels.account(stored)
                return WebPushState(
                    name: record?.name,
                    channels: (record?.channels ?? []).map { channel in
                        .init(
                            id: channel.id,
                            of: channel.registrar,
                            sender: channel.sender,
                            endpoint: channel.endpoint,
                            distributor: channel.distributor,
                            isEnding: channel.isEnding,
                            isRead: channel.keys != nil
                        )
                    }
                )
            }
        }

        /// Changes the account, unless it is one of another service by now.
        private func edit(_ change: @Sendable (inout WebPushRecord) -> Void) async throws(Fault) {
            try await channels.edit(stored) { record in
                guard var account = record, account.server == service.scope else { return }
                change(&account)
                record = account
            }
        }

        func opened(_ channel: String, at endpoint: String, as name: String?) async throws(Fault) {
            let reason = channels.pending.withLock { $0.removeValue(forKey: channel)?.reason }
            try await edit { $0.open(channel, at: endpoint, as: name) }
            // The reason no longer holds, even where the endpoint is the same.
            if reason != nil { channels.notify() }
        }

        func rejected(_ channel: String, because reason: String) async {
            await note(channel) { ($0.rejection, $0.delay) = (reason, nil) }
        }

        func delayed(_ channel: String, because reason: String) async {
            await note(channel) { ($0.rejection, $0.delay) = (nil, reason) }
        }

        private func note(_ channel: String, _ change: (inout Pending) -> Void) async {
            let now = channels.host.clock.monotonic()
            guard (try? await channels.account(stored))?.channels.contains(where: { $0.id == channel }) ?? false else {
                return
            }
            let isNew = channels.pending.withLock { pending in
                let former = pending[channel]
                var present = former ?? Pending(since: now)
                change(&present)
                pending[channel] = present
                return former?.reason != present.reason
            }
            if isNew { channels.notify() }
        }

        func closed(_ channel: String) async throws(Fault) {
            try await edit { account in account.channels.removeAll { $0.id == channel && $0.isEnding } }
        }

        /// The time within which a service that forgets an account again is rejected.
        private static let forgettingPause = Duration.seconds(600)

        func forgotten() async throws(Fault) -> Bool {
            let now = channels.host.clock.monotonic()
            let last = channels.forgettings.withLock { $0[stored.id] }
            if let last, now - last < Self.forgettingPause { return false }
            var keys: [String: WebPushKeys] = [:]
            for channel in try await channels.account(stored)?.channels ?? [] where channel.isCurrent {
                keys[channel.id] = try channels.newKeys()
            }
            let new = keys
            try await edit { account in
                account.name = nil
                account.channels = account.channels.compactMap { channel in
                    guard channel.isCurrent, let keys = new[channel.id] else { return nil }
                    return .init(
                        id: UUIDText.random(),
                        registrar: channel.registrar,
                        server: channel.server,
                        sender: channel.sender,
                        keys: keys
                    )
                }
            }
            channels.forgettings.withLock { $0[stored.id] = now }
            return true
        }

        func decrypt(_ body: [UInt8], of channel: String) async throws(Fault) -> DecryptedPush {
            guard let crypto = channels.host.find(.webPushCrypto) else {
                throw Fault("this program cannot decrypt Web Push")
            }
            guard let keys = try await channels.account(stored)?.channels.first(where: { $0.id == channel })?.keys
            else {
                return .unreadable("the subscription has ended")
            }
            do throws(Fault) { return .message(try crypto.decrypt(body, with: keys)) } catch {
                return .unreadable(error.reason)
            }
        }
    }
}
