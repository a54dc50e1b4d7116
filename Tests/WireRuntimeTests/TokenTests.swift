import Foundation
import Support
import Synchronization
import Testing
import WireConfig
import WireBase
import WireHost
import WireRuntime
import WireService

@Suite("Token sources", .timeLimit(.minutes(1)))
struct TokenTests {
    let clock = HandClock(wall: 1_800_000_000_000)
    let folder: TemporaryFolder
    let place = ValueOrigin(path: "push.tokens.apns", place: "test.json:3:4")

    init() throws { folder = try TemporaryFolder() }

    private func supply(_ origin: TokenOrigin, _ tokens: (any AccessTokens)? = nil, limit: Duration = .seconds(10))
        -> any TokenSupply
    {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let sources = HostTokenSources(
            folder: folder.url.path,
            clock: clock.clockwork,
            tokens: tokens,
            programs: ProgramRunner(Environment(["PATH": path]), folder: folder.url.path)
        )
        return sources.supply(origin, timeLimit: limit, from: place)
    }

    private func text(_ supply: any TokenSupply, _ lifetime: Duration = .seconds(60)) async throws -> String {
        try await supply.token(minimumLifetime: lifetime).value.reveal()
    }

    private func fault(_ supply: any TokenSupply) async -> Fault? {
        do throws(Fault) {
            _ = try await supply.token(minimumLifetime: .seconds(60))
            return nil
        } catch {
            return error
        }
    }

    private func jwt(until seconds: Int, _ mark: String = "a") -> String {
        let claims = Data("{\"exp\":\(seconds),\"jti\":\"\(mark)\"}".utf8).base64EncodedString()
        let part = claims.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        return "eyJhbGciOiJub25lIn0.\(part.replacingOccurrences(of: "=", with: "")).c2ln"
    }

    @Test("a file is read again when it is replaced or changed")
    func file() async throws {
        try folder.write("\u{20}first\n\r\n", to: "token")
        let supply = supply(.file("token"))
        #expect(try await text(supply) == "first")
        try folder.write("second!", to: "next")
        let path = folder.url.appendingPathComponent("token").path
        let next = folder.url.appendingPathComponent("next").path
        #expect(unsafe rename(next, path) == 0)
        #expect(try await text(supply) == "second!")
        try folder.write("third, longer".replacingOccurrences(of: ", ", with: "-"), to: "token")
        #expect(try await text(supply) == "third-longer")
        try FileManager.default.removeItem(atPath: path)
        let fault = await fault(supply)
        #expect(fault?.reason == "the file 'token' cannot be used: no such file or directory")
        #expect(fault?.origin == place && supply.fault?.origin == place)
        try folder.write("fourth", to: "token")
        #expect(try await text(supply) == "fourth" && supply.fault == nil)
    }

