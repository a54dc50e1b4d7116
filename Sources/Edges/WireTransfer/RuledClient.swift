import Synchronization
package import WireBase
import WireConfig
package import WireHTTP
import WireNetworkContract
import WireService

/// Clients for requests that leave this machine, by rules that are read for every request.
///
/// Requests with the same way share connections.
package final class ClientPool: Sendable {
    /// The way of a request.
    private enum Way: Hashable {
        /// Directly, and never to the metadata services of clouds.
        case guarded
        /// Directly, to a host that the file names.
        case declared
        case through(proxy: String, user: String?, password: String?)
        /// As the environment says.
        case environment
    }

    private let options: TransferOptions
    private let clock: TimeSource
    private let clients = Mutex<[Way: TransferClient]>([:])

    /// Creates the clients.
    ///
    /// The proxies of the options apply where the rules refer to the environment; the rules decide about forbidden
    /// addresses.
    package init(_ options: TransferOptions = TransferOptions(), clock: TimeSource) {
        self.options = options
        self.clock = clock
        options.routes?.observe { [weak self] in
            for client in self?.clients.withLock({ $0.values.map(\.self) }) ?? [] { client.networkChanged() }
        }
    }

    /// Returns a client with these rules.
    package func client(_ rules: @escaping @Sendable () -> TrafficRules) -> any HTTPClient {
        RuledClient(traffic: self, rules: rules)
    }

    /// Cancels all requests.
    package func stop() async {
        for client in clients.withLock({ $0.values.map(\.self) }) { await client.stop() }
    }

    fileprivate var today: String { String("\(Timestamp(milliseconds: clock.wall()))".prefix(10)) }

    fileprivate func client(to url: RequestURL, by rules: TrafficRules) throws(TransferFailure) -> TransferClient {
        let isDeclared = rules.declaredHosts.contains(url.host)
        let way = way(to: url, by: rules.proxy) ?? (isDeclared ? .declared : .guarded)
        if !isDeclared, url.isOfMetadata {
            throw TransferFailure(
                .forbidden,
                "\(url.origin) is a link-local or metadata address, and the services file does not list it",
                wasNotSent: true
            )
        }
        try Libcurl.load()
        // The lock covers the start of the client's thread, which is rare and fast.
        return try clients.withLock { clients throws(TransferFailure) in
            if let client = clients[way] { return client }
            var options = options
            options.proxies = .none
            switch way {
            case .guarded: options.allowsAddress = { !$0.isOfMetadata }
            case .declared: break
            case .through(let proxy, let user, let password):
                (options.proxies.http, options.proxies.https) = (proxy, proxy)
                options.proxies.login = user.map { .init(user: $0, password: Secret(password ?? "")) }
            case .environment:
                (options.proxies.http, options.proxies.https) = (self.options.proxies.http, self.options.proxies.https)
            }
            let client = try TransferClient(options)
            clients[way] = client
            return client
        }
    }

    /// Returns the way through a proxy; nil for none.
    private func way(to url: RequestURL, by proxy: TrafficRules.Proxy) -> Way? {
        switch proxy {
        case .none: nil
        case .through(let proxy, let login):
            .through(proxy: Self.curlName(of: proxy), user: login?.user, password: login?.password.reveal())
        case .environment: options.proxies.lead(to: url) ? .environment : nil
        }
    }

    /// Returns the proxy's URL for libcurl; with SOCKS 5 the proxy resolves names.
    private static func curlName(of proxy: WebURL) -> String {
        let text = proxy.description
        return proxy.scheme == "socks5" ? "socks5h" + text.dropFirst(6) : text
    }
}

extension ClientPool {
    /// Whether requests to a URL leave this machine: not with a server or a proxy on it.
    fileprivate func leavesMachine(to text: String, by rules: TrafficRules) -> Bool {
        guard let url = try? RequestURL(text) else { return true }
        let proxy: String?
        switch way(to: url, by: rules.proxy) {
        case nil: return !url.isLoopback
        case .through(let name, _, _): proxy = name
        case .environment: proxy = url.isSecure ? options.proxies.https : options.proxies.http
        case .guarded, .declared: proxy = nil
        }
        // Without a scheme it is an HTTP proxy, as in curl.
        guard let proxy, let parts = try? WebURL(parsing: proxy.contains("://") ? proxy : "http://\(proxy)") else {
            return true
        }
        return !parts.isLoopback
    }
}

/// Adds the file's settings for connections to each request; settings of the sender are ignored, except for the
/// timeouts of a request with its own in the file.
private struct RuledClient: HTTPClient {
    let traffic: ClientPool
    let rules: @Sendable () -> TrafficRules

    func leavesMachine(to url: String) -> Bool { traffic.leavesMachine(to: url, by: rules()) }

    func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse {
        let (rules, url) = (rules(), try RequestURL(request.url))
        var request = request
        request.pins = rules.pins.isEmpty ? [] : rules.pins(of: url.host, on: traffic.today)
        request.certificate = rules.certificate(for: url.host)
        request.allowsPlainText = rules.allowsPlainText(to: url.host)
        if !request.isTimed {
            request.connectTimeout = rules.connectTimeout
            request.headTimeout = rules.timeout
        }
        // Other hosts have their own rules, so a redirect to one needs another request.
        if case .anywhere(let count) = request.redirects { request.redirects = .sameHost(upTo: count) }
        return try await traffic.client(to: url, by: rules).send(request, to: url)
    }
}

extension RequestURL {
    /// Whether the URL names a metadata service of a cloud, or a link-local address.
    fileprivate var isOfMetadata: Bool {
        if let address = RemoteAddress(host) { return address.isOfMetadata }
        return ["metadata.google.internal", "metadata.goog", "instance-data"].contains(host)
    }
}

extension RemoteAddress {
    /// Whether the address is link-local, as most metadata services of clouds are, or that of another one.
    var isOfMetadata: Bool {
        switch bytes.count {
        case 4:
            bytes.starts(with: [169, 254])
                // Alibaba's, Azure's and Oracle's.
                || [[100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192]].contains(bytes)
        default:
            bytes.starts(with: [0xfe]) && bytes[1] & 0xc0 == 0x80
                // Amazon's.
                || bytes == [0xfd, 0x00, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54]
        }
    }
}
