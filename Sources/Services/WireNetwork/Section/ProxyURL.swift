import WireBase
package import WireConfig

/// The address of a proxy: `http://proxy.example.com:3128`.
///
/// A type of its own, because a proxy is no server of the environment: it may be used without TLS, since tunnelled
/// requests have TLS of their own.
package struct ProxyURL: Sendable, Hashable {
    /// The URL; nil for no proxy, whatever the environment variables name.
    package let url: WebURL?

    static let none = ProxyURL(url: nil)
}

extension ProxyURL: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the URL of a proxy",
            example: "http://proxy.example.com:3128",
            pattern: "^(https?|socks5)://[^/?#@\\s]+/?$|^none$"
        )
    }

    private static let schemes = ["http", "https", "socks5"]

    package init(parsing text: String) throws(Misread) {
        if text == "none" {
            url = nil
            return
        }
        if !text.hasPrefix("socks"), let misread = AddressTerms.proxy.slip(in: text, expected: Self.textForm.noun) {
            throw misread
        }
        let url = try WebURL(parsing: text)
        guard Self.schemes.contains(url.scheme) else {
            let isSOCKS = url.scheme.hasPrefix("socks")
            let nearest = Nearest.name(to: url.scheme, among: Self.schemes)
            throw Misread(
                expected: "a proxy with \(Self.schemes.listed())",
                help: isSOCKS
                    ? "SOCKS version 5 is supported, with names resolved by the proxy: socks5://"
                    : nearest.map { "did you mean '\($0)://'?" }
            )
        }
        guard url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil else {
            throw Misread(expected: "the URL of a proxy without a path")
        }
        self.url = url
    }

    package func record(at node: NodeID, with reader: Reader) {
        url?.record(at: node, with: reader, isProxy: true)
    }

    /// The text as in the file.
    package var description: String { url?.description ?? "none" }
}
