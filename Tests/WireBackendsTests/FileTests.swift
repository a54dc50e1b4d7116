import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("The file server", .timeLimit(.minutes(2)))
struct FileTests {
    /// A house with a folder of files, and a web for it.
    private func run(_ play: @escaping @Sendable (Web, URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let files = folder.url.appendingPathComponent("shared")
        try FileManager.default.createDirectory(
            at: files.appendingPathComponent("inner"),
            withIntermediateDirectories: true
        )
        try Data("hello, file\n".utf8).write(to: files.appendingPathComponent("hello.txt"))
        try Data("{}".utf8).write(to: files.appendingPathComponent("inner/a b.json"))
        try Data("secret".utf8).write(to: folder.url.appendingPathComponent("outside.txt"))
        try FileManager.default.createSymbolicLink(
            atPath: files.appendingPathComponent("link.txt").path,
            withDestinationPath: "../outside.txt"
        )
        try await House.run(more: "  files: { directory: \"\(files.path)\" }") { house in
            try await play(Web(#require(house.base)), files)
        }
    }

    @Test("a file is returned whole, with length, type and ETag; HEAD returns the same without a body")
    func whole() async throws {
        try await run { web, _ in
            let answer = try await web.get("/files/hello.txt")
            #expect(answer.status == 200 && answer.text == "hello, file\n")
            #expect(answer["Content-Length"] == "12" && answer["Transfer-Encoding"] == nil)
            #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
            #expect(answer["ETag"]?.hasPrefix("\"") == true && answer["Last-Modified"]?.hasSuffix(" GMT") == true)
            #expect(answer["Accept-Ranges"] == "bytes")
            let head = try await web.ask("HEAD", "/files/hello.txt")
            #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == "12")
            #expect(head["ETag"] == answer["ETag"])
            #expect(try await web.get("/files/inner/a%20b.json").text == "{}")
            #expect(
                try await web.get("/files/").json["files"]?.array?.compactMap { $0["name"]?.string } == ["hello.txt"]
            )
        }
    }

    @Test(
        "no path leads out of the folder",
        arguments: ["link.txt", "..%2foutside.txt", "inner", "inner/", "inner%2f..%2f..%2foutside.txt", "no", "a%00b"]
    )
    func confined(path: String) async throws {
        try await run { web, _ in
            let answer = try await web.get("/files/\(path)")
            #expect([400, 404].contains(answer.status))
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test(
        "range requests follow RFC 9110",
        arguments: [
            ("bytes=0-4", 206, "hello"), ("bytes=7-", 206, "file\n"), ("bytes=-5", 206, "file\n"),
            ("bytes=0-99999999999999999999999", 206, "hello, file\n"), ("bytes=-999", 206, "hello, file\n"),
            ("BYTES=0-0", 206, "h"), ("bytes=12-", 416, ""), ("bytes=-0", 416, ""),
            ("bytes=99999999999999999999-", 416, ""), ("bytes=4-1", 200, "hello, file\n"),
            ("bytes=a-b", 200, "hello, file\n"), ("bytes=-", 200, "hello, file\n"), ("lines=1-2", 200, "hello, file\n"),
            ("bytes=0-1,3-4", 200, "hello, file\n"), ("bytes=0-1-2", 200, "hello, file\n"),
        ]
    )
    func ranges(range: String, status: Int, text: String) async throws {
        try await run { web, _ in
            let answer = try await web.get("/files/hello.txt", ["Range: \(range)"])
            #expect(answer.status == status && answer.text == text)
            #expect((answer["Content-Range"] != nil) == (status != 200))
            if status == 416 { #expect(answer["Content-Range"] == "bytes */12") }
            if range == "bytes=7-" { #expect(answer["Content-Range"] == "bytes 7-11/12") }
        }
    }

    @Test("conditional requests are honoured: If-Range, and 304 for a known ETag")
    func conditions() async throws {
        try await run { web, files in
            let whole = try await web.get("/files/hello.txt")
            let (tag, date) = (try #require(whole["ETag"]), try #require(whole["Last-Modified"]))
            let range = "Range: bytes=0-0"
            #expect(try await web.get("/files/hello.txt", [range, "If-Range: \(tag)"]).status == 206)
            #expect(try await web.get("/files/hello.txt", [range, "If-Range: \(date)"]).status == 206)
            #expect(try await web.get("/files/hello.txt", [range, "If-Range: W/\(tag)"]).status == 200)
            #expect(try await web.get("/files/hello.txt", ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await web.get("/files/hello.txt", ["If-Modified-Since: \(date)"]).status == 304)
            #expect(try await web.get("/files/hello.txt", ["If-Match: \"other\""]).status == 412)
            let long = "Sun, 06 Nov 1994 08:49:37 GMT"
            #expect(try await web.get("/files/hello.txt", ["If-Unmodified-Since: \(long)"]).status == 412)
            #expect(try await web.get("/files/hello.txt", ["If-Modified-Since: \(long)"]).status == 200)
            try Data("changed file\n".utf8).write(to: files.appendingPathComponent("hello.txt"))
            let changed = try await web.get("/files/hello.txt", [range, "If-Range: \(tag)"])
            #expect(changed.status == 200 && changed.text == "changed file\n" && changed["ETag"] != tag)
        }
    }

    @Test("generated files are deterministic by seed, including all ranges")
    func generated() async throws {
        try await run { web, _ in
            let path = "/files/generated/100KiB?seed=3"
            let whole = try await web.get(path)
            #expect(whole.body.count == 102_400)
            #expect(try await web.get(path).body == whole.body)
            for (first, last) in [(0, 0), (1, 17), (8, 15), (65_530, 65_545), (102_399, 102_399)] {
                let part = try await web.get(path, ["Range: bytes=\(first)-\(last)"])
                #expect(part.status == 206 && part.body == Array(whole.body[first...last]))
            }
            let other = try await web.get("/files/generated/100KiB?seed=4")
            #expect(other.body != whole.body && other["ETag"] != whole["ETag"])
            #expect(try await web.ask("HEAD", "/files/generated/1TiB")["Content-Length"] == "\(1 << 40)")
            for wrong in ["2TiB", "x", "-1B", "99999999999999999999B", "1MB", "1MiB?seed=x"] {
                #expect(try await web.get("/files/generated/\(wrong)").status == 400)
            }
        }
    }

    @Test("curl resumes a download, and gets the same bytes")
    func curl() async throws {
        let folder = try TemporaryFolder()
        try await run { web, _ in
            let url = "http://\(web.host):\(web.port)/files/generated/3000001B?seed=9"
            let (whole, part) = (folder.url.appendingPathComponent("whole"), folder.url.appendingPathComponent("part"))
            try await Background.run("/usr/bin/curl", ["-sSf", "-o", whole.path, url])
            try await Background.run("/usr/bin/curl", ["-sSf", "-r", "0-999999", "-o", part.path, url])
            try await Background.run("/usr/bin/curl", ["-sSf", "-C", "-", "-o", part.path, url])
            #expect(try Data(contentsOf: whole) == Data(contentsOf: part))
            #expect(try Data(contentsOf: whole).count == 3_000_001)
        }
    }
}

/// Programs that the server under test answers, so that nothing may wait for them on its threads.
enum Background {
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let run = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Program.run(program, arguments) })
            }
        }
        guard run.status == 0 else { throw Web.Failure(text: run.everything) }
        return run.output
    }
}
