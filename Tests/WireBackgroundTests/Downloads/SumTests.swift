import Foundation
import Support
import Testing
import WireBase
import WireCrypto
import WireDownloadContract
import WireSecrets
import Workbench

@Suite("Download checksums")
struct SumTests {
    private static func sum(seed: Int = 1) throws -> String {
        try OpenSSLSecrecy().digest(Array(FileServer.content(seed: seed))).hexadecimal
    }

    @Test("a file with the expected SHA-256 is done, in one or several parts")
    func right() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let sum = try Self.sum()
        for script in ["[{}]", #"[{"cut":150000},{}]"#, #"[{"cut":150000},{"seed":2,"ranges":false,"cut":10},{}]"#] {
            let done = try await bench.fetch(server.address("a", script)) { $0.sha256 = sum.uppercased() }
            #expect(done.state == .done, "\(done.reason ?? "")")
        }
        await bench.end()
    }

    @Test("a file with another SHA-256 is removed")
    func wrong() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let sum = try Self.sum(seed: 2)
        let failed = try await bench.fetch(server.address("a")) { $0.sha256 = sum }
        #expect(failed.state == .failed)
        #expect(failed.reason == "the file has the SHA-256 \(try Self.sum()), which does not match")
        #expect(bench.names.isEmpty && bench.drafts.isEmpty)
        await bench.end()
    }

    @Test("with a SHA-256 a download resumes without a validator, and restarts on a mismatch")
    func unnamed() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let sum = try Self.sum()
        let same = #"[{"etag":"","cut":150000},{"etag":""}]"#
        #expect(try await bench.fetch(server.address("same", same)) { $0.sha256 = sum }.state == .done)
        #expect(try await server.questions("same").map { $0.hasPrefix("bytes=") } == [false, true])
        let other = #"[{"etag":"","seed":2,"cut":150000},{"etag":""}]"#
        #expect(try await bench.fetch(server.address("other", other)) { $0.sha256 = sum }.state == .done)
        #expect(try await server.questions("other").map { $0.hasPrefix("bytes=") } == [false, true, false])
        await bench.end()
    }

    @Test("after a restart, existing bytes are included in the SHA-256")
    func restarted() async throws {
        let server = try await FileServer.start()
        let folder = try TemporaryFolder()
        let first = try await DownloadBench(in: folder)
        var requestedRun = NewDownload(
            server.address("a", #"[{"wait":{"at":200000,"for":"never"}},{}]"#),
            service: "app"
        )
        requestedRun.sha256 = try Self.sum()
        let id = try await first.downloads.fetch(requestedRun).id
        try await server.waits(at: "never")
        #expect(await eventually { first.downloads.find(id)?.received ?? 0 >= 100_000 })
        await first.vanish()
        let second = try await DownloadBench(in: folder)
        #expect(await second.downloads.ended(id)?.state == .done)
        // Had it begun anew, nothing would have been there to count.
        #expect(try await server.questions("a").map { $0.hasPrefix("bytes=") } == [false, true])
        await second.end()
    }
}
