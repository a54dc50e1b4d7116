import Corewire
import Foundation
import Support
import Testing

@Suite("Downloads through the Swift API")
struct DownloadsAPITests {
    @Test("a file is downloaded with progress, and is at the reported path")
    func fetched() async throws {
        let server = try PlainFiles(["map.zip": Data(repeating: 7, count: 3_000_000)])
        let program = try await EmbeddedProgram(sections: "background: { downloads: { directory: files } }")
        let downloads = program.corewire.downloads
        let wanted = try await downloads.fetch("\(server.base)/map.zip", id: "map")
        var last: Corewire.Download?
        for await progress in downloads.progress(of: wanted.id) { last = progress }
        #expect(last?.state == .done)
        #expect(last?.received == 3_000_000)
        let path = try await downloads.file(of: "map")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 7, count: 3_000_000))
        #expect(downloads["map"]?.state == .done)
        #expect(downloads.all.map(\.id) == ["map"])
        #expect(try await program.ask("GET", "/v1/downloads/map").text.contains(#""state":"done""#))
        try await downloads.cancel("map", removingFile: true)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(downloads["map"] == nil)
        await program.stop()
    }

    @Test("a failed download reports the reason")
    func refused() async throws {
        let program = try await EmbeddedProgram(
            sections: "background: { downloads: { directory: files, hosts: [a.example] } }"
        )
        let downloads = program.corewire.downloads
        let forbidden = await #expect(throws: CorewireError.self) {
            try await downloads.fetch("https://b.example/x")
        }
        #expect(forbidden?.code == .downloadForbidden)
        #expect(forbidden?.setting?.path == "background.downloads.hosts")
        let unnamed = await #expect(throws: CorewireError.self) {
            try await downloads.fetch("https://a.example/x", name: "../x")
        }
        #expect(unnamed?.code == .invalidDownload)
        let unknown = await #expect(throws: CorewireError.self) { try await downloads.pause("none") }
        #expect(unknown?.code == .noSuchDownload)
        await program.stop()
        let stopped = await #expect(throws: CorewireError.self) {
            try await downloads.fetch("https://a.example/x")
        }
        #expect(stopped?.code == .stopped)
    }

    @Test(
        "without a downloads folder the error says so",
        arguments: [("background: {}", CorewireError.Code.downloadsUndeclared), ("persistence: {}", .noService)]
    )
    func undeclared(sections: String, code: CorewireError.Code) async throws {
        let program = try await EmbeddedProgram(sections: sections)
        let downloads = program.corewire.downloads
        let fetched = await #expect(throws: CorewireError.self) {
            try await downloads.fetch("https://a.example/x")
        }
        let paused = await #expect(throws: CorewireError.self) { try await downloads.pause("none") }
        for error in [fetched, paused] {
            #expect(error?.code == code)
            #expect(error?.help == "set 'directory' of 'background.downloads'")
        }
        #expect(downloads.all.isEmpty && downloads["none"] == nil)
        await program.stop()
    }
}

/// A server of a few files, which python brings; it ends with the test.
final class PlainFiles: Sendable {
    let base: String
    private let folder: TemporaryFolder
    private let program: StartedProgram

    init(_ files: [String: Data]) throws {
        folder = try TemporaryFolder()
        for (name, data) in files { try folder.write(data, to: "files/\(name)") }
        let script = """
            import functools, http.server, os, sys
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            open(sys.argv[2] + ".new", "w").write(str(server.server_address[1]))
            os.rename(sys.argv[2] + ".new", sys.argv[2])
            server.serve_forever()
            """
        let port = folder.url.appendingPathComponent("port")
        program = try StartedProgram(
            "/usr/bin/python3",
            ["-c", script, folder.url.appendingPathComponent("files").path, port.path],
            environment: ["LC_ALL": "C.UTF-8"],
            output: folder.url.appendingPathComponent("out").path,
            errors: folder.url.appendingPathComponent("errors").path
        )
        // It writes the port once it listens; nothing else of it can be waited for.
        var found: String?
        while found == nil {
            found = try? String(contentsOf: port, encoding: .utf8)
            if found == nil { usleep(10_000) }
        }
        base = "http://127.0.0.1:\(found ?? "")"
    }
}
