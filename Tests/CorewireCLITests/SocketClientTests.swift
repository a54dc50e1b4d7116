import CorewireCLI
import Foundation
import Glibc
import Support
import Testing
import WireBase
import WireHTTP

/// What takes too long for the program as it is, and what it never does: to change its mind.
@Suite("Requests over a Unix socket")
struct SocketClientTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(short: true)
        path = folder.url.appendingPathComponent("f.sock").path
    }

    private func kind(_ request: SocketRequest, reading: Bool = false) async -> TransferFailure.Kind? {
        do {
            let answer = try await SocketClient.send(request, to: path)
            if reading { while try await answer.body.read() != nil {} }
            return nil
        } catch {
            return (error as? TransferFailure)?.kind
        }
    }

    @Test("a missing response head causes a timeout")
    func headTime() async throws {
        let socket = try ForeignSocket(at: path, answering: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), then: .holds)
        var request = SocketRequest(.get, "/")
        request.headLimit = .milliseconds(50)
        #expect(await kind(request) == .timeout)
        withExtendedLifetime(socket) {}
    }

    @Test("a stalled body causes a timeout, even if empty chunks arrive")
    func silence() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
        let socket = try ForeignSocket(at: path, answering: Array("\(head)1".utf8), then: .holds)
        var request = SocketRequest(.get, "/")
        request.silence = .milliseconds(50)
        let answer = try await SocketClient.send(request, to: path)
        #expect(try await answer.body.read() == Array("{}".utf8))
        for _ in 0..<2 {
            await #expect { try await answer.body.read() } throws: { ($0 as? TransferFailure)?.kind == .timeout }
        }
        withExtendedLifetime(socket) {}
    }

    @Test("a connect to a full socket backlog times out")
    func full() async throws {
        let socket = try ForeignSocket(silentAt: path)
        let others = try ForeignSocket.fill(path)
        defer { for other in others { close(other) } }
        var request = SocketRequest(.get, "/")
        request.connectLimit = .milliseconds(50)
        #expect(await kind(request) == .timeout)
        withExtendedLifetime(socket) {}
    }

    @Test("a connect to a missing socket fails")
    func missing() async {
        #expect(await kind(SocketRequest(.get, "/")) == .unreachable)
    }

    @Test("a response before the end of the request is accepted")
    func early() async throws {
        let refusal = ForeignSocket.answer("{}", status: "413 Content Too Large")
        let socket = try ForeignSocket(at: path, answering: refusal, then: .holds, reads: false)
        var request = SocketRequest(.post, "/")
        request.body = Array(repeating: 0, count: 8 << 20)
        let answer = try await SocketClient.send(request, to: path)
        #expect(answer.status == .contentTooLarge)
        #expect(try await answer.body.collect(upTo: .kibibytes(1)) == Array("{}".utf8))
        withExtendedLifetime(socket) {}
    }

    @Test("a response to HEAD has no body", arguments: [Method.head, .get])
    func noBody(method: Method) async throws {
        let status = method == .head ? "200 OK" : "204 No Content"
        let head = "HTTP/1.1 \(status)\r\nContent-Length: 7\r\n\r\n"
        let socket = try ForeignSocket(at: path, answering: Array(head.utf8), then: .holds)
        let answer = try await SocketClient.send(SocketRequest(method, "/"), to: path)
        #expect(try await answer.body.read() == nil)
        withExtendedLifetime(socket) {}
    }

    @Test("a header value with a line break is not sent")
    func injection() async {
        var request = SocketRequest(.get, "/")
        request.fields["X-A"] = "b\r\nX-C: d"
        #expect(await kind(request) == .invalidRequest)
        #expect(await kind(SocketRequest(.get, "/ HTTP/1.1\r\nX-C: d")) == .invalidRequest)
    }

    @Test("a cancelled task stops waiting, and closes its connection", arguments: [false, true])
    func cancellation(hasHead: Bool) async throws {
        let head = hasHead ? Array("HTTP/1.1 200 OK\r\n\r\n".utf8) : []
        let socket = try ForeignSocket(at: path, answering: head, then: .holds)
        let task = Task { await kind(SocketRequest(.get, "/"), reading: true) }
        #expect(await eventually { socket.asked == 1 })
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await eventually { socket.gone == 1 })
    }

    @Test("an abandoned response is read no further")
    func letGo() async throws {
        let endless = ForeignSocket.Ending.repeats(Array(repeating: 0x20, count: 65_536))
        let socket = try ForeignSocket(at: path, answering: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), then: endless)
        do {
            let answer = try await SocketClient.send(SocketRequest(.get, "/"), to: path)
            _ = try await answer.body.read()
        }
        #expect(await eventually { socket.gone == 1 })
    }
}
