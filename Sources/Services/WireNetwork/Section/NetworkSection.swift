package import WireBase
package import WireConfig
package import WireNetworkContract

/// The section `network`: retries, timeouts, cache, headers, pins and limits of outgoing requests.
package struct NetworkSection: Section {
    package static let name = "network"
    package static let summary =
        "Outgoing requests: retries, timeouts, cache, headers, pins, limits."
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
        _backoff = keys.value("backoff", "The pauses before retries.", or: Backoff.placeholder)
        _retryAfterMax = keys.value(
            "retryAfterMax",
            "The maximum accepted value of Retry-After; above it the request fails.",
            or: .seconds(300),
            .in(.zero ... .seconds(86_400))
        )
        _timeout = keys.value(
            "timeout",
            "The timeout of an attempt, and of the wait for readiness.",
            or: .seconds(30),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        let usualConnectTimeout = min(.seconds(10), _timeout.wrappedValue)
        _connectTimeout = keys.value(
            "connectTimeout",
            "The timeout of connecting, with TLS; at most 'timeout'.",
            or: usualConnectTimeout,
            .in(.milliseconds(100) ... .seconds(300))
        )
        _offlinePolicy = keys.value(
            "offlinePolicy",
            "The default offline policy of requests.",
            or: .none
        )
        _cache = keys.value(
            "cache",
            "The limits of the HTTP cache.",
            or: CacheLimits.placeholder
        )
        _headers = keys.value(
            "headers",
            "Header fields of every request to the base URL; no secrets.",
            or: HeaderFields(),
            .example("{ x-client: kiosk }")
        )
        _proxy = keys.optional(
            "proxy",
            "The proxy of all requests, or none; that of https_proxy and http_proxy when absent.",
            .standIn { _ in .none }
        )
        _proxyUser = keys.optional(
            "proxyUser",
            "The user name, for a proxy with authentication.",
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
            "Pinned public keys; a host must have one of its keys (OWASP MASVS-NETWORK-2).",
            or: [],
            .example("[{ host: api.example.com, sha256: \"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=\" }]")
        )
        _plainHosts = keys.value(
            "plainHosts",
            "Hosts inside a closed network that may be used without TLS.",
            or: [],
            .describedSingle,
            .example("[printer.ward.internal]")
        )
        _tokenHosts = keys.value(
            "tokenHosts",
            "Further servers that may receive access tokens, besides the base URL's: a host, or a host and a port. "
                + "Over https; over http on this machine and to 'plainHosts' alone.",
            or: [],
            .example("[push.example.com, \"crm.example.com:8443\"]")
        )
        _redirects = keys.value("redirects", "The redirects that are followed.", or: .sameHost)
        _limits = keys.value("limits", "The limits of concurrent requests.", or: TrafficLimits.placeholder)
        _circuit = keys.optional(
            "circuit",
            "The circuit breaker, which pauses requests to a failing host; absent: none."
        )
    }

    /// The number of retries, under HALO's name where the file came from there.
    private static func retries(_ keys: inout Keys) -> Setting<Int> {
        let retries = keys.value(
            "retries",
            "The maximum number of retries of a failed request, where a retry is safe.",
            or: 0,
            .in(0...10)
        )
        let former: Setting<Int?> = keys.optional(
            "numberOfRetries",
            "HALO's name of 'retries'; used where 'retries' is absent.",
            .deprecated("write 'retries'"),
            .in(0...10)
        )
        guard retries.projectedValue.state == .absent, former.projectedValue.state != .absent else { return retries }
        return Setting(former.wrappedValue ?? retries.wrappedValue, at: former.projectedValue)
    }
}

/// The redirects that are followed.
package enum Redirects: String, Choice {
    case never, sameHost, follow

    package var help: String {
        switch self {
        case .never: "none: the caller receives the redirect"
        case .sameHost: "redirects to the same host"
        case .follow: "all redirects; tokens and header fields go only to the first host"
        }
    }
}
