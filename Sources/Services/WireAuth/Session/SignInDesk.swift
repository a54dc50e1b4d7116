import Synchronization
import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// Leads one sign-in of a person at a time, from the wish to the session.
///
/// A second wish for the same flow joins the first, and is told the same to do; one for another flow ends the first.
final class SignInDesk: Sendable {
    let keeper: SessionKeeper
    let server: any IdentityServer
    private let doors: (any Doors)?
    let addons: SignInAddons?
    private let redirectURI: RedirectURI
    let clock: Clockwork
    private let state = Mutex(State())
    /// The sign-ins to be waited for, by whoever runs.
    private let begun: AsyncStream<Waiting>
    private let begin: AsyncStream<Waiting>.Continuation
    /// Rings when one is served no more.
    private let served = Signal()
    /// Who wishes the same flow at the same time joins what the first has begun.
    private let turns = [SignInFlow.browser: Turnstile(), .device: Turnstile(), .addon: Turnstile()]

    private struct State: Sendable {
        var waiting: Waiting?
        /// The sign-in somebody has come back for, while the server is asked for its tokens.
        var finishing: Waiting?
        /// Those that are waited for, or whose listeners are yet to be closed, by their numbers.
        var served: [Int: Waiting] = [:]
        var last = 0
        /// Nothing is begun any more.
        var isClosed = false
    }

    /// A sign-in somebody has to do something for.
    struct Waiting: Sendable {
        let task: SignInTask
        let way: Way
        let ending: OneShot

        enum Way: Sendable {
            case browser(PendingAuthorization, RedirectReceiver?)
            case device(PendingDevice)
            case addon

            /// What add-ons are told of it.
            var told: AddonSignIn.Way {
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
        _ keeper: SessionKeeper,
        _ server: any IdentityServer,
        doors: (any Doors)?,
        addons: SignInAddons?,
        redirectURI: RedirectURI,
        clock: Clockwork
    ) {
        self.keeper = keeper
        self.server = server
        self.doors = doors
        self.addons = addons
        self.redirectURI = redirectURI
        self.clock = clock
        (begun, begin) = AsyncStream.makeStream(of: Waiting.self, bufferingPolicy: .bufferingNewest(4))
    }

    /// How long a browser may take to come back, and an add-on to say who it is.
    static let patience = Duration.seconds(600)

    // MARK: Beginning

    /// Begins a sign-in, or joins the one of the same flow that waits already.
    func begin(_ wish: SignInWish) async throws(SignInFailure) -> SignInTask {
        guard let turn = turns[wish.flow] else { return try await beginAlone(wish) }
        return try await turn.alone { () async throws(SignInFailure) in try await beginAlone(wish) }
    }

    private func beginAlone(_ wish: SignInWish) async throws(SignInFailure) -> SignInTask {
        if state.withLock({ $0.isClosed }) { throw SignInFailure(.abandoned, "the service is being stopped") }
        let present = state.withLock { $0.waiting?.task }
        if let present, present.flow == wish.flow, present.ends > clock.monotonic() {
            if let pin = wish.pinHash { keeper.state.withLock { $0.pin = pin } }
            return present
        }
        // That of a sign-in which did not come about is nobody else's.
        keeper.state.withLock { $0.pin = wish.pinHash }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        do throws(SignInFailure) {
            switch wish.flow {
            case .browser: return try await beginBrowser(number)
            case .device: return try await beginDevice(number)
            case .password: return try await signIn(number, wish)
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
            return try await RedirectReceiver.open(for: redirectURI, doors, self)
        } catch {
            // Its port may be that of one that has ended, and is just being closed.
            guard state.withLock({ $0.served.values.contains { $0.ending.hasFired } }) else { throw error }
        }
        await served.wait(after: heard, atMost: .seconds(3), clock)
        return try await RedirectReceiver.open(for: redirectURI, doors, self)
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

    private func signIn(_ number: Int, _ wish: SignInWish) async throws(SignInFailure) -> SignInTask {
        let grant: Grant
        if let credentials = wish.credentials {
            grant = try await server.signIn(name: credentials.name, password: credentials.password)
        } else if let byItself = try await keeper.source.byItself?() {
            grant = byItself
        } else {
            throw SignInFailure(.invalidCredentials, "there is no user name and password", setting: .username)
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
            throw SignInFailure(.abandoned, "the service is being stopped")
        }
        former?.ending.fire()
        former?.task.verdict.settle(.replaced)
        keeper.handle(.signInBegan(waiting.task))
        keeper.changes.signal()
        // Where there are more than are kept, the oldest has long been replaced.
        if case .dropped(let oldest) = begin.yield(waiting) { await close(oldest) }
        return waiting.task
    }

    // MARK: Finishing

    /// Somebody has come back from the server to the redirect URI; the whole of it is the answer.
    ///
    /// An answer whose state is not that of the sign-in that waits changes nothing. The right one is taken once.
    ///
    /// Who calls is given what ends the sign-in, and its listener, and tells it when it has told how it went.
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
            throw SignInFailure(.wrongState, "the answer is of no sign-in that waits here")
        }
        taken(waiting.ending)
        try await complete(waiting) { () async throws(SignInFailure) in
            try await server.finish(pending, callback: callback)
        }
    }

