import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireDBus
import WireHost
import WireHTTP
import WireMessageBus
import WireNetworkContract
import WireNotificationContract
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireNotifications

@Suite("Notification pictures")
struct MediaTests {
    /// Pictures of as many bytes as their names say.
    private struct Pictures: ServerClient {
        var offlinePolicy: OfflinePolicy { .none }
        func url(of address: Address) -> WebURL? { address.absolute }

        func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
            guard case .address(let address) = call.destination,
                let size = Int(address.text.split(separator: "/").last ?? "")
            else { throw CallFailure(.noAddress, "no address", wasNotSent: true) }
            let head: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            return ServerAnswer(
                status: .ok,
                fields: [:],
                body: Picture(head + [UInt8](repeating: 7, count: max(0, size - head.count)))
            )
        }
    }

    private final class Picture: BodyReader {
        private let rest: Mutex<[UInt8]?>
        init(_ bytes: [UInt8]) { rest = Mutex(bytes) }
        func read() async throws -> [UInt8]? { rest.withLock { $0.take() } }
    }

    private static func bench(
        _ media: String = "{}",
        clock: HandClock = HandClock(),
        in folder: TemporaryFolder,
        more: String = "",
        offering others: [OfferedAbility] = []
    ) async throws -> NotificationBench {
        try await NotificationBench(
            "\(PresentationTests.show)\nmedia: \(media)\n\(more)",
            in: folder,
            clock: clock,
            storeClock: storeClock(clock),
            offering: [
                ServiceAbility.serverRequests.offered(by: Pictures()), Ability.fileWriting.offered(by: HostFiles()),
                Ability.dataFolder.offered(by: DataFolder(path: folder.url.path)),
            ] + others
        )
    }

    private static func storeClock(_ clock: HandClock) -> StoreClock {
        StoreClock(
            now: { clock.clockwork.wall() },
            uptime: { clock.clockwork.monotonic().inMicroseconds / 1_000 },
            boot: "boot"
        )
    }

    /// A repository that only the test tidies.
    private static func repository(_ bench: Workbench) -> MediaRepository {
        let (store, files) = (bench.store, HostFiles())
        let repository = NotificationRepository(
            work: store,
            values: store,
            device: store,
            app: "app",
            environment: "",
            digest: { $0 }
        )
        return MediaRepository(repository, files, DataFolder(path: bench.folder.url.path), digest: { _ in "digest" })
    }

    private static func files(_ folder: TemporaryFolder) -> [String] {
        let path = folder.url.appendingPathComponent("notifications").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    }

    private static func send(_ bench: NotificationBench, _ id: String, _ size: Int, _ more: String = "") async throws {
        let image = "https://pictures.example.com/\(size)"
        try await bench.send(#"{"id":"\#(id)","title":"x","image":"\#(image)"\#(more)}"#)
        _ = try await bench.done(id)
    }

    @Test("a picture is stored as long as a notification shows it")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let bench = try await Self.bench(in: folder)
        try await Self.send(bench, "a", 100)
        try await Self.send(bench, "b", 100)
        try await Self.send(bench, "c", 200)
        #expect(Self.files(folder).count == 2)
        #expect(try await bench.service.dismiss("a"))
        #expect(Self.files(folder).count == 2)
        #expect(try await bench.service.dismiss("b"))
        #expect(Self.files(folder).count == 1)
        #expect(try await bench.service.dismiss("c"))
        #expect(Self.files(folder).isEmpty)
        await bench.end()
    }

    @Test("pictures are limited in total size: the oldest are removed first")
    func size() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        let bench = try await Self.bench("{ maxTotal: 1MiB }", clock: clock, in: folder)
        for number in 0..<4 {
            try await Self.send(bench, "n\(number)", 400_000 + number)
            clock.pass(.seconds(1))
        }
        // Whoever looks after them waits by now, besides who keeps claims: it would wait for an hour more else.
        #expect(await eventually { clock.sleepers >= 2 })
        clock.pass(.seconds(3_600))
        #expect(await eventually { Self.files(folder).count == 2 })
        let sizes = Self.files(folder).compactMap { name in
            let path = folder.url.appendingPathComponent("notifications/\(name)").path
            return (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
        }
        #expect(sizes.sorted() == [400_002, 400_003])
        await bench.end()
    }

    @Test("a picture is removed at its maximum age, without polling forever")
    func age() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        let bench = try await Self.bench("{ keep: 1d }", clock: clock, in: folder)
        try await Self.send(bench, "a", 100)
        clock.pass(.seconds(13 * 3_600))
        try await Self.send(bench, "b", 200)
        #expect(Self.files(folder).count == 2)
        clock.pass(.seconds(10 * 3_600))
        #expect(Self.files(folder).count == 2)
        // Whoever looks after them may fall asleep only after a while has passed: hours are left until the second one is old.
        for _ in 0..<3_000 where Self.files(folder).count > 1 {
            clock.pass(.seconds(10))
            await breath()
        }
        #expect(await eventually { Self.files(folder).count == 1 })
        #expect(try await bench.ask(.get, "/v1/notifications/a").status == 200)
        #expect(clock.waits < 1_000)
        await bench.end()
    }

    @Test("expiry is checked when the first change is due, at least after a second, and hourly")
    func looks() async throws {
        let clock = HandClock()
        let bench = try Workbench(clock: clock, storeClock: Self.storeClock(clock))
        let repository = Self.repository(bench)
        let file = try SectionInFile<NotificationsSection>("media: {}\n\(IntakeTests.note)")
        let rules = try #require(file.settings.media)
        func pause() async throws -> Duration {
            try await repository.tidy(rules, at: clock.clockwork.wall()) { _ in true }
        }
        #expect(try await pause() == .seconds(3_600))
        try await repository.want("stem", for: "a", keeping: .seconds(900))
        // Whether there is such a notification is asked after ten minutes.
        #expect(try await pause() == .seconds(600))
        clock.pass(.seconds(600))
        #expect(try await pause() == .seconds(300))
        clock.pass(.milliseconds(299_500))
        #expect(try await pause() == .seconds(1))
        await bench.store.close()
    }

    private static let hidden = "the picture would be transferred without encryption"
    private static let far = "too many redirects of the picture"
    private static let near = "the host of the picture is not allowed: 'localhost'"

    private static let ways: [(way: [String], reason: String?)] = [
        (["https://a.example.com/1"], nil), (["https://a.example.com/1", "https://b.example.com/2"], nil),
        (["https://a.example.com/1", "2"], nil), (["http://a.example.com/1", "https://a.example.com/2"], nil),
        (["http://a.example.com/1", "http://a.example.com/2"], nil),
        (["https://a.example.com/1", "http://a.example.com/2"], hidden),
        (["http://a.example.com/1", "https://a.example.com/2", "http://a.example.com/3"], hidden),
        (["https://a.example.com/1", "https://localhost/2"], near), (["https://localhost/1"], near),
        (["https://a.example.com/1", "2", "3", "4"], nil), (["https://a.example.com/1", "2", "3", "4", "5"], far),
    ]

    @Test(
        "a picture may be redirected three times, never to less encryption, and only to allowed hosts",
        arguments: ways
    )
    func elsewhere(way: [String], reason: String?) async throws {
        let bench = try Workbench()
        let file = try SectionInFile<NotificationsSection>("media: {}\n\(IntakeTests.note)")
        let asked = Mutex(0)
        let fetch = MediaFetch(
            try #require(file.settings.media),
            places: Places(file.document),
            repository: Self.repository(bench),
            clock: bench.clock.clockwork
        ) { (_, _, _) async throws(Fault) -> MediaFetch.Brought in
            let next = asked.withLock { asked in
                asked += 1
                return asked
            }
            if next < way.count { return .moved(way[next]) }
            return .picture([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        }
        do throws(Fault) {
            let path = try await fetch.fetch(way[0], for: "a")
            #expect(reason == nil && path.hasSuffix(".png"))
            #expect(asked.withLock { $0 } == way.count)
        } catch {
            #expect(error.reason == reason)
        }
        await bench.store.close()
    }

    @Test(
        "clearing removes pictures with everything else, after current work",
        arguments: ["user", "all"]
    )
    func cleared(scope: String) async throws {
        let folder = try TemporaryFolder()
        let bench = try await Self.bench(in: folder)
        try await Self.send(bench, "a", 100)
        let (begun, ended) = (OneShot(), OneShot())
        _ = bench.handlers.bring(
            EmbedderNotificationHandler(
                "slow",
                timeout: .seconds(60),
                .presentable { _ in
                    begun.fire()
                    await OneShot().wait()
                    ended.fire()
                    return ["banner"]
                }
            )
        )
        try await bench.send(#"{"id":"b","title":"canary-title"}"#)
        await begun.wait()
        let told = try await bench.bench.clear(try #require(ClearingScope(rawValue: scope)), underWay: true)
        #expect(ended.hasFired)
        #expect(told["pictures"] == 1 && told["notifications in the list"] == 1)
        #expect(told["queued notifications"] == 1)
        #expect(Self.files(folder).isEmpty)
        #expect(try await bench.ask(.get, "/v1/notifications/a").status == 404)
        #expect(try await bench.ask(.get, "/v1/notifications/b").status == 404)
        #expect(try await bench.bench.clear(.user)["pictures"] == 0)
        await bench.end()
    }

    @Test("a desktop gets the file URL of the picture")
    func onDesktop() async throws {
        let (bus, folder) = (try SessionBus(), try TemporaryFolder())
        let address = bus.address
        let bench = try await Self.bench(
            in: folder,
            more: "sinks: [desktop]",
            offering: [Ability.messageBuses.offered(by: HostBuses { $0 == "DBUS_SESSION_BUS_ADDRESS" ? address : nil })]
        )
        try await Self.send(bench, "a", 100)
        #expect(await eventually { bus.shown.count == 1 })
        guard case .text(let url)? = bus.shown.first?.hints["image-path"] else {
            Issue.record("\(bus.shown)")
            return
        }
        #expect(url.hasPrefix("file:///") && url.hasSuffix(".png"))
        let path = try #require(URL(string: url)?.path)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(DesktopNotice.url(of: "/a b/ü%.png") == "file:///a%20b/%C3%BC%25.png")
        await bench.end()
    }
}
