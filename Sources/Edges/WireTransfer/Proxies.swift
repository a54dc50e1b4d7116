import Glibc
import WireBase
package import WireHTTP

/// The proxies that requests pass through, as the environment names them to curl.
package struct Proxies: Sendable {
    /// For `http` URLs.
    package var http: String?
    /// For `https` URLs.
    package var https: String?
    /// The hosts that are reached without one, separated by commas; `*` for all.
    package var exceptions = ""

    /// Who this is, for a proxy that asks; one in the URL counts too.
    package var login: TrafficRules.Login?

    package init() {}

    /// Reads the variables curl reads.
    ///
    /// `HTTP_PROXY` in capitals is not among them: a CGI program gets it from a request's `Proxy` field.
    package init(environment value: (String) -> String?) {
        func first(_ names: String...) -> String? {
            names.firstFound { value($0).flatMap { $0.isEmpty ? nil : $0 } }
        }
        http = first("http_proxy", "all_proxy", "ALL_PROXY")
        https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = first("no_proxy", "NO_PROXY") ?? ""
    }

    /// None at all.
    package static let none = Proxies()

    /// Those of the environment this process was started in.
    package static var ofThisProcess: Proxies {
        Proxies { name in
            guard let value = unsafe getenv(name) else { return nil }
            return unsafe String(cString: value)
        }
    }
}