    @Test("an invalid or world-writable token file is rejected without blocking")
    func badFiles() async throws {
        let path = folder.url.appendingPathComponent("token").path
        for (content, words) in [
            ("", "it is empty"), (" \n", "it is empty"), ("a b", "it is not a token"), ("a\u{7}b", "it is not a token"),
            ("a\u{7f}b", "it is not a token"), ("caf\u{e9}", "it is not a token"),
            (String(repeating: "x", count: 65_537), "it is larger than 64KiB"),
        ] {
            try folder.write(content, to: "token")
            let reason = await fault(supply(.file("token")))?.reason ?? ""
            #expect(reason.contains(words) && !reason.contains("a b"), "\(reason)")
        }
        let longest = "!~" + String(repeating: "x", count: 65_534)
        try folder.write(longest, to: "token")
        #expect(try await text(supply(.file("token"))) == longest)
        try folder.write("token", to: "token")
        unsafe chmod(path, 0o666)
        #expect(await fault(supply(.file("token")))?.reason.contains("all users may write to it") == true)
        try FileManager.default.removeItem(atPath: path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(await fault(supply(.file("token")))?.reason.contains("not a regular file") == true)
        #expect(await fault(supply(.file("/dev/zero")))?.reason.contains("not a regular file") == true)
        #expect(await fault(supply(.file(".")))?.reason.contains("not a regular file") == true)
    }

    @Test("a variable is read, and an unset one is named")
    func variable() async throws {
        unsafe setenv("TOKEN_OF_A_TEST", " word\n", 1)
        #expect(try await text(supply(.variable("TOKEN_OF_A_TEST"))) == "word")
        let reason = await fault(supply(.variable("NO_TOKEN_OF_A_TEST")))?.reason
        #expect(reason == "the environment variable 'NO_TOKEN_OF_A_TEST' is not set")
        unsafe setenv("EMPTY_TOKEN_OF_A_TEST", "", 1)
        let empty = await fault(supply(.variable("EMPTY_TOKEN_OF_A_TEST")))?.reason
        #expect(empty == "the environment variable 'EMPTY_TOKEN_OF_A_TEST' is not set")
    }

    private func program(_ script: String, lifetime: Duration = .seconds(600)) -> TokenOrigin {
        .program(ProgramCall("sh", ["-c", "echo x >> runs; \(script)"]), lifetime: lifetime)
    }

    private var runs: Int { (try? folder.text(of: "runs"))?.split(separator: "\n").count ?? 0 }

    @Test("a program's token is cached until its expiry, reported or declared")
    func programs() async throws {
        let end = 1_800_000_000 + 300
        for (script, lifetime) in [
            ("echo plain", 600), ("echo '{\"token\":\"a\",\"expiresIn\":200}'", 200),
            ("echo '{ \"access_token\": \"a\", \"expires_in\": 100 }'", 100), ("echo \(jwt(until: end))", 300),
        ] {
            try? FileManager.default.removeItem(at: folder.url.appendingPathComponent("runs"))
            let clock = HandClock(wall: 1_800_000_000_000)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let supply = HostTokenSources(
                folder: folder.url.path,
                clock: clock.clockwork,
                tokens: nil,
                programs: ProgramRunner(Environment(["PATH": path]), folder: folder.url.path)
            )
            .supply(program(script), timeLimit: .seconds(100), from: nil)
            let token = try await supply.token(minimumLifetime: .seconds(60))
            #expect(token.expires == 1_800_000_000_000 + Int64(lifetime) * 1_000)
            clock.pass(.seconds(lifetime - 60))
            _ = try await text(supply)
            #expect(runs == 1, "\(script)")
            clock.pass(.seconds(1))
            _ = try await text(supply)
            #expect(runs == 2, "\(script)")
        }
    }

    @Test("a failing program is reported with its output, and retried later")
    func failingProgram() async throws {
        let supply = supply(program("echo no account >&2; exit 2"))
        #expect(await fault(supply)?.reason == "'sh' exited with 2: no account")
        #expect(await fault(supply)?.origin == place)
        #expect(runs == 1)
        clock.pass(.seconds(1))
        _ = await fault(supply)
        #expect(runs == 2)
        #expect(await fault(self.supply(program("echo '{}'")))?.reason.hasSuffix("has no member 'token'") == true)
        #expect(await fault(self.supply(program("echo '{'")))?.reason.hasSuffix("is not valid JSON") == true)
        #expect(await fault(self.supply(program("true")))?.reason.hasSuffix("it is empty") == true)
    }

    @Test("a failing source is retried after one second, doubling up to a minute")
    func pauses() async throws {
        let count = Counter()
        let supply = supply(
            .code {
                guard count.next() == 9 else { throw Fault("no") }
                return SuppliedToken(Secret("t9"))
            }
        )
        for (asked, pause) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            #expect(await fault(supply)?.reason == "no")
            clock.pass(.milliseconds(pause * 1_000 - 1))
            _ = await fault(supply)
            #expect(count.value == asked + 1)
            clock.pass(.milliseconds(1))
        }
        // Once it has given one, it begins anew.
        #expect(try await text(supply) == "t9")
        await supply.refused(SuppliedToken(Secret("t9")))
        #expect(await fault(supply)?.reason == "no")
        clock.pass(.seconds(1))
        _ = await fault(supply)
        #expect(count.value == 11)
    }

