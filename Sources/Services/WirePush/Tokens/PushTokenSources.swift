import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WirePushContract
import WireSecrets
import WireService

/// Reads provider tokens from their sources, and chooses that of the preferred provider that has one.
final class PushTokenSources: Sendable {
    /// The result of asking a provider, and its round.
    private struct Found {
        let round: Int
        let result: Result<ProviderToken, Fault>
    }

    private struct State {
        var found: [PushProvider: Found] = [:]
        /// The requests in progress; each fires at its end.
        var asking: [PushProvider: OneShot] = [:]
        var supplies: [PushProvider: any TokenSupply] = [:]
        /// The providers without a token, so that they are not asked three times again each round.
        var failed: [PushProvider: (fault: Fault, until: Duration)] = [:]
        /// The last token of each provider.
        var last: [PushProvider: ProviderToken] = [:]
    }

    let settings: PushSection
    let host: PushHost
    let repository: PushRepository
    let webPush: WebPushChannels
    private let state = Mutex(State())

    init(_ settings: PushSection, _ host: PushHost, _ repository: PushRepository, _ webPush: WebPushChannels) {
        (self.settings, self.host, self.repository, self.webPush) = (settings, host, repository, webPush)
    }

    /// The number of attempts before the next provider is tried, and the pause between them.
    static let tries = 3
    private static let pause = Duration.seconds(1)
    /// The pause after a failure, where asking runs a program.
    private static let rest = Duration.seconds(60)
    /// The lifetime of a printed token without one of its own.
    private static let lifetime = Duration.seconds(3 * 3_600)

    // MARK: Choosing

    /// One round: each provider is asked at most once in it, for all servers.
    struct Round: Sendable {
        let kept: StoredTokens
        fileprivate let number: Int
        /// The last round that asks all providers again.
        fileprivate let forced: Int

        init(_ kept: StoredTokens, number: Int, forced: Int) {
            (self.kept, self.number, self.forced) = (kept, number, forced)
        }
    }

    /// The order of providers where a registrar has none of its own.
    func order(_ kept: StoredTokens) -> [PushProvider] { kept.providers ?? settings.providers }

    /// The token for a list of providers: a manual one, or that of the first provider that has one.
    ///
    /// A subscription of Web Push is made for the request alone; while it is about to come, no further provider is tried.
    func choose(among providers: [PushProvider], for request: WebPushChannels.Request, in round: Round)
        async throws(Fault) -> ProviderToken
    {
        if let manual = round.kept.manual, providers.contains(manual.provider) { return manual }
        var faults: [(PushProvider, Fault)] = []
        for provider in providers {
            do throws(Fault) {
                guard provider == .webPush else { return try await found(provider, in: round).get() }
                return try await webPush.token(for: request)
            } catch {
                faults.append((provider, error))
                if provider == .webPush, await webPush.isWaiting(for: request) { break }
            }
        }
        guard let first = faults.first else { throw Fault("no provider is configured") }
        throw Fault(
            faults.count == 1
                ? "no token of \(first.0.rawValue): \(first.1.reason)"
                : "no provider has a token: "
                    + faults.map { "\($0.0.rawValue): \($0.1.reason)" }.joined(separator: "; "),
            help: first.1.help,
            origin: first.1.origin
        )
    }

    /// The last token of each provider.
    var last: [ProviderToken] {
        state.withLock { state in PushProvider.allCases.compactMap { state.last[$0] } }
    }

    /// The result of asking a provider in this round, or in a later one that has begun meanwhile.
    private func found(_ provider: PushProvider, in round: Round) async -> Result<ProviderToken, Fault> {
        while true {
            enum Turn {
                case known(Result<ProviderToken, Fault>)
                case mine(isForced: Bool)
                case others
            }
            let turn = state.withLock { state -> Turn in
                let found = state.found[provider]
                if let found, found.round >= round.number { return .known(found.result) }
                guard state.asking[provider] == nil else { return .others }
                state.asking[provider] = OneShot()
                return .mine(isForced: (found?.round ?? 0) < round.forced)
            }
            switch turn {
            case .known(let result): return result
            case .others: await otherAsker(of: provider)
            case .mine(let isForced):
                let result = await result(of: provider, round.kept, isForced)
                let asking = state.withLock { state in
                    state.found[provider] = Found(round: round.number, result: result)
                    return state.asking.removeValue(forKey: provider)
                }
                asking?.fire()
                return result
            }
        }
    }

    /// Waits until a request of other callers ends, which is when they are cancelled at the latest.
    private func otherAsker(of provider: PushProvider) async {
        await state.withLock { $0.asking[provider] }?.waitIgnoringCancellation()
    }

    private func result(of provider: PushProvider, _ kept: StoredTokens, _ isForced: Bool) async
        -> Result<ProviderToken, Fault>
    {
        do throws(Fault) {
            return .success(try await token(of: provider, kept, isForced))
        } catch {
            return .failure(error)
        }
    }

    /// Forgets the results of a provider, as if it had never been asked.
    func forget(_ provider: PushProvider) {
        state.withLock { state in
            (state.supplies[provider], state.last[provider], state.failed[provider]) = (nil, nil, nil)
        }
    }

    // MARK: One provider

