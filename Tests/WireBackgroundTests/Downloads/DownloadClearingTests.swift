import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP
import WireService
import Workbench

@Suite("Downloads are cleared")
struct DownloadClearingTests {
    @Test("whole files, drafts that grow and wishes go together; what others have put into the folder stays")
    func cleared() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let first = try await bench.downloads.fetch(NewDownload(server.address("a"), service: "app"))
        #expect(await bench.end(of: first.id)?.state == .done)
        try Data("mine".utf8).write(to: bench.folder.appendingPathComponent("own.txt"))
        // One whose file somebody has written over since: it is not ours any more.
        let second = try await bench.downloads.fetch(NewDownload(server.address("b"), service: "app"))
        #expect(await bench.end(of: second.id)?.state == .done)
        try FileManager.default.removeItem(at: bench.folder.appendingPathComponent("b"))
        try Data("theirs".utf8).write(to: bench.folder.appendingPathComponent("b"))
        let third = try await bench.downloads.fetch(
            NewDownload(server.address("c", #"[{"wait":{"at":100000,"for":"gate"}}]"#), service: "app")
        )
        try await server.waits(at: "gate")
        #expect(await eventually { bench.drafts.count == 1 })
        let told = try await bench.bench.clear(.user, underWay: true)
        #expect(told["downloads"] == 3 && [1, 2].contains(told["downloaded files"]))
        #expect(bench.names.sorted() == ["b", "own.txt"] && bench.drafts.isEmpty)
        for id in [first.id, second.id, third.id] { #expect(bench.downloads.find(id) == nil) }
        #expect(try await bench.bench.clear(.all)["downloads"] == 0)
        // What is wanted from now on is fetched.
        let later = try await bench.downloads.fetch(NewDownload(server.address("d"), service: "app"))
        #expect(await bench.end(of: later.id)?.state == .done)
        await bench.end()
    }
}
