import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// Revokes unused tokens, with retries.
///
/// Tokens are queued, sealed, before the request, and removed when the server has answered: after a crash or a server
/// failure, any process of the group tries again. Tokens are sent only to the server that issued them: those of another
/// server wait until the file names that server again.
final class Revocations: Sendable {
    private let repository: SessionRepository
    private let serverName: String
    private let server: any IdentityServer
    private let clock: TimeSource
    private let random: @Sendable () -> Double
    private let tell: @Sendable (Outcome) -> Void
    private let waiting = Atomic(0)
    /// One revocation at a time; concurrent callers share its result.
    private let asking = SharedWork<Result<Bool, StoreFailure>>()

    /// The results that are reported later than the sign-out.
    enum Outcome: Sendable {
        case postponed(SignInFailure)
        case arrived(Revocation)
        /// The tokens expired before they could be revoked.
        case ended
    }

    init(
        _ repository: SessionRepository,
        of serverName: String,
        _ server: any IdentityServer,
        clock: TimeSource,
        random: @escaping @Sendable () -> Double,
        tell: @escaping @Sendable (Outcome) -> Void
    ) {
        (self.repository, self.serverName, self.server) = (repository, serverName, server)
        (self.clock, self.random, self.tell) = (clock, random, tell)
    }

    /// The number of sessions whose tokens are queued.
    var count: Int { waiting.load(ordering: .relaxed) }

    // MARK: At once

    /// Queues the tokens of a session before the session ends.
    ///
    /// An entry for a session that goes on, because its end could not be stored, has no effect.
    func prepare(_ session: SessionRecord.Session) async -> Bool {
        await keep(EndedGrant(session.grant, id: session.id, rotation: session.rotation, server: serverName))
    }

    /// Removes the entry of a session that did not end, or whose tokens are revoked.
    func forget(_ session: SessionRecord.Session) async {
        await remove(EndedGrant.name(session.id, session.rotation))
    }

    /// Revokes unused tokens; queues them for a retry after a failure.
    @discardableResult
    func revoke(_ session: SessionRecord.Session) async -> Revocation {
        let isKept = await prepare(session)
        do throws(SignInFailure) {
            let revocation = try await server.revoke(session.grant)
            await forget(session)
            return revocation
        } catch {
            tell(.postponed(error))
            return isKept ? .pending : .failed
        }
    }

    // MARK: Retries

    /// Retries queued revocations; returns when the task is cancelled.
    func run() async {
        // A restart of the program or a changed file may help.
        await expedite()
        while !Task.isCancelled {
            do throws(StoreFailure) {
                if try await takeNext() { continue }
                try await repository.store.queue.waitUntilDue(in: repository.endings)
            } catch {
                if (try? await clock.sleep(.seconds(5))) == nil { return }
            }
        }
    }

    /// The server was reached, so queued entries are due now.
    func expedite() async {
        await look()
        guard count > 0 else { return }
        _ = try? await repository.store.queue.expedite(.all(butAwaiting: ""), in: repository.endings)
    }

    /// Tries every entry once, and returns how many are left.
    func tryAll() async throws(StoreFailure) -> Int {
        _ = try await repository.store.queue.expedite(.all(butAwaiting: ""), in: repository.endings)
        while !Task.isCancelled, try await takeNext() {}
        return try await repository.store.queue.usage(ofQueue: repository.endings).entries
    }

    /// Processes the next due entry, or waits for the one in progress; false where none is due.
    private func takeNext() async throws(StoreFailure) -> Bool {
        let taken: Result<Bool, StoreFailure>
        do throws(SignInFailure) {
            taken = try await asking.value {
                do throws(StoreFailure) { return .success(try await takeDue()) } catch { return .failure(error) }
            }
        } catch {
            return false
        }
        return try taken.get()
    }

    private func takeDue() async throws(StoreFailure) -> Bool {
        await look()
        // Longer than the request timeout, so that no other process sends the same request.
        guard
            let claim = try await repository.store.queue.claim(from: repository.endings, for: .seconds(150))
        else {
            return false
        }
        let next = try await next(claim)
        if let pause = next.pause {
            _ = try await repository.store.queue.requeue(claim, after: pause, because: next.reason)
            await look()
        } else {
            await remove(claim.id)
        }
        if let outcome = next.outcome { tell(outcome) }
        return true
    }

