import Synchronization
import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// Runs the sign-ins of users, one at a time, from the request to the session.
///
/// A second request for the same flow joins the pending sign-in; one for another flow replaces it.
final class SignInCoordinator: Sendable {
    let manager: SessionManager
    let server: any IdentityServer
    private let listenerFactory: (any ListenerFactory)?
    let addons: SignInAddons?
    private let redirectURI: RedirectURI
    let clock: TimeSource
    private let state = Mutex(State())
    /// The sign-ins for the waiting task.
    private let begun: AsyncStream<Waiting>
    private let begin: AsyncStream<Waiting>.Continuation
    /// Signals the end of a sign-in.
    private let served = ChangeSignal()
    /// Concurrent requests for the same flow join the first one.
    private let turns = [SignInFlow.browser: AsyncMutex(), .device: AsyncMutex(), .addon: AsyncMutex()]

    private struct State: Sendable {
        var waiting: Waiting?
        /// The sign-in with a callback, while its tokens are requested.
        var finishing: Waiting?
        /// The sign-ins that are pending or being closed, by number.
        var served: [Int: Waiting] = [:]
        var last = 0
        /// Whether new sign-ins are refused.
        var isClosed = false
    }

    /// A pending sign-in that needs the user.
    struct Waiting: Sendable {
        let task: SignInTask
        let way: Way
        let ending: OneShot

        enum Way: Sendable {
            case browser(PendingAuthorization, RedirectReceiver?)
            case device(PendingDevice)
            case addon

            /// The description for add-ons.
            var addonWay: AddonSignIn.Way {
                switch self {
                case .browser(let pending, _): .open(url: pending.url, redirectURI: pending.redirectURI)
                case .device(let pending):
                    .enter(code: pending.userCode, at: pending.verificationURI, complete: pending.completeURI)
                case .addon: .credentials
                }
            }
        }

        func close() async {
            if case .browser(_, let receiver?) = way { await receiver.close() }
        }
    }

    init(
        _ manager: SessionManager,
        _ server: any IdentityServer,
        listenerFactory: (any ListenerFactory)?,
        addons: SignInAddons?,
        redirectURI: RedirectURI,
        clock: TimeSource
    ) {
        self.manager = manager
        self.server = server
        self.listenerFactory = listenerFactory
        self.addons = addons
        self.redirectURI = redirectURI
        self.clock = clock
        (begun, begin) = AsyncStream.makeStream(of: Waiting.self, bufferingPolicy: .bufferingNewest(4))
    }

    /// The timeout of a browser or an add-on.
    static let patience = Duration.seconds(600)

    // MARK: Beginning

    /// Begins a sign-in, or joins the pending one of the same flow.
    func begin(_ options: SignInOptions) async throws(SignInFailure) -> SignInTask {
        guard let turn = turns[options.flow] else { return try await beginAlone(options) }
        return try await turn.alone { () async throws(SignInFailure) in try await beginAlone(options) }
    }

    private func beginAlone(_ options: SignInOptions) async throws(SignInFailure) -> SignInTask {
        if state.withLock({ $0.isClosed }) { throw SignInFailure(.abandoned, "the service is stopping") }
        let present = state.withLock { $0.waiting?.task }
        if let present, present.flow == options.flow, present.ends > clock.monotonic() {
            if let pin = options.pinHash { manager.state.withLock { $0.pin = pin } }
            return present
        }
        // The PIN of a failed sign-in must not apply to the next one.
        manager.state.withLock { $0.pin = options.pinHash }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        do throws(SignInFailure) {
            switch options.flow {
            case .browser: return try await beginBrowser(number)
            case .device: return try await beginDevice(number)
            case .password: return try await signIn(number, options)
            case .addon: return try await beginAddon(number)
            }
        } catch {
            fail(error)
            throw error
        }
    }

    private func beginBrowser(_ number: Int) async throws(SignInFailure) -> SignInTask {
        let receiver = try await openReceiver()
        let pending: PendingAuthorization
        do throws(SignInFailure) {
            pending = try await server.beginAuthorization(
                redirectURI: receiver?.redirectURI ?? redirectURI.description
            )
        } catch {
            await receiver?.close()
            throw error
        }
        let task = SignInTask(
            number: number,
            flow: .browser,
            ask: .open(url: pending.url),
            ends: clock.monotonic() + Self.patience
        )
        return try await start(Waiting(task: task, way: .browser(pending, receiver), ending: OneShot()))
    }

