extension Proxies {
    /// Whether a request to a URL uses a proxy.
    func lead(to url: RequestURL) -> Bool {
        guard (url.isSecure ? https : http) != nil, !url.isLoopback else { return false }
        return !isException(url.host)
    }

    /// Whether the exceptions match a host: by `*`, by its name or a suffix, by its address or network.
    private func isException(_ host: String) -> Bool {
        let address = RemoteAddress(host)
        return exceptions.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { entry in
            if entry == "*" { return true }
            if let address { return Self.covers(entry, address) }
            let name = entry.drop { $0 == "*" }.drop { $0 == "." }.lowercased()
            return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
        }
    }

    /// Whether an entry is the address or its network, such as `10.0.0.0/8` or `[fd00::1]`.
    private static func covers(_ entry: Substring, _ address: RemoteAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(parts[0].drop { $0 == "[" }.prefix { $0 != "]" })
        guard let network = RemoteAddress(text), network.bytes.count == address.bytes.count else { return false }
        guard parts.count == 2 else { return network == address }
        guard let length = Int(parts[1]), (0...network.bytes.count * 8).contains(length) else { return false }
        return address.lies(in: network.bytes, length: length)
    }
}
