import Foundation
import Support
import Testing
import WireBase
import WireHTTP
import WireListener

private struct Hello: Responder {
    func exchange(for head: Request) -> Exchange {
        Exchange(
            .collect(upTo: .mebibytes(1)) { request in
                .now(
                    Response(
                        .ok,
                        fields: ["Content-Type": "text/plain"],
                        body: .bytes(Array("hello ".utf8) + request.body)
                    )
                )
            }
        )
    }
}

@Suite("Listener sockets", .timeLimit(.minutes(1)))
struct SocketTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func listener(_ name: String, mode: UInt32 = 0o600) -> HTTPListener {
        HTTPListener(at: .unix(path: path(name), mode: mode), Hello())
    }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("the socket has the requested mode, in a private folder")
    func modes() async throws {
        let listener = listener("inner/s", mode: 0o660)
        try listener.start()
        #expect(try mode("inner/s") == 0o660)
        #expect(try mode("inner") == 0o700)
        await listener.stop(within: .zero)
        #expect(!FileManager.default.fileExists(atPath: path("inner/s")))
    }

    @Test("a stale socket of an ended runner is replaced")
    func stale() async throws {
        // A socket that is bound and closed leaves its file behind.
        let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])"
        #expect(try Program.run("/usr/bin/python3", ["-c", script, path("s")]).status == 0)
        let listener = listener("s")
        try listener.start()
        let client = try await RawClient.connect(to: .unix(path("s")))
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer().text == "hello ")
        await listener.stop(within: .zero)
    }

    @Test("a socket in use is left alone")
    func occupied() async throws {
        let first = listener("s")
        try first.start()
        #expect(
            failure { try listener("s").start() } == "cannot listen at '\(path("s"))': another process listens there"
        )
        let client = try await RawClient.connect(to: .unix(path("s")))
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer().text == "hello ")
        await first.stop(within: .zero)
    }

    @Test("a file that is not a socket is never removed")
    func noSocket() throws {
        try folder.write("precious", to: "s")
        #expect(
            failure { try listener("s").start() }
                == "cannot listen at '\(path("s"))': a file that is not a socket exists there"
        )
        #expect(try folder.text(of: "s") == "precious")
        try FileManager.default.createSymbolicLink(atPath: path("l"), withDestinationPath: path("s"))
        #expect(failure { try listener("l").start() }.hasSuffix("a file that is not a socket exists there"))
    }

    @Test("a socket file replaced meanwhile is not removed at the end")
    func replaced() async throws {
        let first = listener("s")
        try first.start()
        try FileManager.default.removeItem(atPath: path("s"))
        let second = listener("s")
        try second.start()
        await first.stop(within: .zero)
        #expect(FileManager.default.fileExists(atPath: path("s")))
        await second.stop(within: .zero)
        #expect(!FileManager.default.fileExists(atPath: path("s")))
    }

    @Test("a folder is created for the socket, but no parent folder")
    func noFolder() {
        #expect(
            failure { try listener("a/b/s").start() }
                == "cannot listen at '\(path("a/b/s"))': the folder cannot be created: no such file or directory"
        )
        #expect(!FileManager.default.fileExists(atPath: path("a")))
    }

    @Test("the rest of an unread request is drained")
    func readAway() throws {
        var ends: [Int32] = [-1, -1]
        let made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        try #require(made == 0)
        defer { for end in ends { close(end) } }
        #expect(!RawAnswer.readAway(ends[0]), "nothing has come, and more may")
        let sent = unsafe write(ends[1], "late", 4)
        #expect(sent == 4)
        #expect(!RawAnswer.readAway(ends[0]))
        _ = shutdown(ends[1], Int32(SHUT_WR))
        #expect(RawAnswer.readAway(ends[0]))
        #expect(RawAnswer.readAway(-1), "of what is no socket nothing comes")
    }

    @Test("a path that is too long is rejected with its length")
    func longPath() async throws {
        let room = 108 - path("a").utf8.count
        try #require(room > 0)
        let longest = listener(String(repeating: "a", count: room))
        try longest.start()
        await longest.stop(within: .zero)
        #expect(
            failure { try listener(String(repeating: "a", count: room + 1)).start() }
                .hasSuffix(": the path has 108 bytes, expected 1 to 107 without NUL")
        )
    }

    @Test("an invalid address, or one in use, is rejected")
    func addresses() async throws {
        func start(_ host: String, _ port: Int) -> String {
            failure { try HTTPListener(at: .tcp(host: host, port: port), Hello()).start() }
        }
        #expect(start("example.com", 0).hasSuffix("expected an IPv4 or IPv6 address, or 'localhost'"))
        for port in [-1, 65_536] {
            #expect(start("127.0.0.1", port).hasSuffix("expected a port from 0 to 65535"))
        }
        let first = HTTPListener(at: .tcp(host: "localhost", port: 0), Hello())
        try first.start()
        guard case .tcp(_, let port) = first.endpoint else {
            Issue.record("it has no port")
            return
        }
        #expect(port > 0)
        #expect(start("127.0.0.1", port).hasSuffix("address already in use"))
        await first.stop(within: .zero)
    }

    @Test("an inherited socket is used, and not removed")
    func inherited() async throws {
        let first = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Hello())
        #expect(
            failure { try HTTPListener(at: .inherited(descriptor: 0), Hello()).start() }.contains("it is not a socket")
        )
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let unbound = HTTPListener(at: .inherited(descriptor: descriptor), Hello())
        #expect(failure { try unbound.start() }.hasSuffix("the socket is not listening"))
        #expect(listen(descriptor, 8) == 0)
        try unbound.start()
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", Int(UInt16(bigEndian: address.sin_port))))
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer().text == "hello ")
        await unbound.stop(within: .zero)
        #expect(fcntl(descriptor, F_GETFD) >= 0)
        await first.stop(within: .zero)
    }

    @Test("curl and Python clients work")
    func strangers() async throws {
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Hello())
        try listener.start()
        let socket = self.listener("s")
        try socket.start()
        guard case .tcp(_, let port) = listener.endpoint else {
            Issue.record("it has no port")
            return
        }
        let url = "http://127.0.0.1:\(port)"
        try folder.write(String(repeating: "x", count: 200_000), to: "body")
        let file = path("body")
        let runs = try await Self.aside {
            [
                try Program.run("curl", ["-sS", "--max-time", "20", "\(url)/a", "\(url)/b"]),
                try Program.run(
                    "curl",
                    ["-sS", "--max-time", "20", "-H", "Expect: 100-continue", "--data-binary", "@\(file)", url]
                ),
                try Program.run(
                    "curl",
                    ["-sS", "--max-time", "20", "-T", "-", "-X", "POST", url],
                    input: Data("piped".utf8)
                ),
                try Program.run("curl", ["-sSI", "--max-time", "20", url]),
                try Program.run(
                    "curl",
                    ["-sS", "--max-time", "20", "--unix-socket", self.path("s"), "http://localhost/"]
                ),
                try Program.run("/usr/bin/python3", ["-c", Self.python, "\(port)"]),
            ]
        }
        #expect(runs.map(\.errors) == Array(repeating: "", count: runs.count))
        #expect(runs[0].output == "hello hello ")
        #expect(runs[1].output.utf8.count == 200_006)
        #expect(runs[2].output == "hello piped")
        #expect(runs[3].output.contains("Content-Length: 6\r\n"))
        #expect(runs[4].output == "hello ")
        #expect(runs[5].output == "hello one\nhello two\n413\n")
        await listener.stop(within: .zero)
        await socket.stop(within: .zero)
    }

    private static let python = """
        import http.client, sys
        c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=20)
        for body in (b'one', iter([b'tw', b'o'])):
            c.request('POST', '/', body=body, encode_chunked=True)
            print(c.getresponse().read().decode())
        try: c.request('POST', '/', body=b'x' * (4 << 20))
        except (BrokenPipeError, ConnectionResetError): pass
        print(c.getresponse().status)
        """

    /// Waits for other programs where nobody else waits.
    private static func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test("without free descriptors the listener waits, and continues")
    func exhaustion() async {
        await #expect(processExitsWith: .success) {
            let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Hello())
            try listener.start()
            guard case .tcp(let host, let port) = listener.endpoint else { exit(5) }
            let before = try await RawClient.connect(to: .tcp(host, port))
            try await before.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            guard try await before.answer().status == 200 else { exit(1) }
            // The last descriptor goes to the client, so that none is left to accept it with.
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
            var taken: [Int32] = []
            limit.rlim_cur = 64
            unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
            while true {
                let descriptor = dup(0)
                if descriptor < 0 { break }
                taken.append(descriptor)
            }
            guard let last = taken.popLast() else { exit(2) }
            close(last)
            let client = try await RawClient.connect(to: .tcp(host, port))
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            // Those who were there are still answered.
            try await before.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            guard try await before.answer().status == 200, listener.counts.acceptedConnections == 1 else { exit(3) }
            for descriptor in taken { close(descriptor) }
            guard try await client.answer().status == 200 else { exit(4) }
            await listener.stop(within: .zero)
            exit(0)
        }
    }
}
