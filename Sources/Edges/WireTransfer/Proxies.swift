import Glibc
import WireBase
package import WireHTTP

/// The proxies of requests, from the environment variables that curl uses.
package struct Proxies: Sendable {
    /// The proxy for `http` URLs.
    package var http: String?
    /// The proxy for `https` URLs.
    package var https: String?
    /// The hosts reached without a proxy, separated by commas; `*` for all.
    package var exceptions = ""

    /// The credentials for the proxy; those in its URL count too.
    package var login: TrafficRules.Login?

    package init() {}

    /// Reads the variables that curl reads.
    ///
    /// `HTTP_PROXY` in capitals is not read: a CGI program gets it from a request's `Proxy` field.
    package init(environment value: (String) -> String?) {
        func first(_ names: String...) -> String? {
            names.firstFound { value($0).flatMap { $0.isEmpty ? nil : $0 } }
        }
        http = first("http_proxy", "all_proxy", "ALL_PROXY")
        https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = first("no_proxy", "NO_PROXY") ?? ""
    }

    /// No proxies.
    package static let none = Proxies()

    /// The proxies in the environment of this process.
    package static var ofThisProcess: Proxies {
        Proxies { name in
            guard let value = unsafe getenv(name) else { return nil }
            return unsafe String(cString: value)
        }
    }
}
