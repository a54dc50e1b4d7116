import Foundation
import Support
import Testing
import WireBase
import WireDownloadContract
import WireHost
import WireService
import Workbench

@Suite("Downloads that move between processes")
struct HandoverTests {
    @Test("a download whose claim ends during the rename is recognized as complete by the next process")
    func namedMeanwhile() async throws {
        let (server, folder, files) = (try await FileServer.start(), try TemporaryFolder(), NamingFiles())
        let one = try await DownloadBench(in: folder, files: files)
        let requestedRun = try await one.downloads.fetch(NewDownload(server.address("a"), service: "app"))
        await files.named.wait()
        let two = try await DownloadBench(in: folder)
        two.bench.clock.pass(.seconds(300))
        #expect(await two.end(of: requestedRun.id)?.state == .done)
        files.goOn.fire()
        #expect(await one.downloads.ended(requestedRun.id)?.state == .done)
        try await expectOne(server, one)
        await one.end()
        await two.end()
    }

    @Test("a download renamed just before a crash is recognized as complete")
    func namedBeforeAnEnd() async throws {
        let (server, folder, files) = (try await FileServer.start(), try TemporaryFolder(), NamingFiles(failing: true))
        files.goOn.fire()
        let one = try await DownloadBench(in: folder, files: files)
        let requestedRun = try await one.downloads.fetch(NewDownload(server.address("a"), service: "app"))
        _ = await one.wait(for: requestedRun.id) { $0.state == .waiting && $0.reason == "the process has ended" }
        // Whoever looked whether the process lives may have left this.
        let draft = try #require(files.draft)
        try Data().write(to: one.folder.appendingPathComponent(draft))
        let two = try await DownloadBench(in: folder)
        #expect(await two.end(of: requestedRun.id)?.state == .done)
        try await expectOne(server, two)
        await one.end()
        await two.end()
    }

    @Test("if a file has two names after a crash, the temporary one is removed")
    func twoNames() async throws {
        let (server, folder, files) = (try await FileServer.start(), try TemporaryFolder(), NamingFiles(failing: true))
        files.goOn.fire()
        let one = try await DownloadBench(in: folder, files: files)
        // Without anything that names the state of the file, a draft would be begun anew.
        let address = server.address("a", #"[{"etag":""}]"#)
        let requestedRun = try await one.downloads.fetch(NewDownload(address, service: "app"))
        _ = await one.wait(for: requestedRun.id) { $0.state == .waiting && $0.reason == "the process has ended" }
        let draft = try #require(files.draft)
        try FileManager.default.linkItem(
            at: one.folder.appendingPathComponent("a"),
            to: one.folder.appendingPathComponent(draft)
        )
        let two = try await DownloadBench(in: folder)
        #expect(await two.end(of: requestedRun.id)?.state == .done)
        try await expectOne(server, two)
        await one.end()
        await two.end()
    }

    private func expectOne(_ server: FileServer, _ bench: DownloadBench) async throws {
        #expect(try await server.questions("a").count == 1)
        #expect(bench.names == ["a"])
        // Whoever looks once more whether there is anything to do opens a draft for that moment.
        #expect(await eventually { bench.drafts.isEmpty })
        #expect(try bench.data("a") == FileServer.content())
    }

    @Test("a download that has lost its claim, with the file open, is completed")
    func lostClaim() async throws {
        let (server, folder) = (try await FileServer.start(), try TemporaryFolder())
        let one = try await DownloadBench(in: folder)
        // Without anything that names the state of the file, whoever began it again would begin at its beginning.
        let address = server.address("a", #"[{"etag":"","wait":{"at":100000,"for":"gate"}}]"#)
        let requestedRun = try await one.downloads.fetch(NewDownload(address, service: "app"))
        try await server.waits(at: "gate")
        let two = try await DownloadBench(in: folder)
        two.bench.clock.pass(.seconds(300))
        let waiting = await two.wait(for: requestedRun.id) { $0.reason?.contains("another process") ?? false }
        #expect(waiting?.state == .waiting)
        one.bench.clock.pass(.seconds(25))
        for _ in 0..<1_000 { await Task.yield() }
        try server.open("gate")
        #expect(await one.end(of: requestedRun.id)?.state == .done)
        #expect(await two.end(of: requestedRun.id)?.state == .done)
        try await expectOne(server, one)
        await one.end()
        await two.end()
    }

    @Test("a waiting caller learns the end of a download in another process")
    func told() async throws {
        let (server, folder) = (try await FileServer.start(), try TemporaryFolder())
        let one = try await DownloadBench(in: folder)
        let address = server.address("a", #"[{"wait":{"at":100000,"for":"gate"}}]"#)
        let requestedRun = try await one.downloads.fetch(NewDownload(address, service: "app"))
        try await server.waits(at: "gate")
        let two = try await DownloadBench(in: folder)
        _ = try await two.downloads.fetch(NewDownload(address, service: "app"))
        let watched = two.downloads.watch(requestedRun.id)
        try server.open("gate")
        var last: Download?
        for await download in watched { last = download }
        #expect(last?.state == .done)
        await one.end()
        await two.end()
    }
}

/// The files of this machine, where a file that has got its name keeps its process waiting, or ends it.
final class NamingFiles: FileWriting {
    let named = OneShot()
    let goOn = OneShot()
    private let failing: Bool
    private let name = Guarded<String?>(nil)
    private let files = HostFiles()

    init(failing: Bool = false) { self.failing = failing }

    /// What the file was called before.
    var draft: String? { name.with { $0 } }

    fileprivate func hasNamed(_ draft: String) async throws(FileFailure) {
        name.with { $0 = draft }
        named.fire()
        await goOn.wait()
        if failing { throw FileFailure(.other, "the process has ended") }
    }

    var boot: String { files.boot }
    func prepare(_ folder: String) async throws(FileFailure) { try await files.prepare(folder) }
    func room(in folder: String) -> ByteCount? { files.room(in: folder) }
    func fileMark(at name: String, in folder: String) -> FileMark? { files.fileMark(at: name, in: folder) }
    func remove(_ name: String, in folder: String) async throws(FileFailure) {
        try await files.remove(name, in: folder)
    }
    func open(_ draft: String, in folder: String) async throws(FileFailure) -> any DraftFile {
        NamingDraft(draft: try await files.open(draft, in: folder), name: draft, files: self)
    }
}

private struct NamingDraft: DraftFile {
    let draft: any DraftFile
    let name: String
    let files: NamingFiles

    var size: Int { draft.size }
    var mark: FileMark { draft.mark }
    func cut(to size: Int) async throws(FileFailure) { try await draft.cut(to: size) }
    func witness(_ witness: (@Sendable ([UInt8]) -> Void)?) async throws(FileFailure) {
        try await draft.witness(witness)
    }
    func append(_ bytes: [UInt8]) async throws(FileFailure) { try await draft.append(bytes) }
    func sync() async throws(FileFailure) -> Int { try await draft.sync() }
    func finish(as name: String) async throws(FileFailure) {
        try await draft.finish(as: name)
        try await files.hasNamed(self.name)
    }
    func discard() async { await draft.discard() }
    func close() async { await draft.close() }
}
