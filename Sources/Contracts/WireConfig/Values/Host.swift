import WireBase

/// A host, or all hosts below one: `api.example.com`, `*.example.com`.
package struct Host: Sendable, Hashable {
    /// The name or address, in lower case, without the wildcard.
    package let name: String
    /// Whether any single label may precede the name.
    package let isWildcard: Bool

    /// Whether the pattern matches a host.
    package func covers(_ host: String) -> Bool {
        guard isWildcard else { return host == name }
        guard host.hasSuffix("." + name) else { return false }
        return !host.dropLast(name.count + 1).contains(".")
    }
}

extension Host: TextValue {
    package static var textForm: TextForm {
        form(pattern: "^(?:(?:\\*\\.)?\(names)|\(numbers))$")
    }

    /// The form of a host without a wildcard.
    static var singleForm: TextForm { form(pattern: "^(?:\(names)|\(numbers))$") }

    private static let names = "\(AddressPattern.label)(?:\\.\(AddressPattern.label))*"
    private static let numbers = "[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*"

    private static func form(pattern: String) -> TextForm {
        TextForm("a host such as api.example.com", example: "api.example.com", pattern: pattern)
    }

    package init(parsing text: String) throws(Misread) {
        let isWildcard = text.hasPrefix("*.")
        let name = isWildcard ? text.dropFirst(2) : text[...]
        guard Self.isHost(name) || (!isWildcard && Self.isIPv6(name)) else {
            let host = (try? WebURL(parsing: text))?.host
            throw Misread(help: host.map { "write the host alone: \($0)" }, fix: host)
        }
        self.init(name: name.lowercased(), isWildcard: isWildcard)
    }

    /// The host as a services file writes it.
    package var description: String { isWildcard ? "*.\(name)" : name }
}

extension Host {
    static func isHost(_ text: some StringProtocol) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        var label = LabelCheck()
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard label.isComplete else { return false }
                label = LabelCheck()
            } else {
                guard label.take(byte) else { return false }
            }
        }
        // A last label of digits makes it an address (WHATWG URL, section 3.5).
        return label.isComplete && (!label.isNumeric || isIPv4(text))
    }

    /// Whether a text is a valid label of a host name.
    static func isLabel(_ text: some StringProtocol) -> Bool {
        var label = LabelCheck()
        return text.utf8.allSatisfy { label.take($0) } && label.isComplete
    }

    /// The state of checking one label of a host name.
    private struct LabelCheck {
        private var length = 0
        private var last = UInt8(ascii: "-")
        private(set) var isNumeric = true

        mutating func take(_ byte: UInt8) -> Bool {
            let isHyphen = byte == UInt8(ascii: "-")
            guard byte.isLetter || byte.isDigit || isHyphen || byte == UInt8(ascii: "_"), !(isHyphen && length == 0),
                length < 63
            else { return false }
            length += 1
            last = byte
            isNumeric = isNumeric && byte.isDigit
            return true
        }

        var isComplete: Bool { length > 0 && last != UInt8(ascii: "-") }
    }

    private static func isIPv4(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".")
        return parts.count == 4 && parts.allSatisfy { part in Int(part).map { (0...255).contains($0) } ?? false }
    }

    static func isIPv6(_ text: some StringProtocol) -> Bool {
        guard text.contains(":"),
            text.utf8.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
        else { return false }
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        let isShort = text.contains("::")
        let isRight = groups.allSatisfy { $0.utf8.count <= 4 || $0.contains(".") }
        return isRight && (isShort ? groups.count <= 8 : groups.count == 8)
    }

    /// Whether a host is this machine, by a loopback name or address.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || (host.hasPrefix("127.") && isHost(host))
    }
}

/// An address to listen on: a host and a port.
package struct ListenAddress: Sendable, Hashable {
    /// The host, without the brackets of an IPv6 address.
    package let host: String
    /// The port; with 0 the system chooses one.
    package let port: Int

    /// Whether only this machine can connect.
    package var isLoopback: Bool { Host.isLoopback(host) }
}

extension ListenAddress: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "an address and a port such as 127.0.0.1:7420",
            example: "127.0.0.1:7420",
            pattern: "^[^/@]+:0*(?:\(AmountPattern.numbers(0...65_535)))$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        if let port = Int(text), (0...65_535).contains(port) {
            throw Misread(help: "write 127.0.0.1:\(port)", fix: "127.0.0.1:\(port)")
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else {
            let shown = Host.isIPv6(text[...]) ? "[\(text)]" : text
            let isHost = Host.isHost(text[...]) || Host.isIPv6(text[...])
            throw Misread(help: isHost ? "add the port to the address, such as \(shown):7420" : nil)
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard Host.isHost(host) || Host.isIPv6(host) else { throw Misread() }
        self.init(host: host.lowercased(), port: port)
    }

    /// The address as a services file writes it.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
