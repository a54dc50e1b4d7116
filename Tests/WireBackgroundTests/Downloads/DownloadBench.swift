import Foundation
import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireCrypto
import WireDownloadContract
import WireHost
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTransfer
import Workbench

/// The service with a real store, real files, real requests over a network that can be cut, and a clock moved by hand.
final class DownloadBench: Sendable {
    let bench: Workbench
    let network = CutNetwork()
    let people = PlayedPeople()
    let service: BackgroundService
    let downloads: any Downloads
    private let life: Task<Void, any Error>
    private let passing = Mutex(())

    /// Another one in the same folder is another process, or a later run.
    init(
        _ section: String = "downloads: { directory: files }",
        base: String = "",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        files: any FileWriting = HostFiles()
    ) async throws {
        let clockwork = clock.clockwork
        let storeClock = StoreClock(
            now: clockwork.wall,
            uptime: { clockwork.monotonic().inMicroseconds / 1_000 },
            boot: "boot"
        )
        let bench = try Workbench(in: folder, clock: clock, storeClock: storeClock)
        self.bench = bench
        let file = try SectionInFile<BackgroundSection>(section)
        let secrecy = OpenSSLSecrecy()
        let requests = PlainRequests(try TransferClient(), base: base, network)
        let host: BackgroundHost = bench.host(
            for: file,
            offering: [
                ServiceAbility.serverRequests.offered(by: requests), ServiceAbility.connectivity.offered(by: network),
                ServiceAbility.userPresence.offered(by: people), Ability.fileWriting.offered(by: files),
                Ability.secrecy.offered(by: secrecy),
                Ability.runningDigests.offered(by: secrecy),
                Ability.dataFolder.offered(by: DataFolder(path: bench.folder.url.path)),
            ]
        )
        let service = try await BackgroundService.prepare(file.settings, in: host)
        self.service = service
        downloads = try #require(Abilities(service.abilities)[.downloads])
        try await service.start()
        life = Task { try await service.run() }
    }

    deinit { life.cancel() }

    /// Lets what is under way end as a reload does, and closes the store.
    func end() async {
        await service.drain()
        life.cancel()
        _ = await life.result
        await service.stop()
        await bench.store.close()
    }

    /// Stops at once, with everything as it is, as far as that can be done within one process.
    func vanish() async {
        life.cancel()
        _ = await life.result
        await service.stop()
        await bench.store.close()
    }

    var folder: URL { bench.folder.url.appendingPathComponent("files") }

    /// The names in the folder for downloads, those of drafts left out.
    var names: [String] {
        Files.names(in: folder.path).filter { !$0.hasSuffix(".part") }
    }

    var drafts: [String] { Files.names(in: folder.path).filter { $0.hasSuffix(".part") } }

    func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    /// Wants a file and waits for its end, with time passing wherever something waits for it.
    func fetch(_ address: String, _ change: (inout NewDownload) -> Void = { _ in }) async throws -> Download {
        var requestedRun = NewDownload(address, service: "app")
        change(&requestedRun)
        let id = try await downloads.fetch(requestedRun).id
        return try #require(await end(of: id))
    }

    /// What downloads wait for that comes without any time passing.
    private static let soon: [String?] = ["other downloads are ahead in the queue", "the download is about to start"]

    /// Lets time pass until a download has ended.
    func end(of id: String) async -> Download? {
        await withTaskGroup(of: Download?.self) { group in
            group.addTask {
                for await download in self.downloads.watch(id) {
                    if download.hasEnded { return download }
                    self.passTime(for: id)
                }
                return self.downloads.find(id)
            }
            group.addTask {
                // One that waits once more for the same reason is no news, and wants time all the same.
                var former: Download?
                while !Task.isCancelled {
                    for _ in 0..<500 where !Task.isCancelled { await breath() }
                    // Time that passed just before a sleep began is not in that sleep.
                    let present = self.downloads.find(id)
                    let isStuck = [present, former].allSatisfy { $0?.reason == Self.soon[1] }
                    self.passTime(for: id, isStuck: isStuck)
                    former = present
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// By how it is now, and by one at a time: time that passes while it is under way would be the server's silence.
    private func passTime(for id: String, isStuck: Bool = false) {
        passing.withLock { _ in
            guard let download = downloads.find(id), download.state == .waiting,
                isStuck || !Self.soon.contains(download.reason)
            else { return }
            bench.clock.pass(.seconds(4_000))
        }
    }

    /// Waits until a download is so.
    func wait(for id: String, _ isSo: (Download) -> Bool) async -> Download? {
        for await download in downloads.watch(id) where isSo(download) { return download }
        return nil
    }
}

/// Requests without any of the rules of a file.
struct PlainRequests: ServerClient {
    private let client: TransferClient
    private let base: WebURL?
    private let network: CutNetwork

    init(_ client: TransferClient, base: String, _ network: CutNetwork) {
        (self.client, self.network) = (client, network)
        self.base = try? WebURL(parsing: base)
    }

    func url(of address: Address) -> WebURL? { address.resolved(against: base) }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        guard network.isOnline else { throw CallFailure(.offline, "there is no network", wasNotSent: true) }
        let target = try target(of: call)
        if case .token(.user?) = target.authorization, !network.hasUser {
            throw CallFailure(.noToken(.signedOut), "no user has signed in", wasNotSent: true)
        }
        var request = OutgoingRequest(call.method, target.url.description)
        request.fields = call.fields
        if case .usual = target.authorization {
            request.fields["Authorization"] = "Bearer secret"
        }
        request.allowsPlainText = true
        do throws(TransferFailure) {
            let response = try await client.send(request)
            return ServerAnswer(status: response.status, fields: response.fields, body: response.body)
        } catch {
            throw CallFailure(.transfer(error.kind), error.reason, wasNotSent: error.wasNotSent)
        }
    }
}

/// A network that is there or not, as a test says.
final class CutNetwork: Connectivity {
    private struct State {
        var isOnline = true
        var hasUser = true
        var watchers: [AsyncStream<Bool>.Continuation] = []
    }

    private let state = Mutex(State())

    var isOnline: Bool { state.withLock(\.isOnline) }
    var hasUser: Bool { state.withLock(\.hasUser) }
    var obstacle: String? { isOnline ? nil : "there is no network" }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { state in
            state.watchers.append(continuation)
            continuation.yield(state.isOnline)
        }
        return stream
    }

    func become(online isOnline: Bool) {
        let watchers = state.withLock { state in
            state.isOnline = isOnline
            return state.watchers
        }
        for watcher in watchers { watcher.yield(isOnline) }
    }
}
