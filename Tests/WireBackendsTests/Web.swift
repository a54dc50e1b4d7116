import Foundation
import Support
import Synchronization
import WireBase
import WireConfig

/// A client as simple as can be: one request a connection.
struct Web: Sendable {
    struct Failure: Error {
        let text: String
    }

    let host: String
    let port: Int

    init(_ base: String) throws {
        guard let url = URL(string: base), let port = url.port, let host = url.host else { throw Failure(text: base) }
        (self.host, self.port) = (host, port)
    }

    func get(_ path: String, _ fields: [String] = []) async throws -> RawClient.Answer {
        try await ask("GET", path, fields)
    }

    /// Sends JSON.
    func send(_ method: String, _ path: String, _ json: String, _ fields: [String] = []) async throws
        -> RawClient.Answer
    {
        try await ask(method, path, fields + ["Content-Type: application/json"], body: json)
    }

    func ask(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil, host: String? = nil)
        async throws -> RawClient.Answer
    {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "\(self.host):\(port)")\r\nConnection: close\r\n"
        for field in fields { head += "\(field)\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        let client = try await RawClient.connect(
            to: .tcp(self.host, port),
            sending: Array("\(head)\r\n\(body ?? "")".utf8)
        )
        let answer = try await client.answer(toHead: method == "HEAD")
        try await client.close()
        return answer
    }
}

extension RawClient.Answer {
    var json: JSONValue { (try? JSONValue(parsing: body, named: "answer")) ?? .null }
}

/// Something one test changes, one step after the other.
final class Mutable<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
