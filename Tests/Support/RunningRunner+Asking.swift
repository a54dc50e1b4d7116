import Foundation

extension RawClient {
    /// A new connection over which these bytes have been sent.
    ///
    /// Where the machine is so busy that the other side gave up waiting for them, it is tried again.
    package static func connect(to address: Address, sending bytes: [UInt8]) async throws -> RawClient {
        for _ in 0..<20 {
            let client = try await connect(to: address)
            do {
                try await client.send(bytes)
                return client
            } catch is Failure {
                try await client.close()
            }
        }
        throw Failure(description: "every connection is closed before anything can be sent")
    }
}

extension RunningRunner.Home {
    /// A connection to the socket of a runner here, over which these very bytes have been sent.
    package func connect(sending text: String, to app: String = "com.example.tasks") async throws -> RawClient {
        try await RawClient.connect(to: .unix(socket(of: app)), sending: Array(text.utf8))
    }

    /// Sends one request over a connection of its own, and takes the whole answer.
    package func ask(
        _ method: String,
        _ path: String,
        _ fields: [String] = [],
        body: [UInt8]? = nil,
        of app: String = "com.example.tasks"
    ) async throws -> RawClient.Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields { head += "\(field)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + (body ?? [])
        let client = try await RawClient.connect(to: .unix(socket(of: app)), sending: bytes)
        let answer = try await client.answer(toHead: method == "HEAD")
        try await client.close()
        return answer
    }

    /// Watches a stream of server-sent events; it stands when this returns.
    package func watch(
        _ path: String,
        after id: String? = nil,
        of app: String = "com.example.tasks"
    ) async throws -> EventReader {
        let last = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(last)\r\n"
        let client = try await connect(sending: head, to: app)
        let answer = try await client.head()
        guard answer.status == 200, answer["Content-Type"] == "text/event-stream" else {
            throw RunningRunner.NotReady(description: "no stream: \(answer)")
        }
        return EventReader(client)
    }
}

extension RunningRunner {
    package func connect(sending text: String) async throws -> RawClient { try await home.connect(sending: text) }

    package func ask(
        _ method: String,
        _ path: String,
        _ fields: [String] = [],
        body: [UInt8]? = nil
    ) async throws -> RawClient.Answer {
        try await home.ask(method, path, fields, body: body)
    }

    package func ask(_ method: String, _ path: String, _ fields: [String] = [], text: String) async throws
        -> RawClient.Answer
    {
        try await home.ask(method, path, fields, body: Array(text.utf8))
    }

    package func watch(_ path: String, after id: String? = nil) async throws -> EventReader {
        try await home.watch(path, after: id)
    }

    /// Writes another services file, and has it read; gives what the runner says to that.
    package func reload(_ file: String) async throws -> RawClient.Answer {
        try home.write(file)
        return try await ask("POST", "/v1/reload", ["Content-Type: application/json"], text: "{}")
    }
}
