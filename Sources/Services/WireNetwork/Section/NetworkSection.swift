package import WireBase
package import WireConfig
package import WireNetworkContract

/// How requests leave this machine: repetition, time, offline data, headers, pins.
package struct NetworkSection: Section {
    package static let name = "network"
    package static let summary =
        "How requests leave this machine: repetition, time, offline data, headers, pins, limits."
    package static let codes = Code.networkCodes
    package static let answers: Set<Provision.Kind> = [.requests]

    @Setting package var retries: Int
    @Setting package var backoff: Backoff
    @Setting package var retryAfterMax: Duration
    @Setting package var timeout: Duration
    @Setting package var connectTimeout: Duration
    @Setting package var offlinePolicy: OfflinePolicy
    @Setting package var cache: CacheLimits
    @Setting package var headers: HeaderFields
    @Setting package var proxy: ProxyURL?
    @Setting package var proxyUser: String?
    @Setting package var proxyPassword: Secret<String>?
    @Setting package var pins: [Pin]
    @Setting package var plainHosts: [Host]
    @Setting package var tokenHosts: [TokenHost]
    @Setting package var redirects: Redirects
    @Setting package var limits: TrafficLimits
    @Setting package var circuit: Circuit?

    package init(_ keys: inout Keys) {
        _retries = Self.retries(&keys)
        _backoff = keys.value("backoff", "How long to wait before each repetition.", or: Backoff.placeholder)
        _retryAfterMax = keys.value(
            "retryAfterMax",
            "The longest wait a server may ask for with Retry-After; beyond it the request fails.",
            or: .seconds(300),
            .in(.zero ... .seconds(86_400))
        )
        _timeout = keys.value(
            "timeout",
            "How long a request may take, repetitions not counted; it also waits that long for readiness.",
            or: .seconds(30),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        let usualConnectTimeout = min(.seconds(10), _timeout.wrappedValue)
        _connectTimeout = keys.value(
            "connectTimeout",
            "How long a connection may take to come about, TLS included; never longer than 'timeout'.",
            or: usualConnectTimeout,
            .in(.milliseconds(100) ... .seconds(300))
        )
        _offlinePolicy = keys.value(
            "offlinePolicy",
            "What stored data are for, unless a request says otherwise.",
            or: .none
        )
        _cache = keys.value(
            "cache",
            "How much of what was loaded is stored, and how long.",
            or: CacheLimits.placeholder
        )
        _headers = keys.value(
            "headers",
            "Header fields that every request to the base URL carries; nothing secret.",
            or: HeaderFields(),
            .example("{ x-client: kiosk }")
        )
        _proxy = keys.optional(
            "proxy",
            "The proxy that all requests pass through, or none; what https_proxy and http_proxy name where absent.",
            .standIn { _ in .none }
        )
        _proxyUser = keys.optional(
            "proxyUser",
            "The name of the user, for a proxy that asks.",
            .described(needs: "proxy"),
            .example("kiosk")
        )
        _proxyPassword = keys.optional(
            "proxyPassword",
            "The password of that user.",
            .described(needs: "proxyUser")
        )
        _pins = keys.value(
            "pins",
            "Public keys of which a host must have one (OWASP MASVS-NETWORK-2).",
            or: [],
            .example("[{ host: api.example.com, sha256: \"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=\" }]")
        )
        _plainHosts = keys.value(
            "plainHosts",
            "Hosts inside a closed network that may be spoken to without TLS.",
            or: [],
            .describedSingle,
            .example("[printer.ward.internal]")
        )
        _tokenHosts = keys.value(
            "tokenHosts",
            "Servers that may be given access tokens, besides that of the base URL: a host, or a host and a port. "
                + "Over https; over http on this machine and to 'plainHosts' alone.",
            or: [],
            .example("[push.example.com, \"crm.example.com:8443\"]")
        )
        _redirects = keys.value("redirects", "Where a server may redirect a request to.", or: .sameHost)
        _limits = keys.value("limits", "How much may be under way at once.", or: TrafficLimits.placeholder)
        _circuit = keys.optional(
            "circuit",
            "When a host that fails is left alone for a while; without it every request is tried."
        )
    }

    /// The repetitions, by the name HALO has for them where the file was written from there.
    private static func retries(_ keys: inout Keys) -> Setting<Int> {
        let retries = keys.value(
            "retries",
            "How often a request that failed is repeated, where repeating it is safe.",
            or: 0,
            .in(0...10)
        )
        let former: Setting<Int?> = keys.optional(
            "numberOfRetries",
            "What HALO calls 'retries'; used where that is absent.",
            .deprecated("write 'retries'"),
            .in(0...10)
        )
        guard retries.projectedValue.state == .absent, former.projectedValue.state != .absent else { return retries }
        return Setting(former.wrappedValue ?? retries.wrappedValue, at: former.projectedValue)
    }
}

/// Where redirects may lead.
package enum Redirects: String, Choice {
    case never, sameHost, follow

    package var help: String {
        switch self {
        case .never: "a redirect is handed to the caller as it is"
        case .sameHost: "to the host of the request only"
        case .follow: "anywhere; tokens and header fields stay at the first host"
        }
    }
}
