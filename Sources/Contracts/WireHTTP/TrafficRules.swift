package import WireBase
package import WireConfig

/// What the file says of every connection that leaves this machine, whoever asks for it.
package struct TrafficRules: Sendable {
    /// A public key that a host must have, or have among others.
    package struct Pin: Sendable {
        package let host: Host
        /// In base64.
        package let sha256: String
        /// The last day it is meant to hold: `2027-01-31`.
        package let lastDay: String?

        package init(host: Host, sha256: String, lastDay: String?) {
            self.host = host
            self.sha256 = sha256
            self.lastDay = lastDay
        }
    }

    package var pins: [Pin] = []
    /// What requests pass through on their way out.
    package enum Proxy: Sendable {
        /// What the environment names, if it does.
        case environment
        case none
        case through(WebURL, login: Login?)
    }

    /// Who this is, for a proxy that asks.
    package struct Login: Sendable {
        package let user: String
        package let password: Secret<String>

        package init(user: String, password: Secret<String>) {
            (self.user, self.password) = (user, password)
        }
    }

    package var proxy = Proxy.environment
    /// Hosts that may be spoken to without TLS.
    package var plainHosts: [Host] = []
    /// Hosts the file names; where machines keep what is not for everybody to ask, only these are reached.
    package var declaredHosts: Set<String> = []
    /// How long a connection may take to come about.
    package var connectTimeout: Duration = .seconds(10)
    /// How long an answer may take to begin.
    package var timeout: Duration = .seconds(30)

    package init() {}

    /// The pins of a host, on a day.
    ///
    /// One past its last day counts no longer where another still holds. Where all are past theirs they go on to hold: a
    /// host that was to be pinned is not opened to everybody by the calendar.
    package func pins(of host: String, on today: String) -> [String] {
        let all = pins.filter { $0.host.covers(host) }
        let holding = all.filter { $0.lastDay.map { $0 >= today } ?? true }
        return (holding.isEmpty ? all : holding).map(\.sha256)
    }

    package func allowsPlainText(to host: String) -> Bool { plainHosts.contains { $0.covers(host) } }
}