    /// Asks the server for the tokens of a sign-in that was taken, and begins the session.
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
            await keeper.discard(grant)
            throw SignInFailure(.cancelled, "the sign-in was given up while the server was asked")
        }
        do throws(SignInFailure) {
            try await accept(grant)
            settle(waiting.task)
        } catch {
            fail(error, waiting.task)
            throw error
        }
    }

    /// Whether nobody has given up, or signed out, while the server was asked; true once.
    private func isStillWanted(_ waiting: Waiting) -> Bool {
        state.withLock { state in
            guard state.finishing?.task.number == waiting.task.number else { return false }
            state.finishing = nil
            return true
        }
    }

    private func accept(_ grant: Grant) async throws(SignInFailure) {
        do throws(StoreFailure) {
            try await keeper.begin(grant)
        } catch {
            await keeper.discard(grant)
            throw SignInFailure(.serverError, "the session could not be kept: \(error.reason)")
        }
        keeper.source.meters?.signedIn()
    }

    func fail(_ failure: SignInFailure, _ task: SignInTask? = nil) {
        keeper.source.meters?.signedIn(failure)
        let trouble = keeper.state.withLock { $0.settings.trouble(failure) }
        keeper.handle(.signInFailed(trouble, isBlocked: failure.kind == .blocked, of: task?.number))
        task?.verdict.settle(.failed(failure, trouble))
    }

    /// Tells those who wait for a sign-in who it has signed in, or that it counts for nothing any more.
    private func settle(_ task: SignInTask) {
        let user = keeper.state.withLock { $0.gate.facts?.user }
        task.verdict.settle(user.map { .signedIn($0) } ?? .replaced)
    }

    /// Gives up what waits; false where nothing does.
    @discardableResult
    func cancel() -> Bool {
        let given = state.withLock { state in
            defer { (state.waiting, state.finishing) = (nil, nil) }
            return [state.waiting, state.finishing].compactMap(\.self)
        }
        guard !given.isEmpty else { return false }
        keeper.handle(.signInCancelled)
        for one in given {
            one.task.verdict.settle(.cancelled)
            one.ending.fire()
        }
        return true
    }

    /// The sign-in that waits has come to its end in another way.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.ending.fire()
        if let waiting { settle(waiting.task) }
    }

    /// Begins nothing more, and gives up what waits.
    func close() {
        state.withLock { $0.isClosed = true }
        cancel()
    }

    // MARK: Waiting

    /// Waits for the people who sign in; returns when the task is cancelled.
    func keepWaiting() async {
        await withDiscardingTaskGroup { group in
            // Beside each other: one that has been replaced may take its time to end.
            for await waiting in begun {
                group.addTask {
                    if !waiting.ending.hasFired { await self.wait(for: waiting) }
                    await self.close(waiting)
                }
            }
        }
    }

    /// How many are waited for, or are being closed.
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
        guard late.value, take(waiting) else { return }
        let kind: SignInFailure.Kind = waiting.task.flow == .device ? .deviceCodeExpired : .abandoned
        fail(SignInFailure(kind, "no user has signed in in time"), waiting.task)
    }

    /// Takes a sign-in that waits, so that nobody else ends it; false where somebody has.
    func take(_ waiting: Waiting, finishing: Bool = false) -> Bool {
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
                // Whoever has ended it has told so; the question broke off because of that.
                if Task.isCancelled { return }
                // The way to the server may mend before the code ends.
                if error.helpsToRetry, state.withLock({ $0.waiting?.task.number == waiting.task.number }) { continue }
                if take(waiting) { fail(error, waiting.task) }
                return
            }
            guard take(waiting) else { return await keeper.discard(grant) }
            do throws(SignInFailure) {
                try await accept(grant)
                return settle(waiting.task)
            } catch {
                return fail(error, waiting.task)
            }
        }
    }
}
