import Foundation
import Support
import Synchronization
import Testing
package import WireHTTP

/// The rules for every listener, run against one over sockets of each kind.
package struct ListenerConformance: Sendable {
    /// Makes a listener that has not been started.
    package typealias Maker = @Sendable (Endpoint, ListenerLimits, any Responder) -> any Listener

    package enum Kind: Sendable, CaseIterable {
        case unix, tcp4, tcp6
    }

    /// A rule for listeners.
    package struct Rule: Sendable, CustomTestStringConvertible {
        package let testDescription: String
        let check: @Sendable (ListenerConformance) async throws -> Void

        init(_ sentence: String, _ check: @escaping @Sendable (ListenerConformance) async throws -> Void) {
            testDescription = sentence
            self.check = check
        }
    }

    let make: Maker
    let kind: Kind
    /// Whether asynchronous work may begin on the listener's own threads.
    let runsInline: Bool

    package init(_ kind: Kind, runsInline: Bool, _ make: @escaping Maker) {
        self.kind = kind
        self.runsInline = runsInline
        self.make = make
    }

    /// All rules.
    package static let rules = messages + bodies + limits + refusals + streams + upgrades + lives

    package func check(_ rule: Rule) async throws {
        try await rule.check(self)
    }

    /// Runs a listener for the duration of the closure.
    func listening(
        limits: ListenerLimits = ListenerLimits(),
        _ answer: @escaping @Sendable (Request) -> Exchange,
        _ body: @Sendable (Running) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let endpoint: Endpoint =
            switch kind {
            case .unix: .unix(path: folder.url.appendingPathComponent("s").path, mode: 0o600)
            case .tcp4: .tcp(host: "127.0.0.1", port: 0)
            case .tcp6: .tcp(host: "::1", port: 0)
            }
        let listener = make(
            endpoint,
            limits,
            Answering { request in
                var exchange = answer(request)
                exchange.runsInline = runsInline
                return exchange
            }
        )
        try listener.start()
        let running = Running(listener: listener)
        try await withThrowingTaskGroup { group in
            group.addTask { await listener.run() }
            do {
                try await body(running)
            } catch {
                await listener.stop(within: .zero)
                throw error
            }
            await listener.stop(within: .seconds(10))
            try await group.waitForAll()
        }
    }
}

/// A running listener.
struct Running: Sendable {
    let listener: any Listener

    func connect(receiveBuffer: Int32? = nil) async throws -> RawClient {
        let address: RawClient.Address =
            switch listener.endpoint {
            case .unix(let path, _): .unix(path)
            case .tcp(let host, let port): .tcp(host, port)
            case .inherited: .unix("")
            }
        return try await RawClient.connect(to: address, receiveBuffer: receiveBuffer)
    }
}

struct Answering: Responder {
    let answer: @Sendable (Request) -> Exchange

    init(_ answer: @escaping @Sendable (Request) -> Exchange) {
        self.answer = answer
    }

    func exchange(for head: Request) -> Exchange { answer(head) }
}

/// An event that may occur repeatedly and can be awaited.
final class Signal: Sendable {
    private let state = Mutex((count: 0, waiting: [(Int, CheckedContinuation<Void, Never>)]()))

    var count: Int { state.withLock { $0.count } }

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiting.filter { $0.0 <= count }.map(\.1)
            state.waiting.removeAll { $0.0 <= count }
            return due
        }
        for waiting in due { waiting.resume() }
    }

    func wait(for times: Int = 1) async {
        await withCheckedContinuation { waiting in
            let isDue = state.withLock { state in
                if state.count < times { state.waiting.append((times, waiting)) }
                return state.count >= times
            }
            if isDue { waiting.resume() }
        }
    }
}

func text(_ text: String, _ status: Status = .ok) -> Response {
    Response(status, fields: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
}

extension String {
    /// A request without a body, with CRLF line ends.
    static func get(_ target: String, _ fields: String...) -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }
}
