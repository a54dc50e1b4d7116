import WireBase
package import WireConfig

/// The place of the Unix socket.
package enum SocketChoice: Sendable, Hashable {
    /// In the runtime folder, named by the id of the app.
    case auto
    /// No socket.
    case off
    /// At a path.
    case path(String)
}

extension SocketChoice: TextValue {
    package static var textForm: TextForm {
        TextForm("'auto', 'off' or a path", example: "auto", pattern: "^(auto|off|.*/.*)$")
    }

    /// The kernel's limit is 108 bytes with the terminating zero.
    private static let longestPath = 107

    package init(parsing text: String) throws(Misread) {
        switch text {
        case "auto": self = .auto
        case "off": self = .off
        case "false", "no", "none": throw Misread(help: "write off", fix: "off")
        case "true", "on", "yes": throw Misread(help: "write auto", fix: "auto")
        default:
            guard text.contains("/") else {
                let nearest = Nearest.name(to: text, among: ["auto", "off"])
                throw Misread(
                    help: nearest.map { "did you mean '\($0)'?" } ?? "a path has a '/': ./\(text.shown(upTo: 60))",
                    fix: nearest
                )
            }
            guard text.utf8.count <= Self.longestPath, !text.utf8.contains(0), !text.hasSuffix("/") else {
                throw Misread(expected: "the path of a socket, at most \(Self.longestPath) bytes long")
            }
            self = .path(text)
        }
    }

    /// The choice as in the services file.
    package var description: String {
        switch self {
        case .auto: "auto"
        case .off: "off"
        case .path(let path): path
        }
    }
}

/// A loopback address to listen at, which must be free.
package struct LocalAddress: Sendable, Hashable {
    /// The address.
    package let address: ListenAddress
}

extension LocalAddress: TextValue {
    package static var textForm: TextForm { ListenAddress.textForm }

    package init(parsing text: String) throws(Misread) {
        self.init(address: try ListenAddress(parsing: text))
    }

    package func record(at node: NodeID, with reader: Reader) {
        guard address.port != 0 else { return }
        reader.record(reader.need(.freePort(host: address.host, port: address.port), description, at: node))
    }

    /// The address as in the services file.
    package var description: String { address.description }
}

/// The origin of a web page: scheme, host and port (RFC 6454).
package struct Origin: Sendable, Hashable {
    /// The origin as browsers send it.
    package let text: String
    /// Whether the page is not encrypted and may be changed on the way.
    let isReadableOnTheWay: Bool
}

extension Origin: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "an origin such as http://localhost:3000",
            example: "http://localhost:3000",
            pattern: "^https?://[^/]+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard text != "*", text != "null" else {
            throw Misread(
                expected: "the origin of a page",
                help: "\(text.quoted) would let every web page call this machine"
            )
        }
        if let misread = AddressTerms.base.slip(in: text, expected: Self.textForm.noun) { throw misread }
        let url = try WebURL(parsing: text)
        guard ["http", "https"].contains(url.scheme) else { throw Misread() }
        let origin = Self.text(of: url)
        guard url.path.isEmpty, url.query == nil, url.fragment == nil else {
            throw Misread(help: "an origin has no path; write \(origin)", fix: origin)
        }
        self.init(text: origin, isReadableOnTheWay: url.scheme == "http" && !url.isLoopback)
    }

    /// Browsers omit the default port of a scheme.
    private static func text(of url: WebURL) -> String {
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let usualPort = url.scheme == "http" ? 80 : 443
        let port = url.port.flatMap { $0 == usualPort ? nil : ":\($0)" } ?? ""
        return "\(url.scheme)://\(host)\(port)"
    }

    /// The origin.
    package var description: String { text }
}