    private func openReceiver() async throws(SignInFailure) -> RedirectReceiver? {
        let heard = served.count
        do throws(SignInFailure) {
            return try await RedirectReceiver.open(for: redirectURI, listenerFactory, self)
        } catch {
            // The port may be that of a sign-in that is just being closed.
            guard state.withLock({ $0.served.values.contains { $0.ending.hasFired } }) else { throw error }
        }
        await served.wait(after: heard, atMost: .seconds(3), clock)
        return try await RedirectReceiver.open(for: redirectURI, listenerFactory, self)
    }

    private func beginDevice(_ number: Int) async throws(SignInFailure) -> SignInTask {
        let pending = try await server.beginDevice()
        let ask = SignInTask.Ask.enter(
            code: pending.userCode,
            at: pending.verificationURI,
            complete: pending.completeURI
        )
        let task = SignInTask(number: number, flow: .device, ask: ask, ends: pending.ends)
        return try await start(Waiting(task: task, way: .device(pending), ending: OneShot()))
    }

    private func beginAddon(_ number: Int) async throws(SignInFailure) -> SignInTask {
        guard let addons, addons.isHeard else { throw SignInAddons.absence }
        let task = SignInTask(number: number, flow: .addon, ask: .addon, ends: clock.monotonic() + Self.patience)
        return try await start(Waiting(task: task, way: .addon, ending: OneShot()))
    }

    private func signIn(_ number: Int, _ options: SignInOptions) async throws(SignInFailure) -> SignInTask {
        let grant: Grant
        if let credentials = options.credentials {
            grant = try await server.signIn(name: credentials.name, password: credentials.password)
        } else if let byItself = try await manager.source.automaticSignIn?() {
            grant = byItself
        } else {
            throw SignInFailure(.invalidCredentials, "missing user name and password", setting: .username)
        }
        try await accept(grant)
        let task = SignInTask(number: number, flow: .password, ask: .wait, ends: clock.monotonic())
        settle(task)
        return task
    }

    private func start(_ waiting: Waiting) async throws(SignInFailure) -> SignInTask {
        let (former, isClosed): (Waiting?, Bool) = state.withLock { state in
            guard !state.isClosed else { return (nil, true) }
            defer { state.waiting = waiting }
            state.served[waiting.task.number] = waiting
            return (state.waiting, false)
        }
        guard !isClosed else {
            await waiting.close()
            throw SignInFailure(.abandoned, "the service is stopping")
        }
        former?.ending.fire()
        former?.task.verdict.settle(.replaced)
        manager.handle(.signInBegan(waiting.task))
        manager.changes.signal()
        // The oldest beyond the limit was replaced long ago.
        if case .dropped(let oldest) = begin.yield(waiting) { await close(oldest) }
        return waiting.task
    }

    // MARK: Finishing

    /// Accepts a callback at the redirect URI.
    ///
    /// A callback with the state of another sign-in changes nothing. The right one is accepted once.
    ///
    /// The caller gets the end of the sign-in with its listener, and fires it after the page with the result is sent.
    func finish(callback: String, taken: (OneShot) -> Void) async throws(SignInFailure) {
        let found: (Waiting, PendingAuthorization)? = state.withLock { state in
            guard let waiting = state.waiting, case .browser(let pending, _) = waiting.way,
                let given = CallbackURL(callback)?.state,
                isEqual(Array(given.utf8), Array(pending.state.utf8))
            else { return nil }
            state.waiting = nil
            state.finishing = waiting
            return (waiting, pending)
        }
        guard let (waiting, pending) = found else {
            throw SignInFailure(.wrongState, "the response belongs to no pending sign-in")
        }
        taken(waiting.ending)
        try await complete(waiting) { () async throws(SignInFailure) in
            try await server.finish(pending, callback: callback)
        }
    }

    /// Requests the tokens of an accepted callback, and begins the session.
    func complete(_ waiting: Waiting, _ ask: () async throws(SignInFailure) -> Grant)
        async throws(SignInFailure)
    {
        let grant: Grant
        do throws(SignInFailure) {
            grant = try await ask()
        } catch {
            if isStillWanted(waiting) { fail(error, waiting.task) } else { waiting.task.verdict.settle(.replaced) }
            throw error
        }
        guard isStillWanted(waiting) else {
            waiting.task.verdict.settle(.replaced)
            await manager.discard(grant)
            throw SignInFailure(.cancelled, "the sign-in was cancelled during the token request")
        }
        do throws(SignInFailure) {
            try await accept(grant)
            settle(waiting.task)
        } catch {
            fail(error, waiting.task)
            throw error
        }
    }

    /// Whether the sign-in was not cancelled during the token request; true once.
    private func isStillWanted(_ waiting: Waiting) -> Bool {
        state.withLock { state in
            guard state.finishing?.task.number == waiting.task.number else { return false }
            state.finishing = nil
            return true
        }
    }

