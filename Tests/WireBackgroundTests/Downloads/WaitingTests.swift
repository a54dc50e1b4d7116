import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireDownloadContract
import WireHost
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import Workbench

@Suite("Waiting downloads")
struct WaitingTests {
    @Test("without a network a download waits, and reports it")
    func network() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        bench.network.become(online: false)
        let requestedRun = try await bench.downloads.fetch(NewDownload(server.address("a"), service: "app"))
        #expect(bench.downloads.find(requestedRun.id)?.reason == "there is no network")
        #expect(try await server.questions("a").isEmpty)
        bench.network.become(online: true)
        #expect(await bench.downloads.ended(requestedRun.id)?.state == .done)
        await bench.end()
    }

    @Test("a user's download waits for that user, and one without a recorded user does not")
    func owner() async throws {
        let server = try await FileServer.start()
        let bench = try await DownloadBench(base: server.base)
        bench.people.signIn("bob")
        bench.network.become(online: false)
        for id in ["new", "old"] {
            var requestedRun = NewDownload(server.path(id), service: "app")
            requestedRun.id = id
            _ = try await bench.downloads.fetch(requestedRun)
        }
        let (store, namespace) = (bench.bench.store, "corewire/downloads")
        let keys = try store.list(namespace, prefix: "", after: nil, limit: 10).map(\.key)
        let key = try #require(keys.first { $0.hasSuffix("/old") })
        let record = try JSONValue(parsing: try #require(try store.entry(key, in: namespace)).bytes, named: "record")
        #expect(record["user"]?.string == "bob")
        let former = JSONValue.object((record.members ?? []).filter { $0.key != "user" })
        let value = NewValue(former.bytes(), type: "application/json", isSealed: true)
        _ = try await store.put(value, under: key, in: namespace, if: .always)

        bench.people.signIn("ada")
        bench.network.become(online: true)
        #expect(await bench.end(of: "old")?.state == .done)
        let waits = await eventually {
            bench.bench.clock.pass(.seconds(1))
            return bench.downloads.find("new")?.reason == "the owner of the work is not signed in"
        }
        #expect(waits)
        #expect(try await server.questions("new").isEmpty)
        bench.people.signIn("bob")
        #expect(await bench.end(of: "new")?.state == .done)
        await bench.end()
    }

    @Test("without free space a download waits, and reports it")
    func room() async throws {
        let files = NarrowFiles(free: .mebibytes(64))
        let (server, bench) = (try await FileServer.start(), try await DownloadBench(files: files))
        let requestedRun = try await bench.downloads.fetch(NewDownload(server.address("a"), service: "app"))
        let waiting = await bench.wait(for: requestedRun.id) {
            $0.state == .waiting && $0.reason?.contains("space") ?? false
        }
        #expect(waiting?.reason == "not enough disk space: 64MiB are free, expected 300000B and a reserve of 64MiB")
        #expect(bench.names.isEmpty)
        files.free = .mebibytes(65)
        bench.bench.clock.pass(.seconds(30))
        #expect(await bench.end(of: requestedRun.id)?.state == .done)
        await bench.end()
    }

    @Test("a full disk keeps the partial file, and the download continues later")
    func full() async throws {
        let files = NarrowFiles(free: .mebibytes(1_024))
        files.writable = 200_000
        let (server, bench) = (try await FileServer.start(), try await DownloadBench(files: files))
        let requestedRun = try await bench.downloads.fetch(
            NewDownload(server.address("a", #"[{"drip":10000}]"#), service: "app")
        )
        let waiting = await bench.wait(for: requestedRun.id) {
            $0.state == .waiting && $0.reason?.contains("full") ?? false
        }
        #expect(waiting?.reason?.hasPrefix("the disk is full: ") == true)
        files.writable = .max
        bench.bench.clock.pass(.seconds(30))
        #expect(await bench.end(of: requestedRun.id)?.state == .done)
        #expect(try await server.questions("a").last?.hasPrefix("bytes=") == true)
        #expect(try bench.data("a") == FileServer.content())
        await bench.end()
    }

    @Test("an unwritable folder degrades the service at its line, until it is writable")
    func folder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "files")
        let bench = try await DownloadBench(in: folder)
        #expect(await eventually { bench.bench.told.all.last?.hasPrefix("degraded") ?? false })
        let told = bench.bench.told.all
        #expect(told.count == 1 && told[0].contains("the folder for downloads cannot be written: '"), "\(told)")
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("files"))
        let isWell = await eventually {
            bench.bench.clock.pass(.seconds(1))
            return bench.bench.told.all.last == "well"
        }
        #expect(isWell, "\(bench.bench.told.all)")
        #expect(Files.isFolder(bench.folder.path))
        await bench.end()
    }

    @Test("downloads per host are limited, while other hosts continue")
    func hosts() async throws {
        let server = try await FileServer.start()
        let bench = try await DownloadBench("downloads: { directory: files, parallel: 3, perHost: 1 }")
        let script = #"[{"wait":{"at":100000,"for":"gate"}}]"#
        let first = try await bench.downloads.fetch(NewDownload(server.address("a", script), service: "app"))
        try await server.waits(at: "gate")
        let second = try await bench.downloads.fetch(NewDownload(server.address("b"), service: "app"))
        let elsewhere = server.address("c").replacing("127.0.0.1", with: "localhost")
        let third = try await bench.downloads.fetch(NewDownload(elsewhere, service: "app"))
        #expect(await bench.downloads.ended(third.id)?.state == .done)
        #expect(bench.downloads.find(second.id)?.state == .waiting)
        #expect(bench.downloads.find(second.id)?.reason == "other downloads are ahead in the queue")
        try server.open("gate")
        #expect(await bench.downloads.ended(second.id)?.state == .done)
        #expect(await bench.downloads.ended(first.id)?.state == .done)
        await bench.end()
    }

    @Test("downloads run by priority, then by age")
    func priority() async throws {
        let server = try await FileServer.start()
        let bench = try await DownloadBench("downloads: { directory: files, parallel: 1 }")
        let script = #"[{"wait":{"at":100000,"for":"gate"}}]"#
        _ = try await bench.downloads.fetch(NewDownload(server.address("first", script), service: "app"))
        try await server.waits(at: "gate")
        var last: Download?
        for (name, priority) in [("low", -5), ("usual", 0), ("high", 7), ("later", 0)] {
            bench.bench.clock.pass(.milliseconds(5))
            var requestedRun = NewDownload(
                server.address("order", #"[{"size":\#(priority + 10)}]"#) + "&x=\(name)",
                service: "app"
            )
            (requestedRun.priority, requestedRun.id) = (priority, name)
            last = try await bench.downloads.fetch(requestedRun)
        }
        try server.open("gate")
        #expect(last?.id == "later")
        #expect(await eventually { Self.done(bench).count == 5 })
        #expect(Self.done(bench).suffix(4) == ["high", "usual", "later", "low"])
        await bench.end()
    }

    private static func done(_ bench: DownloadBench) -> [String] {
        bench.bench.events(named: "download.done").compactMap { $0.data["id"]?.string }
    }

    @Test("two processes fetch a shared download once")
    func twoProcesses() async throws {
        let server = try await FileServer.start()
        let folder = try TemporaryFolder()
        let one = try await DownloadBench(in: folder)
        let address = server.address("a", #"[{"wait":{"at":100000,"for":"gate"}}]"#)
        let requestedRun = try await one.downloads.fetch(NewDownload(address, service: "app"))
        try await server.waits(at: "gate")
        // Were it there before the file is open, it could be the one that fetches; time passes for the one that does not.
        let two = try await DownloadBench(in: folder)
        let same = try await two.downloads.fetch(NewDownload(address, service: "app"))
        #expect(same.id == requestedRun.id)
        two.bench.clock.pass(.seconds(300))
        try server.open("gate")
        #expect(await one.downloads.ended(requestedRun.id)?.state == .done)
        // The other process learns of it from the store.
        #expect(await two.end(of: requestedRun.id)?.state == .done)
        #expect(try await server.questions("a").count == 1)
        #expect(one.names == ["a"])
        await one.end()
        await two.end()
    }
}

/// The files of this machine, on a disk that is as large as a test says.
final class NarrowFiles: FileWriting {
    private struct State {
        var free: ByteCount
        var writable = Int.max
    }

    private let state: Guarded<State>
    private let files = HostFiles()

    init(free: ByteCount) { state = Guarded(State(free: free)) }

    var free: ByteCount {
        get { state.with { $0.free } }
        set { state.with { $0.free = newValue } }
    }
    /// How much may be written until there is no more room.
    var writable: Int {
        get { state.with { $0.writable } }
        set { state.with { $0.writable = newValue } }
    }

    /// How much of so many bytes there is room for.
    fileprivate func take(_ count: Int) -> Int {
        state.with { state in
            let taken = min(count, state.writable)
            state.writable -= taken
            return taken
        }
    }

    var boot: String { files.boot }
    func prepare(_ folder: String) async throws(FileFailure) { try await files.prepare(folder) }
    func room(in folder: String) -> ByteCount? { free }
    func fileMark(at name: String, in folder: String) -> FileMark? { files.fileMark(at: name, in: folder) }
    func remove(_ name: String, in folder: String) async throws(FileFailure) {
        try await files.remove(name, in: folder)
    }
    func open(_ draft: String, in folder: String) async throws(FileFailure) -> any DraftFile {
        NarrowDraft(try await files.open(draft, in: folder), of: self)
    }
}

private struct NarrowDraft: DraftFile {
    let draft: any DraftFile
    let disk: NarrowFiles

    init(_ draft: any DraftFile, of disk: NarrowFiles) { (self.draft, self.disk) = (draft, disk) }

    var size: Int { draft.size }
    var mark: FileMark { draft.mark }
    func cut(to size: Int) async throws(FileFailure) { try await draft.cut(to: size) }
    func witness(_ witness: (@Sendable ([UInt8]) -> Void)?) async throws(FileFailure) {
        try await draft.witness(witness)
    }
    func append(_ bytes: [UInt8]) async throws(FileFailure) {
        let count = disk.take(bytes.count)
        try await draft.append(Array(bytes.prefix(count)))
        guard count == bytes.count else { throw FileFailure(.full, "'draft': no space left on device") }
    }
    func sync() async throws(FileFailure) -> Int { try await draft.sync() }
    func finish(as name: String) async throws(FileFailure) { try await draft.finish(as: name) }
    func discard() async { await draft.discard() }
    func close() async { await draft.close() }
}
