package import WireBase
package import WireConfig

/// The rules of the services file for all outgoing connections of the runner.
package struct TrafficRules: Sendable {
    /// A public key pinned for a host; a host may have several pins.
    package struct Pin: Sendable {
        package let host: Host
        /// The SHA-256 digest of the key, in base64.
        package let sha256: String
        /// The last day on which the pin is meant to be used: `2027-01-31`.
        package let lastDay: String?

        package init(host: Host, sha256: String, lastDay: String?) {
            self.host = host
            self.sha256 = sha256
            self.lastDay = lastDay
        }
    }

    package var pins: [Pin] = []
    /// The client certificates by host.
    package var certificates: [(host: Host, certificate: ClientCertificate)] = []
    /// The proxy for outgoing requests.
    package enum Proxy: Sendable {
        /// The proxy of the environment variables, if any.
        case environment
        case none
        case through(WebURL, login: Login?)
    }

    /// The credentials for the proxy.
    package struct Login: Sendable {
        package let user: String
        package let password: Secret<String>

        package init(user: String, password: Secret<String>) {
            (self.user, self.password) = (user, password)
        }
    }

    package var proxy = Proxy.environment
    /// Hosts to which plain `http` is allowed.
    package var plainHosts: [Host] = []
    /// Hosts named in the services file; link-local metadata addresses are reachable only if they are among these.
    package var declaredHosts: Set<String> = []
    /// The connect timeout.
    package var connectTimeout: Duration = .seconds(10)
    /// The timeout until the response begins.
    package var timeout: Duration = .seconds(30)

    package init() {}

    /// The pins of a host that apply on a day.
    ///
    /// An expired pin is ignored while another one is valid. When all have expired, all still apply, so that a pinned
    /// host does not become unpinned by date.
    package func pins(of host: String, on today: String) -> [String] {
        let all = pins.filter { $0.host.covers(host) }
        let holding = all.filter { $0.lastDay.map { $0 >= today } ?? true }
        return (holding.isEmpty ? all : holding).map(\.sha256)
    }

    /// The client certificate for a host: that of the host itself before those of its domains, the longest first.
    package func certificate(for host: String) -> ClientCertificate? {
        let covering = certificates.filter { $0.host.covers(host) }
        let exact = covering.first { !$0.host.isWildcard }
        return (exact ?? covering.max { $0.host.name.utf8.count < $1.host.name.utf8.count })?.certificate
    }

    package func allowsPlainText(to host: String) -> Bool { plainHosts.contains { $0.covers(host) } }
}
