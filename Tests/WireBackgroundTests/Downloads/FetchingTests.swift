import Foundation
import Support
import Testing
import WireBase
import WireDownloadContract
import WireHTTP
import WireSQLite
import Workbench

@Suite("Downloading files")
struct FetchingTests {
    @Test("a file gets its name only when it is complete")
    func fetched() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let script = #"[{"wait":{"at":100000,"for":"half"}}]"#
        let begun = try await bench.downloads.fetch(NewDownload(server.address("report.pdf", script), service: "app"))
        #expect([nil, "the download is about to start"].contains(begun.reason))
        try await server.waits(at: "half")
        #expect(bench.names.isEmpty)
        #expect(bench.drafts.count == 1)
        try server.open("half")
        let done = try #require(await bench.downloads.ended(begun.id))
        #expect(done.state == .done)
        #expect(done.path == bench.folder.appendingPathComponent("report.pdf").path)
        #expect(bench.names == ["report.pdf"])
        #expect(bench.drafts.isEmpty)
        #expect(try bench.data("report.pdf") == FileServer.content())
        await bench.end()
    }

    @Test("equal requests share one download")
    func sameWish() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let address = server.address("same.bin")
        let first = try await bench.fetch(address)
        let second = try await bench.fetch(address)
        #expect(second.state == .done)
        #expect(second.id == first.id)
        #expect(try await server.questions("same.bin").count == 1)
        await bench.end()
    }

    @Test("a download that cannot be stored is rejected with the store's reason")
    func closedStore() async throws {
        let bench = try await DownloadBench()
        await bench.bench.store.close()
        let refusal = await #expect(throws: DownloadFailure.self) {
            try await bench.downloads.fetch(NewDownload("https://files.example.com/a", service: "app"))
        }
        #expect(refusal?.kind == .storeUnavailable && refusal?.reason == "the store is closed")
        await bench.vanish()
    }

    @Test("an interrupted download resumes after a restart, for the same version of the file")
    func restarted() async throws {
        let server = try await FileServer.start()
        let folder = try TemporaryFolder()
        let first = try await DownloadBench(in: folder)
        let script = #"[{"wait":{"at":200000,"for":"never"}},{}]"#
        let requestedRun = try await first.downloads.fetch(
            NewDownload(server.address("big.bin", script), service: "app")
        )
        try await server.waits(at: "never")
        #expect(await eventually { first.downloads.find(requestedRun.id)?.received ?? 0 >= 100_000 })
        await first.vanish()
        let second = try await DownloadBench(in: folder)
        let done = try #require(await second.downloads.ended(requestedRun.id))
        #expect(done.state == .done)
        let asked = try await server.questions("big.bin")
        #expect(asked.count == 2)
        #expect(asked.last?.hasPrefix("bytes=") == true)
        #expect(asked.last?.contains(#""1""#) == true)
        #expect(try second.data("big.bin") == FileServer.content())
        await second.end()
    }
}