    /// The pause before the next attempt and its reason; nil where the entry is done.
    private func next(_ claim: ClaimedWork) async throws(StoreFailure) -> (
        pause: Duration?, reason: String, outcome: Outcome?
    ) {
        guard claim.age < EndedGrant.longest else { return (nil, "", .ended) }
        guard let ended = EndedGrant(claim.payload) else {
            // A later version of the program, which another machine may run, can read the entry.
            return (Self.longest, "the entry has an unknown format", nil)
        }
        guard let grant = ended.grant(clock.wall()) else { return (nil, "", .ended) }
        // The end of the session was never stored.
        if try await repository.session()?.record.session?.id == ended.id { return (nil, "", nil) }
        guard ended.server == serverName else { return (Self.longest, "the token was issued by another server", nil) }
        do throws(SignInFailure) {
            return (nil, "", .arrived(try await server.revoke(grant)))
        } catch {
            let pause = Backoff.pause(
                after: claim.attempts + 1,
                error,
                from: .seconds(5),
                upTo: Self.longest,
                random: random()
            )
            return (pause, error.kind.rawValue, .postponed(error))
        }
    }

    private static let longest = Duration.seconds(600)

    // MARK: Queue entries

    private func keep(_ ended: EndedGrant) async -> Bool {
        let name = EndedGrant.name(ended.id, ended.rotation)
        // The end of a session sends the request at once; the queue delays its own attempt.
        let item = NewWork(id: name, lane: name, payload: ended.bytes, isSealed: true, delay: .seconds(5))
        let isKept = (try? await repository.store.queue.add(item, to: repository.endings)) != nil
        await look()
        return isKept
    }

    private func remove(_ name: String) async {
        _ = try? await repository.store.queue.drop(name, from: repository.endings)
        await look()
    }

    private func look() async {
        guard let usage = try? await repository.store.queue.usage(ofQueue: repository.endings) else { return }
        waiting.store(usage.entries, ordering: .relaxed)
    }
}

/// The queued tokens of an ended session.
struct EndedGrant: Sendable {
    let id: String
    let rotation: Int
    let server: String
    private let whole: Grant

    /// How long tokens without a known expiry are tried.
    static let longest = Duration.seconds(30 * 86_400)

    init(_ grant: Grant, id: String, rotation: Int, server: String) {
        (whole, self.id, self.rotation, self.server) = (grant, id, rotation, server)
    }

    /// The tokens that have not expired; nil where all have.
    func grant(_ now: Int64) -> Grant? {
        if whole.refreshToken != nil, whole.refreshExpires.map({ $0 > now }) ?? true { return whole }
        guard whole.expires.map({ $0 > now }) ?? true else { return nil }
        var grant = whole
        grant.refreshToken = nil
        return grant
    }

    /// A session may leave two entries: its last tokens, and those received while it ended.
    static func name(_ id: String, _ rotation: Int) -> String { "\(id)-\(rotation)" }
}

extension EndedGrant: JSONRecord {
    static let form = JSONForm<Self>("EndedGrant", "The tokens of an ended session.", version: 1, as: "schema")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("session", \.id, "The session.")
        rotation = try members.required("rotation", \.rotation, "The number of renewals of the session.")
        server = try members.required("server", \.server, "The server that has issued the tokens.")
        whole = Grant(
            accessToken: try members.required(
                "accessToken",
                { SecretText($0.whole.accessToken) },
                "The access token."
            ).secret,
            type: "Bearer",
            expires: try members.optional("expires", \.whole.expires, "The expiry of the access token."),
            refreshToken: try members.optional(
                "refreshToken",
                { $0.whole.refreshToken.map(SecretText.init) },
                "The refresh token."
            )?.secret,
            refreshExpires: try members.optional(
                "refreshExpires",
                \.whole.refreshExpires,
                "The expiry of the refresh token."
            ),
            scopes: []
        )
    }

    init?(_ bytes: [UInt8]) {
        guard let ended = try? Self(parsing: bytes, named: "revocation", toleratesUnknown: true) else { return nil }
        self = ended
    }
}
