import WireBase
import WireConfig
import WireHTTP

/// A URL for requests: `http` or `https`, a host, no credentials, no fragment; `mqtt` or `mqtts` for connections.
struct RequestURL: Sendable, Equatable {
    let isSecure: Bool
    /// Whether it is the URL of a connection without HTTP.
    let isBroker: Bool
    /// The host in lower case; an IPv6 address without brackets.
    let host: String
    let port: Int
    /// The path and query as sent.
    let target: String

    static let longest = 16 * 1_024

    init(_ text: String) throws(TransferFailure) {
        guard text.utf8.count <= Self.longest else {
            throw Self.invalid("the URL has \(text.utf8.count) bytes, expected at most \(Self.longest)")
        }
        let parsed: WebURL
        do throws(Misread) {
            parsed = try WebURL(parsing: text)
        } catch {
            // The text is not shown, since it may contain secrets.
            throw Self.invalid(
                "the URL cannot be used, expected \(error.expected ?? "one such as https://api.example.com/path")"
            )
        }
        guard parsed.scheme == "http" || parsed.scheme == "https" || parsed.isBroker else {
            throw Self.invalid("the URL has the scheme \(parsed.scheme.quoted), expected 'http' or 'https'")
        }
        (isSecure, port, isBroker) = (parsed.origin.isSecure, parsed.origin.port, parsed.isBroker)
        host = parsed.host
        target = (parsed.path.isEmpty ? "/" : parsed.path) + (parsed.query.map { "?\($0)" } ?? "")
    }

    private static func invalid(_ reason: String) -> TransferFailure {
        TransferFailure(.invalidURL, reason, wasNotSent: true)
    }

    /// The complete URL, for sending; libcurl makes connections for the schemes of HTTP only.
    var text: String {
        isBroker ? (isSecure ? "https://" : "http://") + "\(shownHost):\(port)" + target : origin + target
    }

    private var shownHost: String { host.contains(":") ? "[\(host)]" : host }

    /// Scheme, host and port, which messages may show.
    var origin: String {
        if isBroker { return (isSecure ? "mqtts://" : "mqtt://") + "\(shownHost):\(port)" }
        return (isSecure ? "https://" : "http://") + shownHost + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
    }

    /// Whether the host is this machine, by a loopback name or address.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || RemoteAddress(host)?.isLoopback ?? false
    }

    /// Whether it is the `https` URL for an `http` one of the same host.
    func isUpgrade(of other: RequestURL) -> Bool {
        host == other.host && isSecure && !other.isSecure && port == 443 && other.port == 80
    }

    /// Resolves a reference against this URL (RFC 3986, section 5.2).
    func resolving(_ reference: String) throws(TransferFailure) -> RequestURL {
        guard let parts = URLParts(reference) else {
            throw Self.invalid("the URL has an invalid character")
        }
        if parts.scheme != nil { return try RequestURL(reference) }
        if parts.authority != nil { return try RequestURL((isSecure ? "https:" : "http:") + reference) }
        let path = target.prefix { $0 != "?" }
        let query = parts.query.map { "?\($0)" } ?? ""
        if parts.path.isEmpty { return try RequestURL(origin + (parts.query == nil ? target : path + query)) }
        let merged =
            parts.path.hasPrefix("/")
            ? parts.path : path[...(path.lastIndex(of: "/") ?? path.startIndex)] + parts.path
        return try RequestURL(origin + Self.withoutDots(merged) + query)
    }

    /// RFC 3986, section 5.2.4.
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var kept: [Substring] = []
        let segments = Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        let endsInFolder = segments.last == "." || segments.last == ".."
        return "/" + kept.joined(separator: "/") + (endsInFolder && !kept.isEmpty ? "/" : "")
    }
}
