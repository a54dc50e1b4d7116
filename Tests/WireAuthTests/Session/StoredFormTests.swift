import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireSQLite
import WireStore

@testable import WireAuth

/// The texts as earlier versions of the program have stored them.
@Suite("The stored form of sessions and locks")
struct StoredFormTests {
    static let signedIn = """
        {"schema":1,"server":"https://sso.example.com tasks","state":"signedIn","session":\
        {"id":"s-1","rotation":3,"uses":1,"grant":{"accessToken":"access-3","type":"Bearer","expires":1700000300000,\
        "refreshToken":"refresh-3","refreshExpires":1700086400000,"idToken":"id-3","scopes":["openid","profile"],\
        "user":{"issuer":"https://sso.example.com","subject":"ada","claims":{"name":"Ada","roles":["a",1,null],"big":18446744073709551615},\
        "authTime":1700000000}},"wall":1700000000000,"monotonic":5000001,"lifetime":300000000,"pin":"hash of 1234"}}
        """
    static let app = """
        {"schema":1,"server":"https://sso.example.com tasks","state":"signedIn","session":\
        {"id":"s-2","rotation":1,"uses":0,"grant":{"accessToken":"access-1","type":"Bearer","scopes":[]},\
        "wall":1700000000000,"monotonic":0}}
        """
    static let signedOut = """
        {"schema":1,"server":"https://sso.example.com tasks","state":"signedOut","reason":"wiped"}
        """
    static let blocked = """
        {"schema":1,"server":"https://sso.example.com tasks","state":"blocked","reason":"blocked"}
        """
    static let lock = """
        {"schema":1,"session":"s-1","pin":"hash of 1234","locked":true,"failures":2,"unjudged":1,"failed":7000000,\
        "usedWall":1700000000000,"usedMonotonic":5000001}
        """

    private let store: SharedStore
    private let repository: SessionRepository

    init() throws {
        store = try SharedStore()
        let stores = Stores(store.sqlite)
        repository = SessionRepository(stores, environment: "dev", mode: "user")
    }

    private func put(_ text: String, _ name: String) async throws {
        let value = NewValue(Array(text.utf8), type: "application/json", isSealed: true)
        _ = try await store.sqlite.put(value, under: "dev/user/\(name)", in: "corewire/auth", if: .always)
    }

    private func text(_ name: String) throws -> String? {
        let entry = try store.sqlite.entry("dev/user/\(name)", in: "corewire/auth")
        return entry.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("each stored session is read, and written in the same form", arguments: [signedIn, app, signedOut, blocked])
    func sessions(_ text: String) async throws {
        try await put(text, "session")
        let stored = try await #require(try repository.session())
        _ = try await repository.put(stored.record, after: stored.version)
        #expect(try self.text("session") == text)
        #expect(stored.record.server == "https://sso.example.com tasks")
    }

    @Test("a signed-in session has its tokens, its user and its PIN")
    func members() async throws {
        try await put(Self.signedIn, "session")
        let session = try await #require(try repository.session()?.record.session)
        #expect(session.id == "s-1")
        #expect(session.rotation == 3)
        #expect(session.unansweredRefreshes == 1)
        #expect(session.pin == "hash of 1234")
        #expect(
            session.life
                == TokenLifetime(wall: 1_700_000_000_000, monotonic: .microseconds(5_000_001), lifetime: .seconds(300))
        )
        #expect(session.grant.accessToken.reveal() == "access-3")
        #expect(session.grant.refreshToken?.reveal() == "refresh-3")
        #expect(session.grant.idToken?.reveal() == "id-3")
        #expect(session.grant.expires == 1_700_000_300_000)
        #expect(session.grant.refreshExpires == 1_700_086_400_000)
        #expect(session.grant.scopes == ["openid", "profile"])
        #expect(session.grant.user?.subject == "ada")
        #expect(session.grant.user?.authTime == 1_700_000_000)
        #expect(session.grant.user?.claims["name"]?.string == "Ada")
    }

    @Test("a stored session is restored when the service starts")
    func restoring() async throws {
        try await put(Self.signedIn.replacing("https://sso.example.com tasks", with: "test"), "session")
        try await put(Self.lock, "lock")
        let bench = try await Bench(LockTests.section, store: store)
        #expect(bench.state() == "locked")
        #expect(bench.service.user?.subject == "ada")
    }

