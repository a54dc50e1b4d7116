import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// Takes tokens back that are not used any more, for as long as it takes.
///
/// What is to be taken back is written down first, sealed, and removed when the server has answered: a process that ends in
/// between, or a server that fails, leaves it to whichever process of the group tries next. The tokens go to the server that
/// gave them and to no other: what another server gave waits until the file names that one again.
final class Revocations: Sendable {
    private let vault: SessionVault
    private let serverName: String
    private let server: any IdentityServer
    private let clock: Clockwork
    private let random: @Sendable () -> Double
    private let owner: String
    private let tell: @Sendable (News) -> Void
    private let waiting = Atomic(0)
    /// One at a time: who wants to know how much still waits learns what came of the one that is under way.
    private let asking = SharedWork<Result<Bool, StoreFailure>>()

    /// What is told of tokens that were not taken back at once.
    enum News: Sendable {
        case postponed(SignInFailure)
        case arrived(Revocation)
        /// The tokens have ended before the server could be told.
        case ended
    }

    init(
        _ vault: SessionVault,
        of serverName: String,
        _ server: any IdentityServer,
        owner: String,
        clock: Clockwork,
        random: @escaping @Sendable () -> Double,
        tell: @escaping @Sendable (News) -> Void
    ) {
        (self.vault, self.serverName, self.server, self.owner) = (vault, serverName, server, owner)
        (self.clock, self.random, self.tell) = (clock, random, tell)
    }

    /// How many sessions there are whose tokens are to be taken back.
    var count: Int { waiting.load(ordering: .relaxed) }

    // MARK: At once

    /// Writes down that the tokens of a session are to be taken back, before it is ended.
    ///
    /// Found while the session goes on, because its end could not be written down, it changes nothing.
    func prepare(_ session: SessionRecord.Session) async -> Bool {
        await keep(EndedGrant(session.grant, id: session.id, rotation: session.rotation, server: serverName))
    }

    /// The session did not end after all, or there is nothing to do for it any more.
    func forget(_ session: SessionRecord.Session) async {
        await remove(EndedGrant.name(session.id, session.rotation))
    }

    /// Takes back tokens that will not be used; where that fails it is tried again later.
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

    // MARK: Until it is done

    /// Tries again what waits; returns when the task is cancelled.
    func run() async {
        // A program that was started again, or a file that was mended, may help.
        await hasten()
        while !Task.isCancelled {
            do throws(StoreFailure) {
                if try await takeNext() { continue }
                try await vault.stores.queue.due(in: vault.endings)
            } catch {
                if (try? await clock.sleep(.seconds(5))) == nil { return }
            }
        }
    }

    /// The server was reached: what waits need not wait any longer.
    func hasten() async {
        look()
        guard count > 0 else { return }
        _ = try? await vault.stores.queue.hasten(.all(butAwaiting: ""), in: vault.endings)
    }

    /// Tries everything once, and returns how much still waits.
    func tryAll() async throws(StoreFailure) -> Int {
        _ = try await vault.stores.queue.hasten(.all(butAwaiting: ""), in: vault.endings)
        while !Task.isCancelled, try await takeNext() {}
        return try vault.stores.queue.usage(ofQueue: vault.endings).entries
    }

    /// Does what is due, or waits for what is under way; false where nothing is.
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
        look()
        // Longer than a server is waited for, so that no other process asks meanwhile.
        guard let claim = try await vault.stores.queue.claim(from: vault.endings, by: owner, for: .seconds(150)) else {
            return false
        }
        let next = try await next(claim)
        if let pause = next.pause {
            _ = try await vault.stores.queue.giveBack(claim, after: pause, because: next.reason)
            look()
        } else {
            await remove(claim.id)
        }
        if let news = next.news { tell(news) }
        return true
    }

    /// How long until tokens are tried again, and why; nil where there is nothing more to do for them.
    private func next(_ claim: ClaimedWork) async throws(StoreFailure) -> (
        pause: Duration?, reason: String, news: News?
    ) {
        guard let ended = EndedGrant(claim.payload), let grant = ended.grant(clock.wall(), age: claim.age) else {
            return (nil, "", .ended)
        }
        // Its end was never written down.
        if try vault.session()?.value.session?.id == ended.id { return (nil, "", nil) }
        guard ended.server == serverName else { return (Self.longest, "another server gave it", nil) }
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

    // MARK: What is written down

    private func keep(_ ended: EndedGrant) async -> Bool {
        defer { look() }
        let name = EndedGrant.name(ended.id, ended.rotation)
        // The end of a session asks the server at once; the queue leaves it alone for a while.
        let item = NewWork(id: name, lane: name, payload: ended.bytes, isSealed: true, delay: .seconds(5))
        return (try? await vault.stores.queue.add(item, to: vault.endings)) != nil
    }

    private func remove(_ name: String) async {
        _ = try? await vault.stores.queue.drop(name, from: vault.endings)
        look()
    }

    private func look() {
        guard let usage = try? vault.stores.queue.usage(ofQueue: vault.endings) else { return }
        waiting.store(usage.entries, ordering: .relaxed)
    }
}

/// Tokens of a session that has ended, as they wait to be taken back.
struct EndedGrant: Sendable {
    let id: String
    let rotation: Int
    let server: String
    private let whole: Grant

    /// How long tokens are tried whose end the server did not say.
    static let longest = Duration.seconds(30 * 86_400)

    init(_ grant: Grant, id: String, rotation: Int, server: String) {
        (whole, self.id, self.rotation, self.server) = (grant, id, rotation, server)
    }

    /// What of it has not ended; nil where all has.
    func grant(_ now: Int64, age: Duration) -> Grant? {
        guard age < Self.longest else { return nil }
        if whole.refreshToken != nil, whole.refreshExpires.map({ $0 > now }) ?? true { return whole }
        guard whole.expires.map({ $0 > now }) ?? true else { return nil }
        var grant = whole
        grant.refreshToken = nil
        return grant
    }

    /// A session may leave two: the tokens it ended with, and those that came while it did.
    static func name(_ id: String, _ rotation: Int) -> String { "\(id)-\(rotation)" }

    var bytes: [UInt8] {
        JSONValue.members([
            "schema": .integer(1), "session": .string(id), "rotation": .integer(rotation), "server": .string(server),
            "accessToken": .string(whole.accessToken.reveal()), "expires": whole.expires.map { .integer(Int($0)) },
            "refreshToken": whole.refreshToken.map { .string($0.reveal()) },
            "refreshExpires": whole.refreshExpires.map { .integer(Int($0)) },
        ]).bytes()
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "revocation"), let id = json["session"]?.string,
            let rotation = json["rotation"]?.integer, let server = json["server"]?.string,
            let access = json["accessToken"]?.string
        else { return nil }
        (self.id, self.rotation, self.server) = (id, rotation, server)
        whole = Grant(
            accessToken: Secret(access),
            type: "Bearer",
            expires: json["expires"]?.integer.map(Int64.init),
            refreshToken: json["refreshToken"]?.string.map { Secret($0) },
            refreshExpires: json["refreshExpires"]?.integer.map(Int64.init),
            scopes: []
        )
    }
}
