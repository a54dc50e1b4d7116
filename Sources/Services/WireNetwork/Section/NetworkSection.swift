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
    @Setting package var certificates: [HostCertificate]
    @Setting package var plainHosts: [Host]
    @Setting package var tokenHosts: [TokenHost]
    @Setting package var redirects: Redirects
    @Setting package var limits: TrafficLimits
    @Setting package var circuit: Circuit?

    package init(_ keys: inout Keys) {
        _retries = Self.retries(&keys)
        _backoff = keys.value("backoff", "Pauses before retries.", or: Backoff.placeholder)
        _retryAfterMax = keys.value(
            "retryAfterMax",
            "Maximum accepted value of Retry-After; with a higher value the request fails.",
            or: .seconds(300),
            .in(.zero ... .seconds(86_400))
        )
        _timeout = keys.value(
            "timeout",
            "Timeout of an attempt, and of the wait for readiness.",
            or: .seconds(30),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        let usualConnectTimeout = min(.seconds(10), _timeout.wrappedValue)
        _connectTimeout = keys.value(
            "connectTimeout",
            "Timeout of connecting, including the TLS handshake; at most 'timeout'.",
            or: usualConnectTimeout,
            .in(.milliseconds(100) ... .seconds(300))
        )
        _offlinePolicy = keys.value(
            "offlinePolicy",
            "Default offline policy of requests.",
            or: .none
        )
        _cache = keys.value(
            "cache",
            "Limits of the HTTP cache.",
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
            "Proxy of all requests, or none. Default: https_proxy and http_proxy.",
            .standIn { _ in .none }
        )
        _proxyUser = keys.optional(
            "proxyUser",
            "User name for the proxy.",
            .described(needs: "proxy"),
            .example("kiosk")
        )
        _proxyPassword = keys.optional(
            "proxyPassword",
            "Password of 'username'.",
            .described(needs: "proxyUser")
        )
        _pins = keys.value(
            "pins",
            "Pinned public keys; a pinned host must present one of its keys (OWASP MASVS-NETWORK-2).",
            or: [],
            .example("[{ host: api.example.com, sha256: \"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=\" }]")
        )
        _certificates = keys.value(
            "certificates",
            "Client certificates for servers that authenticate their clients by TLS, in PEM.",
            or: [],
            .example("[{ host: broker.example.com, file: certificates/kiosk.pem, key: \"${credential:kiosk-key}\" }]")
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
                + "Plain http is allowed only on this machine and for 'plainHosts'.",
            or: [],
            .example("[push.example.com, \"crm.example.com:8443\"]")
        )
        _redirects = keys.value("redirects", "Redirects to follow.", or: .sameHost)
        _limits = keys.value("limits", "Limits of concurrent requests.", or: TrafficLimits.placeholder)
        _circuit = keys.optional(
            "circuit",
            "Circuit breaker, which pauses requests to a failing host. Default: off."
        )
    }

    /// The number of retries, under HALO's name where the file came from there.
    private static func retries(_ keys: inout Keys) -> Setting<Int> {
        let retries = keys.value(
            "retries",
            "Maximum number of retries of a failed request. Only safe or idempotent requests are retried.",
            or: 0,
            .in(0...10)
        )
        let former: Setting<Int?> = keys.optional(
            "numberOfRetries",
            "Alias of 'retries' in HALO files; 'retries' takes precedence.",
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
        case .never: "none: the caller gets the redirect"
        case .sameHost: "redirects to the same host"
        case .follow: "all redirects; tokens and header fields are sent only to the first host"
        }
    }
}
