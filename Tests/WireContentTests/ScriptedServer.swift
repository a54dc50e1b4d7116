import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireListener

/// A content server that says what a test tells it to, over a real socket.
final class ScriptedServer: Responder {
    typealias Answer = @Sendable (Asked) -> Response

    struct Unexpected: Error {}

    /// A request as it came.
    struct Asked: Sendable {
        /// `POST instance/search`, below `api/generalcontent`.
        let what: String
        let query: String
        let fields: Fields
        let body: String

        var json: JSONValue { (try? JSONValue(parsing: Array(body.utf8), named: "body")) ?? .null }
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var asked: [Asked] = []
    }

    private let state = Mutex(State())
    private let listener = Mutex<HTTPListener?>(nil)
    private let address = Mutex("")

    static func start() throws -> ScriptedServer {
        let server = ScriptedServer()
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), server)
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else { throw Unexpected() }
        server.address.withLock { $0 = "http://\(host):\(port)/api/generalcontent" }
        server.listener.withLock { $0 = listener }
        return server
    }

    var url: String { address.withLock { $0 } }

    func stop() async { await listener.withLock { $0 }?.stop(within: .zero) }

    func say(_ what: String, _ answer: @escaping Answer) { state.withLock { $0.answers[what] = answer } }

    func say(_ what: String, _ text: String) { say(what, 200, text) }

    func say(_ what: String, _ status: Int, _ text: String) {
        say(what) { _ in .json(status, text) }
    }

    /// Says one after the other, and the last for good.
    func say(_ what: String, inTurn texts: [String]) {
        let left = Mutex(texts)
        say(what) { _ in
            .json(200, left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
    }

    func asked(_ what: String) -> [Asked] { state.withLock { $0.asked.filter { $0.what == what } } }

    func exchange(for head: Request) -> Exchange {
        Exchange(
            .collect(upTo: .mebibytes(16)) { request in
                let path = request.target.path.split(separator: "/").dropFirst(2).joined(separator: "/")
                let asked = Asked(
                    what: "\(request.method.name) \(path)",
                    query: String(request.target.text.dropFirst(request.target.path.count)),
                    fields: request.fields,
                    body: String(decoding: request.body, as: UTF8.self)
                )
                let answer = self.state.withLock { state in
                    state.asked.append(asked)
                    return state.answers[asked.what]
                }
                return .now(answer?(asked) ?? .json(404, #"{"error":{"message":"nothing there"}}"#))
            }
        )
    }
}

extension Response {
    static func json(_ status: Int, _ text: String) -> Response {
        Response(Status(status), fields: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }
}
