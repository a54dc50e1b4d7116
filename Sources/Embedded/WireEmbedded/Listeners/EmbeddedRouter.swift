import Synchronization
import WireAuthContract
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// Answers the requests at one address: finds the server of each request and applies faults.
final class EmbeddedRouter: Responder {
    private struct Present {
        var servers: [any BuiltInServer] = []
        /// The host name of the listener, which requests may have in `Host`.
        var host = ""
        var address = ""
    }

    private let looks: PageStyle
    private let faultInjector: FaultInjector
    private let clock: TimeSource
    private let present = Mutex(Present())

    init(_ looks: PageStyle, _ faultInjector: FaultInjector, _ clock: TimeSource) {
        (self.looks, self.faultInjector, self.clock) = (looks, faultInjector, clock)
    }

    /// Sets the servers that answer at this address.
    func admit(_ servers: [any BuiltInServer], host: String, address: String) {
        present.withLock { $0 = Present(servers: servers, host: host, address: address) }
    }

    /// Releases all requests that faults hold back.
    func close() { faultInjector.release() }

    func exchange(for head: Request) -> Exchange {
        let present = present.withLock { $0 }
        guard Self.isAddressed(head, to: present.host) else {
            return .plainly(Status(421), "this server does not have the requested host name")
        }
        let fate = faultInjector.fate(of: head)
        // A request that fails reaches no server.
        if fate.fails {
            let reason = "failed by the setting backends.failureRate"
            return Exchange(.answer(FaultInjector.failure(reason))).delayed(by: fate.delay, clock)
        }
        switch fate.fault?.order.kind {
        case .status, .reset, .blackHole: break
        default:
            let exchange = answer(head, present).delayed(by: fate.delay, clock)
            return fate.fault.map { exchange.suffering($0, faultInjector, clock) } ?? exchange
        }
        let nothing = Exchange.plainly(.ok, "").delayed(by: fate.delay, clock)
        return fate.fault.map { nothing.suffering($0, faultInjector, clock) } ?? nothing
    }

    private func answer(_ head: Request, _ present: Present) -> Exchange {
        if let server = present.servers.first(where: { $0.answers(head.target.segments) }) {
            return server.exchange(for: head)
        }
        guard head.target.segments == [""] else {
            let known = present.servers.flatMap(\.segments).map { "/\($0)" }
            let list = known.isEmpty ? "no server is at this address" : "expected \(known.listed())"
            return .plainly(.notFound, "no server at this path, \(list)")
        }
        guard head.method == .get || head.method == .head else { return .refused(allowing: [.get, .head]) }
        return Exchange(.answer(welcome(present).response(looks).guarded()))
    }

    /// Whether a request is addressed to this machine; a page on the web could resolve any other name to this address
    /// (DNS rebinding).
    private static func isAddressed(_ head: Request, to ownHost: String) -> Bool {
        guard let field = head.fields["Host"]?.lowercased() else { return false }
        let hasPort = field.last != "]" && field.contains(":")
        let host = hasPort ? String(field[..<(field.lastIndex(of: ":") ?? field.endIndex)]) : field
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return bare == "localhost" || bare == ownHost || bare.contains(":")
            || bare.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { UInt8($0) != nil }
    }

    /// The overview page of the servers at this address.
    private func welcome(_ present: Present) -> Page {
        let signs = present.servers.flatMap { $0.signs(at: present.address) }
        let content = signs.map { sign in
            let places = sign.places.map { "<p><code>\($0.htmlEscaped)</code></p>" }.joined()
            return "<p class=\"soft\">\(sign.title.htmlEscaped)</p>\(places)"
        }
        return Page(title: "Servers of corewire", content: content.joined(separator: "\n"))
    }
}

extension Exchange {
    static func plainly(_ status: Status, _ text: String) -> Exchange {
        let fields: Fields = ["Content-Type": "text/plain; charset=utf-8"]
        return Exchange(.answer(Response(status, fields: fields, body: .bytes(Array("\(text)\n".utf8))).guarded()))
    }

    static func refused(allowing methods: [Method]) -> Exchange {
        let fields: Fields = ["Allow": methods.map(\.name).joined(separator: ", ")]
        return Exchange(.answer(Response(.methodNotAllowed, fields: fields).guarded()))
    }

    /// Replaces the response, whatever the request.
    func replaced(by response: Response) -> Exchange {
        Exchange(plan.answering { _ in response }, finished: finished)
    }

    /// Delays the response.
    func delayed(by delay: Duration, _ clock: TimeSource) -> Exchange {
        guard delay > .zero else { return self }
        // The wait is cut short only when the server ends.
        let wait: @Sendable () async -> Void = { try? await clock.sleep(delay) }
        switch plan {
        case .answer(let response):
            return Exchange(
                .stream(upTo: nil) { _, _ in
                    await wait()
                    return response
                },
                finished: finished
            )
        case .collect(let limit, let answer):
            return Exchange(
                .collect(upTo: limit) { request in
                    .later {
                        await wait()
                        switch answer(request) {
                        case .now(let response): return response
                        case .later(let work): return await work()
                        }
                    }
                },
                finished: finished
            )
        case .stream(let limit, let answer):
            return Exchange(
                .stream(upTo: limit) { request, body in
                    await wait()
                    return await answer(request, body)
                },
                finished: finished
            )
        }
    }
}