    private func token(of provider: PushProvider, _ kept: StoredTokens, _ isForced: Bool) async throws(Fault)
        -> ProviderToken
    {
        let now = host.clock.monotonic()
        let failed = state.withLock { $0.failed[provider] }
        if let failed, !isForced, now < failed.until { throw failed.fault }
        // After three failures, one attempt a round is enough.
        let tries = failed == nil || isForced ? Self.tries : 1
        var fault = Fault("the provider was not queried")
        for attempt in 1...tries {
            if attempt > 1 { try? await host.clock.sleep(Self.pause) }
            do throws(Fault) {
                let token = ProviderToken(provider, try await ask(provider, kept, isForced && attempt == 1))
                let isNew = state.withLock { state in
                    defer { (state.failed[provider], state.last[provider]) = (nil, token) }
                    return state.last[provider]?.text != token.text
                }
                if isNew {
                    host.find(.addonHooks)?.notify(
                        .tokenCame,
                        .tokenCame(provider: provider.rawValue, token: Secret(token.text))
                    )
                }
                return token
            } catch {
                fault = error
            }
            if Task.isCancelled || !isWorthAsking(provider) { break }
        }
        fault.origin = fault.origin ?? origin(of: provider)
        let told = fault
        let until = host.clock.monotonic() + (isCheap(provider) ? .zero : Self.rest)
        state.withLock { state in
            state.failed[provider] = (told, until)
            state.last[provider] = nil
        }
        host.find(.addonHooks)?.notify(
            .tokenFailed,
            .tokenFailed(provider: provider.rawValue, reason: told.reason)
        )
        throw told
    }

    func origin(of provider: PushProvider) -> ValueOrigin? {
        host.places.origin(of: settings.tokens.place(of: provider), "push.tokens.\(provider.rawValue)")
    }

    private func isCheap(_ provider: PushProvider) -> Bool {
        switch settings.tokens[provider] {
        case .shape(.program): false
        case .word(.app): host.find(.pushTokenCode)?[provider.rawValue] == nil
        default: true
        }
    }

    /// Whether asking again may help: a token that the app has not set arrives by a wakeup.
    private func isWorthAsking(_ provider: PushProvider) -> Bool {
        switch settings.tokens[provider] {
        case nil, .shape(.text)?: false
        case .word(.app)?: host.find(.pushTokenCode)?[provider.rawValue] != nil
        case .shape?: true
        }
    }

    private func ask(_ provider: PushProvider, _ kept: StoredTokens, _ isForced: Bool) async throws(Fault) -> String {
        switch settings.tokens[provider] {
        case .word(.app)?: return try await handed(provider, kept)
        case .shape(.text(let secret))?: return try checked(secret.reveal())
        case .shape(.file(let file))?: return try await supplied(provider, .file(file.path), isForced)
        case .shape(.variable(let name))?: return try await supplied(provider, .variable(name.text), isForced)
        case .shape(.program(let program))?:
            var call = ProgramCall(program.get.program, program.get.arguments.map(\.text))
            call.timeLimit = program.timeout
            return try await supplied(
                provider,
                .program(call, lifetime: Self.lifetime),
                isForced,
                timeLimit: program.timeout + .seconds(5)
            )
        case nil:
            guard host.facts.backend == .embedded else {
                throw Fault(
                    "no token source in the file",
                    help: "write 'push.tokens.\(provider.rawValue)', or remove the provider from the list"
                )
            }
            return try await made(provider, kept)
        }
    }

    private func handed(_ provider: PushProvider, _ kept: StoredTokens) async throws(Fault) -> String {
        if let code = host.find(.pushTokenCode)?[provider.rawValue] {
            do {
                if let token = try await code.get() { return try checked(token.reveal()) }
            } catch let fault as Fault {
                throw fault
            } catch {
                throw Fault("the add-on failed")
            }
        }
        guard let token = kept.handed.first(where: { $0.provider == provider }) else {
            throw Fault(
                "the app has not set the token",
                help: "run 'corewire push token set \(provider.rawValue)', or PUT /v1/push/tokens/\(provider.rawValue)"
            )
        }
        return token.text
    }

    private func supplied(
        _ provider: PushProvider,
        _ source: TokenOrigin,
        _ isForced: Bool,
        timeLimit: Duration = .seconds(30)
    ) async throws(Fault) -> String {
        guard let sources = host.find(.tokenSources) else { throw Fault("no token sources available in this runner") }
        let fresh = { sources.supply(source, timeLimit: timeLimit, from: self.origin(of: provider)) }
        // A forced request discards the last token and the pause after failures.
        let supply = state.withLock { state in
            if isForced { state.supplies[provider] = nil }
            let supply = state.supplies[provider] ?? fresh()
            state.supplies[provider] = supply
            return supply
        }
        do throws(Fault) {
            return try checked(try await supply.token(minimumLifetime: .zero).value.reveal())
        } catch {
            state.withLock { $0.supplies[provider] = nil }
            throw error
        }
    }

    // MARK: Tokens

    static let mostBytes = 4_096

    private func checked(_ token: String) throws(Fault) -> String {
        guard Self.isToken(token) else {
            throw Fault("invalid token: expected 1 to \(Self.mostBytes) visible characters")
        }
        return token
    }

    /// Tokens are sent in header fields and addresses: visible ASCII only.
    static func isToken(_ text: String) -> Bool {
        (1...mostBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Generates a token for embedded servers, once in an environment.
    private func made(_ provider: PushProvider, _ kept: StoredTokens) async throws(Fault) -> String {
        if let token = kept.made.first(where: { $0.provider == provider }) { return token.text }
        guard let bytes = try? host.find(.secrecy)?.random(provider == .apns ? 32 : 120) else {
            throw Fault("no random numbers available in this runner")
        }
        let token = ProviderToken(provider, provider == .apns ? Hexadecimal.text(of: bytes) : Base64URL.text(of: bytes))
        let now = try await repository.editTokens { kept in
            // Another process of the group may have stored one first.
            if !kept.made.contains(where: { $0.provider == provider }) { kept.make(token) }
        }
        return now.made.first { $0.provider == provider }?.text ?? token.text
    }
}