    @Test("a lifetime is between one second and ten years, others are rejected")
    func lifetimes() async throws {
        func printed(_ seconds: Int) -> TokenOrigin { program("echo '{\"token\":\"a\",\"expiresIn\":\(seconds)}'") }
        for seconds in [1, 315_360_000] {
            let token = try await supply(printed(seconds)).token(minimumLifetime: .zero)
            #expect(token.expires == 1_800_000_000_000 + Int64(seconds) * 1_000)
        }
        for seconds in [0, 315_360_001] {
            let reason = await fault(supply(printed(seconds)))?.reason
            #expect(reason?.hasSuffix("'expiresIn' is \(seconds), expected seconds from 1") == true)
        }
    }

    @Test("if the source fails, a valid former token is returned")
    func former() async throws {
        try folder.write("echo '{\"token\":\"former\",\"expiresIn\":100}'", to: "script")
        let supply = supply(program("sh script"))
        #expect(try await text(supply) == "former")
        try folder.write("exit 1", to: "script")
        clock.pass(.seconds(90))
        #expect(try await text(supply) == "former" && supply.fault?.origin == place)
        clock.pass(.seconds(10))
        #expect(await fault(supply)?.reason == "'sh' exited with 1")
    }

    @Test("concurrent callers query the source once")
    func single() async throws {
        let (gate, count, callers) = (OneShot(), Counter(), Counter())
        let supply = supply(
            .code {
                _ = count.next()
                await gate.wait()
                return SuppliedToken(Secret("one"))
            }
        )
        async let texts = withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = callers.next()
                    return try? await text(supply)
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        let hasty = Task { try await text(supply) }
        while count.value == 0 || callers.value < 50 { await Task.yield() }
        // The last of them has only counted itself so far.
        for _ in 0..<1_000 { await Task.yield() }
        hasty.cancel()
        _ = try? await hasty.value
        gate.fire()
        #expect(await texts.allSatisfy { $0 == "one" })
        #expect(count.value == 1)
    }

    @Test("a slow source has its own timeout, and delays no other")
    func slow() async throws {
        let began = OneShot()
        let stuck = supply(
            .code {
                began.fire()
                // It heeds nothing.
                await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
                return SuppliedToken(Secret("never"))
            }
        )
        let waiting = Task { await fault(stuck) }
        await began.wait()
        #expect(try await text(supply(.code { SuppliedToken(Secret("quick")) })) == "quick")
        while clock.sleepers == 0 { await Task.yield() }
        clock.pass(.seconds(10))
        #expect(await waiting.value?.reason == "no token within 10.0 seconds")
    }

    @Test("a rejected token is not returned again")
    func refusal() async throws {
        let count = Counter()
        let supply = supply(.code { SuppliedToken(Secret("t\(count.next())")) })
        let first = try await supply.token(minimumLifetime: .zero)
        #expect(try await text(supply) == "t1")
        await supply.refused(SuppliedToken(Secret("other")))
        #expect(try await text(supply) == "t1")
        await supply.refused(first)
        #expect(try await text(supply) == "t2")
    }

    @Test("the auth service is queried each time, and its guidance and place are reported")
    func auth() async throws {
        let tokens = Handed()
        let supply = supply(.auth(.user), tokens)
        #expect(await fault(supply)?.reason == "sign in first")
        #expect(await fault(supply)?.origin == place)
        tokens.text.withLock { $0 = "at" }
        let token = try await supply.token(minimumLifetime: .seconds(90))
        #expect(token.value.reveal() == "at" && supply.fault == nil)
        #expect(tokens.wishes.withLock { $0 } == [.seconds(60), .seconds(60), .seconds(90)])
        await supply.refused(SuppliedToken(Secret("other")))
        #expect(tokens.text.withLock { $0 } == "at")
        await supply.refused(token)
        #expect(tokens.text.withLock { $0 } == nil)
        #expect(await fault(self.supply(.auth(nil)))?.help == "add the section 'auth'")
    }
}

private final class Handed: AccessTokens {
    let text = Mutex<String?>(nil)
    let wishes = Mutex<[Duration]>([])

    func token(_ query: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        wishes.withLock { $0.append(query.minimumLifetime) }
        guard let text = text.withLock({ $0 }) else { throw TokenRefusal(.signedOut, guidance: "sign in first") }
        return AccessToken(value: Secret(text), type: "Bearer", expires: nil, mode: query.mode ?? .app, scopes: [])
    }

    func refused(_ token: AccessToken) async { text.withLock { $0 = nil } }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
