import Support
import Synchronization
import WireBase
import WireHTTP
import WireListener

/// A server that answers as a test says, and remembers what it was asked.
final class ScriptedServer: Responder {
    typealias Script = @Sendable (_ number: Int, Request) async -> Response

    private let script: Script
    private let requests = Mutex<[Request]>([])
    private let listener = Mutex<HTTPListener?>(nil)
    private let life = Mutex<Task<Void, Never>?>(nil)

    /// Numbers requests from 1.
    init(_ script: @escaping Script = { _, _ in Response(.ok, body: .bytes(Array("hello".utf8))) }) throws {
        self.script = script
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), self)
        try listener.start()
        self.listener.withLock { $0 = listener }
        life.withLock { $0 = Task { await listener.run() } }
    }

    func stop() async {
        await listener.withLock { $0 }?.stop(within: .seconds(1))
        listener.withLock { $0 = nil }
    }

    var port: Int {
        guard case .tcp(_, let port) = listener.withLock({ $0 })?.endpoint else { return 0 }
        return port
    }

    var url: String { "http://127.0.0.1:\(port)" }

    var seen: [Request] { requests.withLock { $0 } }
    var paths: [String] { seen.map(\.target.text) }

    func exchange(for head: Request) -> Exchange {
        Exchange(
            .collect(upTo: .mebibytes(64)) { request in
                .later {
                    let number = self.requests.withLock { requests in
                        requests.append(request)
                        return requests.count
                    }
                    return await self.script(number, request)
                }
            }
        )
    }
}

extension Response {
    static func text(_ text: String, _ status: Int = 200, _ fields: Fields = [:]) -> Response {
        Response(Status(status), fields: fields, body: .bytes(Array(text.utf8)))
    }
}

extension Request {
    var bodyText: String { String(decoding: body, as: UTF8.self) }
}
