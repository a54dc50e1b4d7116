import WireBase
package import WireConfig

/// A redirect URI: one of the three kinds that RFC 8252 (section 7) allows native apps.
package enum RedirectURI: Sendable, Hashable {
    /// A private-use scheme of this app: `com.example.tasks://restore`.
    case privateScheme(String)
    /// A loopback URL: `http://127.0.0.1/callback`; without a port, one is chosen when sign-in begins.
    case loopback(WebURL)
    /// A web URL that opens the app.
    case web(WebURL)

    package static let anyLoopbackPort = RedirectURI(known: "http://127.0.0.1/callback")
}

extension RedirectURI: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a redirect URI",
            example: "com.example.tasks://restore",
            pattern:
                "^(?:https://[^*#\\s]+|http://(?:localhost|[^/*]*\\.localhost|127\\.[0-9.]+|\\[::1\\])(?:[:/?][^*#\\s]*)?"
                + "|[A-Za-z][A-Za-z0-9+-]*\\.[A-Za-z0-9+.-]*:[^*#\\s]*)$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard !text.contains("*") else {
            throw Misread(
                expected: "a redirect URI without wildcards",
                help: "servers compare it exactly (RFC 9700, section 4.1)"
            )
        }
        if let misread = AddressTerms.redirect.schemeSlip(in: text, expected: Self.textForm.noun) { throw misread }
        guard let parts = URLParts(text), let scheme = parts.scheme else {
            throw Misread(help: "com.example.app://path, http://127.0.0.1/path or https://host/path")
        }
        guard parts.fragment == nil else {
            throw Misread(
                expected: "a redirect URI without '#'",
                help: "the server appends its response there (RFC 6749, section 3.1.2)"
            )
        }
        switch scheme {
        case "http":
            let url = try WebURL(parsing: text)
            guard url.isLoopback else {
                throw Misread(
                    expected: "an encrypted redirect URI",
                    help: "http is for 127.0.0.1 and [::1]; write https://"
                )
            }
            self = .loopback(url)
        case "https":
            self = .web(try WebURL(parsing: text))
        default:
            guard scheme.contains(".") else {
                throw Misread(
                    expected: "a private-use scheme with a dot",
                    help: "write a domain that you own, in reverse order: com.example.\(scheme) (RFC 8252, section 7.1)"
                )
            }
            self = .privateScheme(text)
        }
    }

    /// The URI as text.
    package var description: String {
        switch self {
        case .privateScheme(let text): text
        case .loopback(let url), .web(let url): url.description
        }
    }

    /// Whether the URI depends on how the machine resolves `localhost`.
    var usesLocalhostName: Bool {
        if case .loopback(let url) = self { url.host == "localhost" } else { false }
    }
}
