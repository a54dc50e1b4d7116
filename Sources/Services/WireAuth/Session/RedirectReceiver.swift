import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The HTTP listener for the redirect of a pending sign-in (RFC 8252, section 7.3).
final class RedirectReceiver: Sendable {
    /// The redirect URI with the opened port.
    let redirectURI: String
    private let listeners: [any Listener]

    private init(_ redirectURI: String, _ listeners: [any Listener]) {
        self.redirectURI = redirectURI
        self.listeners = listeners
    }

    /// A receiver for a loopback address; nil for other redirect URIs.
    ///
    /// Without a port in the file, a free one is chosen, and the other address family is used if the machine lacks that
    /// of the address. The name `localhost` resolves to both families, so both are opened.
    static func open(for uri: RedirectURI, _ listenerFactory: (any ListenerFactory)?, _ coordinator: SignInCoordinator)
        async throws(SignInFailure)
        -> RedirectReceiver?
    {
        guard case .loopback(let url) = uri else { return nil }
        guard let listenerFactory else {
            throw SignInFailure(.unsupported, "this program cannot listen at the redirect URI", setting: .redirectURI)
        }
        var reason = ""
        for hosts in families(of: url) {
            do {
                return try await open(url, at: hosts, listenerFactory, coordinator)
            } catch {
                reason = "\(error)"
            }
        }
        throw SignInFailure(.noListener, "cannot listen at the redirect URI: \(reason)")
    }

    /// The addresses to try, by family; addresses in one list are opened together.
    private static func families(of url: WebURL) -> [[String]] {
        switch url.host {
        case "localhost": [["127.0.0.1", "::1"], ["127.0.0.1"], ["::1"]]
        // The server compares the URI; only an address without a port may change its family.
        case let host where url.port != nil: [[host]]
        case "::1": [["::1"], ["127.0.0.1"]]
        case let host: [[host], ["::1"]]
        }
    }

    private static func open(
        _ url: WebURL,
        at hosts: [String],
        _ listenerFactory: any ListenerFactory,
        _ coordinator: SignInCoordinator
    )
        async throws
        -> RedirectReceiver
    {
        let responder = RedirectResponder(path: url.path.isEmpty ? "/" : url.path, coordinator: coordinator)
        var limits = ListenerLimits()
        // Idle connections of other programs on this machine must not keep the browser out.
        limits.connections = 256
        limits.connectionsPerCaller = 256
        limits.target = .kibibytes(16)
        limits.idle = .seconds(5)
        limits.receive = .seconds(5)
        var listeners: [any Listener] = []
        var port = url.port ?? 0
        for host in hosts {
            do {
                let listener = try listenerFactory.open(.tcp(host: host, port: port), limits: limits, for: responder)
                listeners.append(listener)
                try listener.start()
                if case .tcp(_, let opened) = listener.endpoint { port = opened }
            } catch {
                // Closed before the next family, which may need the same port.
                for listener in listeners { await listener.stop(within: .zero) }
                throw error
            }
        }
        let name = url.host == "localhost" ? "localhost" : hosts[0].contains(":") ? "[\(hosts[0])]" : hosts[0]
        let text = "\(url.scheme)://\(name):\(port)\(url.path)" + (url.query.map { "?\($0)" } ?? "")
        responder.become("\(name):\(port)")
        return RedirectReceiver(text, listeners)
    }

    /// Runs the listeners until they are closed or the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            for listener in listeners { group.addTask { await listener.run() } }
        }
    }

    /// Flushes the last response, then closes.
    func close() async {
        for listener in listeners { await listener.stop(within: .seconds(2)) }
    }
}

/// Answers the redirected browser once, with a page that shows the result.
private final class RedirectResponder: Responder {
    private let path: String
    private let coordinator: SignInCoordinator
    private let authority = Mutex("")

    init(path: String, coordinator: SignInCoordinator) {
        self.path = path
        self.coordinator = coordinator
    }

    func become(_ authority: String) { self.authority.withLock { $0 = authority } }

    func exchange(for head: Request) -> Exchange {
        guard head.method == .get else {
            var response = ReturnPage.nothing.response(.methodNotAllowed)
            response.fields.add("Allow", "GET")
            return Exchange(.answer(response))
        }
        let authority = authority.withLock { $0 }
        // The request must name this host: other names can be made to resolve here (DNS rebinding).
        guard head.target.path == path, let host = head.fields["Host"]?.lowercased(),
            host == authority || "\(host):80" == authority
        else { return Exchange(.answer(ReturnPage.nothing.response(.notFound))) }
        let callback = "http://\(authority)\(head.target.text)"
        let (coordinator, shared) = (coordinator, Shared())
        return Exchange(
            .collect(upTo: .bytes(0)) { _ in
                .later { await Self.answer(callback, coordinator, shared) }
            },
            // The sign-in, and with it the listener, ends when the page has been sent.
            finished: { shared.ending.withLock { $0 }?.fire() }
        )
    }

    private final class Shared: Sendable {
        let ending = Mutex<OneShot?>(nil)
    }

    private static func answer(_ callback: String, _ coordinator: SignInCoordinator, _ shared: Shared) async -> Response
    {
        do throws(SignInFailure) {
            try await coordinator.finish(callback: callback) { ending in shared.ending.withLock { $0 = ending } }
            return ReturnPage.success.response(.ok)
        } catch {
            guard error.kind != .wrongState else { return ReturnPage.nothing.response(.badRequest) }
            let guidance = coordinator.manager.state.withLock { $0.settings.guidance.text(for: error) }
            return ReturnPage.failure(guidance).response(.ok)
        }
    }
}

/// The page that the browser shows after the redirect.
enum ReturnPage {
    case success
    case failure(String)
    case nothing

    private var words: (title: String, text: String) {
        switch self {
        case .success: ("You are signed in", "You can close this page and return to the app.")
        case .failure(let guidance): ("You are not signed in", guidance)
        case .nothing: ("No sign-in is pending", "Start the sign-in again from the app.")
        }
    }

    func response(_ status: Status) -> Response {
        let (title, text) = words
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(Self.escaped(title))</title>
            <style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;\
            color:#1b1f24;background:#fff}@media(prefers-color-scheme:dark){body{color:#e6e8ea;background:#14171a}}</style>
            </head><body><main><h1>\(Self.escaped(title))</h1><p>\(Self.escaped(text))</p></main></body></html>

            """
        return Response(
            status,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                // The URL of this page contains the code: send no referrer, load nothing.
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'",
                "Cross-Origin-Opener-Policy": "same-origin", "Connection": "close",
            ],
            body: .bytes(Array(page.utf8))
        )
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