    private func accept(_ grant: Grant) async throws(SignInFailure) {
        do throws(StoreFailure) {
            try await manager.begin(grant)
        } catch {
            await manager.discard(grant)
            throw SignInFailure(.serverError, "the session could not be stored: \(error.reason)")
        }
        manager.source.meters?.signedIn()
    }

    func fail(_ failure: SignInFailure, _ task: SignInTask? = nil) {
        manager.source.meters?.signedIn(failure)
        let trouble = manager.state.withLock { $0.settings.trouble(failure) }
        manager.handle(.signInFailed(trouble, isBlocked: failure.kind == .blocked, of: task?.number))
        task?.verdict.settle(.failed(failure, trouble))
    }

    /// Resolves a sign-in with its user, or as outdated.
    private func settle(_ task: SignInTask) {
        let user = manager.state.withLock { $0.machine.facts?.user }
        task.verdict.settle(user.map { .signedIn($0) } ?? .replaced)
    }

    /// Cancels the pending sign-in; false where there is none.
    @discardableResult
    func cancel() -> Bool {
        let given = state.withLock { state in
            defer { (state.waiting, state.finishing) = (nil, nil) }
            return [state.waiting, state.finishing].compactMap(\.self)
        }
        guard !given.isEmpty else { return false }
        manager.handle(.signInCancelled)
        for one in given {
            one.task.verdict.settle(.cancelled)
            one.ending.fire()
        }
        return true
    }

    /// Ends the pending sign-in after another result.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.ending.fire()
        if let waiting { settle(waiting.task) }
    }

    /// Refuses new sign-ins, and cancels the pending one.
    func close() {
        state.withLock { $0.isClosed = true }
        cancel()
    }

    // MARK: Waiting

    /// Processes pending sign-ins; returns when the task is cancelled.
    func keepWaiting() async {
        await withDiscardingTaskGroup { group in
            // Concurrently: a replaced sign-in may take time to end.
            for await waiting in begun {
                group.addTask {
                    if !waiting.ending.hasFired { await self.wait(for: waiting) }
                    await self.close(waiting)
                }
            }
        }
    }

    /// The number of sign-ins that are pending or being closed.
    var servedCount: Int { state.withLock { $0.served.count } }

    private func close(_ waiting: Waiting) async {
        await waiting.close()
        state.withLock { $0.served[waiting.task.number] = nil }
        served.signal()
    }

    private func wait(for waiting: Waiting) async {
        let clock = clock
        let late = Flag(false)
        var works: [@Sendable () async -> Void] = [
            { await waiting.ending.wait() },
            {
                try? await clock.sleep(max(.zero, waiting.task.ends - clock.monotonic()))
                if !Task.isCancelled { late.value = true }
            },
        ]
        switch waiting.way {
        case .browser(_, let receiver?):
            works.append { await receiver.run() }
        case .browser(_, nil): break
        case .device(let pending): works.append { await self.poll(pending, waiting) }
        case .addon: break
        }
        if let addons { works.append { await self.ask(addons, waiting) } }
        await firstOf(works)
        guard late.value, claim(waiting) else { return }
        let kind: SignInFailure.Kind = waiting.task.flow == .device ? .deviceCodeExpired : .abandoned
        fail(SignInFailure(kind, "the sign-in timed out"), waiting.task)
    }

    /// Claims a pending sign-in for its end; false where another task has.
    func claim(_ waiting: Waiting, finishing: Bool = false) -> Bool {
        state.withLock { state in
            guard state.waiting?.task.number == waiting.task.number else { return false }
            state.waiting = nil
            if finishing { state.finishing = waiting }
            return true
        }
    }

    private func poll(_ pending: PendingDevice, _ waiting: Waiting) async {
        var pending = pending
        while true {
            do { try await clock.sleep(pending.interval) } catch { return }
            let grant: Grant
            do throws(SignInFailure) {
                guard let given = try await server.poll(&pending) else { continue }
                grant = given
            } catch {
                // The task that cancelled the request has reported the result.
                if Task.isCancelled { return }
                // The connection may recover before the code expires.
                if error.helpsToRetry, state.withLock({ $0.waiting?.task.number == waiting.task.number }) { continue }
                if claim(waiting) { fail(error, waiting.task) }
                return
            }
            guard claim(waiting) else { return await manager.discard(grant) }
            do throws(SignInFailure) {
                try await accept(grant)
                return settle(waiting.task)
            } catch {
                return fail(error, waiting.task)
            }
        }
    }
}