    @Test("an ended session keeps its reason")
    func ended() async throws {
        try await put(Self.signedOut, "session")
        guard case .signedOut(.wiped) = try await #require(try repository.session()).record.content else {
            Issue.record("the session is not signed out")
            return
        }
        try await put(Self.blocked, "session")
        guard case .blocked(kind: "blocked") = try await #require(try repository.session()).record.content else {
            Issue.record("the session is not blocked")
            return
        }
    }

    @Test("a stored lock is read, and written in the same form")
    func locks() async throws {
        try await put(Self.lock, "lock")
        let stored = try await #require(try repository.lock())
        #expect(stored.record.isLocked)
        #expect(stored.record.session == "s-1")
        #expect(stored.record.pin == "hash of 1234")
        #expect(stored.record.failures == 2)
        #expect(stored.record.unjudged == 1)
        #expect(stored.record.failed == .seconds(7))
        #expect(stored.record.usedWall == 1_700_000_000_000)
        #expect(stored.record.usedMonotonic == .microseconds(5_000_001))
        #expect(String(decoding: stored.record.bytes, as: UTF8.self) == Self.lock)
    }

    static let unreadable = [
        ("a secret token", "the session in the store is not JSON"),
        (#"{"state":"signedIn"}"#, "the session in the store has an unknown format"),
        (signedIn.replacing(#""id":"s-1","#, with: ""), "the session in the store has an unknown format"),
        (signedIn.replacing("signedIn", with: "access-3"), "the session in the store has an unknown format"),
        (
            signedIn.replacing(#""schema":1"#, with: #""schema":2"#),
            "the session in the store was written by a later version"
        ),
    ]

    @Test("a session of an unknown format is left alone, and its text is not shown", arguments: unreadable)
    func unknownSessions(_ text: String, _ reason: String) async throws {
        try await put(text, "session")
        for _ in 0..<2 {
            do throws(StoreFailure) {
                _ = try await repository.session()
                Issue.record("the session was read")
            } catch {
                #expect(error.kind == .newer)
                #expect(error.reason == reason)
                #expect(error.help == "run the version that wrote the session, or sign out and in again")
            }
            await #expect(throws: StoreFailure.self) {
                try await repository.editSession { record throws(StoreFailure) in record = nil }
            }
        }
        #expect(try self.text("session") == text)
    }

    @Test(
        "a lock of an unknown format does not count as open",
        arguments: [
            "a secret hash", #"{"schema":1,"session":"s-1","locked":"no"}"#,
            lock.replacing("true", with: "null"), lock.replacing(#""schema":1"#, with: #""schema":2"#),
        ]
    )
    func unknownLocks(_ text: String) async throws {
        try await put(Self.signedIn, "session")
        try await put(text, "lock")
        do throws(StoreFailure) {
            _ = try await repository.lock()
            Issue.record("the lock was read")
        } catch {
            #expect(error.kind == .newer)
            #expect(error.reason == "the lock in the store has an unknown format")
        }
        await #expect(throws: Fault("the session cannot be read: the lock in the store has an unknown format")) {
            try await Bench(LockTests.section, store: store)
        }
        #expect(try self.text("lock") == text)
    }

    @Test("the lock of an ended session is removed, even one of an unknown format, and another session's stays")
    func removing() async throws {
        try await put(Self.lock, "lock")
        try await repository.removeLock(of: "s-2")
        #expect(try text("lock") != nil)
        try await repository.removeLock(of: "s-1")
        #expect(try text("lock") == nil)
        try await put("{}", "lock")
        try await repository.removeLock(of: "s-1")
        #expect(try text("lock") == nil)
    }

    @Test("the description of a stored session has no tokens")
    func secrecy() async throws {
        try await put(Self.signedIn, "session")
        var dumped = ""
        dump(try await repository.session(), to: &dumped)
        for token in ["access-3", "refresh-3", "id-3"] { #expect(!dumped.contains(token)) }
    }

    @Test("tokens that wait for their revocation are read, and written in the same form")
    func waitingTokens() throws {
        let text = """
            {"schema":1,"session":"s-1","rotation":3,"server":"https://sso.example.com tasks","accessToken":"access-3",\
            "expires":1700000300000,"refreshToken":"refresh-3","refreshExpires":1700086400000}
            """
        let ended = try #require(EndedGrant(Array(text.utf8)))
        #expect(ended.id == "s-1" && ended.rotation == 3 && ended.server == "https://sso.example.com tasks")
        #expect(ended.grant(1_700_000_000_000)?.refreshToken?.reveal() == "refresh-3")
        #expect(ended.grant(1_700_086_400_001) == nil)
        #expect(String(decoding: ended.bytes, as: UTF8.self) == text)
        #expect(EndedGrant(Array("{}".utf8)) == nil)
    }
}
