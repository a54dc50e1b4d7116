import WireBase
package import WireConfig

/// The servers of a database, with its name and the user: `postgresql://user@db1,db2:5433/name`.
package struct DatabaseURL: Sendable, Hashable {
    package struct Server: Sendable, Hashable {
        /// The name or the address, without the brackets of an IPv6 address, or the folder of a Unix socket.
        package let host: String
        package let port: Int

        /// Whether only this machine can be meant.
        package var isLocal: Bool { host.hasPrefix("/") || isLoopback }

        private let isLoopback: Bool

        fileprivate init(host: String, port: Int = 5_432, isLoopback: Bool) {
            (self.host, self.port, self.isLoopback) = (host, port, isLoopback)
        }
    }

    package let user: String
    package let servers: [Server]
    package let database: String

    /// Whether all servers are on this machine.
    package var isLocal: Bool { servers.allSatisfy(\.isLocal) }
}

extension DatabaseURL: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a URL such as postgresql://corewire@db1,db2/corewire",
            example: "postgresql://corewire@db1,db2/corewire",
            pattern: "^postgres(?:ql)?://[^/@:?#\\s]+@[^/@?#\\s]+/[^/@?#\\s]+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { throw Misread() }
        var rest = text.dropFirst(scheme.count)
        // A password may be anywhere in what is not understood.
        if let mark = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            throw Misread(
                help:
                    "remove what follows '\(rest[mark])': password, encryption, timeouts and the choice of the server have keys of their own, or are automatic",
                hidesText: true
            )
        }
        guard let at = rest.lastIndex(of: "@") else {
            throw Misread(help: "name the user: \(scheme)USER@HOST/DATABASE", hidesText: rest.contains(":"))
        }
        let user = rest[..<at]
        rest = rest[rest.index(after: at)...]
        guard !user.contains(":") else {
            throw Misread(help: "remove the password from the URL and set it with 'password'", hidesText: true)
        }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw Misread(help: parts.count < 2 ? "name the database: \(text)/corewire" : nil)
        }
        guard Self.isName(String(user)), Self.isName(parts[1]) else {
            throw Misread(help: "user and database have letters, digits, '_', '-' and '.' only")
        }
        var servers: [Server] = []
        for part in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            guard let server = Server(part) else { throw Misread() }
            servers.append(server)
        }
        self.init(user: String(user), servers: servers, database: parts[1])
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_-.".utf8.contains($0) }
    }

    package var description: String {
        "postgresql://\(user)@\(servers.map(\.text).joined(separator: ","))/\(database)"
    }
}

extension DatabaseURL.Server {
    private static let usualPort = 5_432

    fileprivate init?(_ text: Substring) {
        let colon = text.hasSuffix("]") ? nil : text.lastIndex(of: ":")
        let host = colon.map { text[..<$0] } ?? text
        guard let port = colon.map({ Int(text[text.index(after: $0)...]) }) ?? Self.usualPort else { return nil }
        if host.hasPrefix("%") {
            guard let folder = Self.folder(host), (1...65_535).contains(port) else { return nil }
            self.init(host: folder, port: port, isLoopback: true)
        } else {
            guard let address = try? ListenAddress(parsing: "\(host):\(port)"), address.port > 0 else { return nil }
            self.init(host: address.host, port: address.port, isLoopback: address.isLoopback)
        }
    }

    /// The path of a folder whose slashes are encoded.
    private static func folder(_ text: Substring) -> String? {
        var path = ""
        for part in text.split(separator: "%", omittingEmptySubsequences: false).dropFirst() {
            let name = part.dropFirst(2)
            guard part.lowercased().hasPrefix("2f"), !name.isEmpty,
                name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "_-.".utf8.contains($0) })
            else { return nil }
            path += "/\(name)"
        }
        return path
    }

    fileprivate var text: String {
        let name =
            host.hasPrefix("/")
            ? host.split(separator: "/").map { "%2F\($0)" }.joined() : host.contains(":") ? "[\(host)]" : host
        return port == Self.usualPort ? name : "\(name):\(port)"
    }
}
