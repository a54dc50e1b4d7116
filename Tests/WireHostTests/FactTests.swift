import Foundation
import Support
import Testing
import WireBase
import WireHost
import WireTelemetry

@Suite("Host facts")
struct FactTests {
    @Test("process facts agree with the kernel and ps")
    func process() throws {
        let facts = try #require(ProcessFacts.now())
        #expect(facts.residentBytes > 1 << 20 && facts.virtualBytes >= facts.residentBytes)
        #expect(facts.openDescriptors > 2 && facts.openDescriptors <= facts.maximalDescriptors ?? .max)
        #expect(facts.threads >= 1 && facts.cpu > .zero)
        let run = try Program.run("ps", ["-o", "lstart=", "-p", "\(getpid())"], environment: ["TZ": "UTC0"])
        let form = DateFormatter()
        (form.locale, form.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "UTC"))
        form.dateFormat = "EEE MMM d HH:mm:ss yyyy"
        let began = try #require(
            form.date(from: run.output.split(separator: " ").joined(separator: " ").trimmingCharacters(in: .newlines))
        )
        // Both round to whole seconds, each its own way.
        #expect(abs(Double(facts.started) / 1_000 - began.timeIntervalSince1970) < 3)
    }

    @Test("an opened descriptor is counted")
    func descriptors() throws {
        #expect(try Program.run(Peer.probe, ["descriptors"]).output == "0\n2\n")
    }

    @Test("the clocks agree with the system's")
    func clocks() async throws {
        let before = Date().timeIntervalSince1970
        let now = Double(TimeSource.host.wall()) / 1_000
        #expect(now >= before - 0.001 && now <= Date().timeIntervalSince1970 + 0.001)
        let moments = (0..<1_000).map { _ in TimeSource.host.monotonic() }
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 <= $1 })
        try await TimeSource.host.sleep(.zero)
    }

    @Test(
        "the clock of leases counts the time for which the machine was suspended",
        .enabled(if: (try? Program.run("unshare", suspended + ["true"]))?.status == 0, "needs a namespace of time")
    )
    func suspension() throws {
        #expect(try Program.run("unshare", Self.suspended + [Peer.probe, "clocks"]).output == "true\n")
    }

    /// Shifts the clock that also counts while the machine is suspended, and no other.
    private static let suspended = ["--user", "--map-root-user", "--time", "--fork", "--boottime", "100000"]

    @Test("random bytes have any length, and never repeat", arguments: [0, 1, 255, 256, 257, 10_000])
    func randomness(count: Int) throws {
        let bytes = try Randomness.bytes(count)
        #expect(bytes.count == count)
        if count > 8 {
            #expect(try bytes != Randomness.bytes(count))
            #expect(bytes.suffix(64).contains { $0 != 0 })
        }
    }

    @Test("users and groups are found by name and number")
    func accounts() throws {
        #expect(try Accounts.user("root") == 0)
        #expect(try Accounts.user("1234567") == 1_234_567)
        #expect(try Accounts.user("nobody-of-this-name") == nil)
        #expect(try Accounts.group("root") == 0)
        #expect(try Accounts.group("nobody-of-this-name") == nil)
        #expect(try Accounts.groups(of: 4_000_000_000) == [])
    }

    @Test("the groups of every user agree with id", arguments: ["root", "daemon", "nobody", "www-data"])
    func groups(name: String) throws {
        let user = try #require(try Accounts.user(name))
        let run = try Program.run("id", ["-G", name])
        let known = run.output.split { $0.isWhitespace }.compactMap { UInt32($0) }
        #expect(Set(try Accounts.groups(of: user)) == Set(known) && !known.isEmpty)
    }

    @Test("the host name agrees with uname")
    func host() throws {
        let facts = HostFacts.now(Environment(["NOTIFY_SOCKET": "/run/notify", "JOURNAL_STREAM": "1:2"]))
        #expect(facts.hostname + "\n" == (try Program.run("uname", ["-n"]).output))
        #expect(facts.process == getpid() && facts.user == geteuid())
        #expect(facts.hasServiceManager && !facts.hasJournal)
    }
}
