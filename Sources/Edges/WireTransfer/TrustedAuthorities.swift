import WireBase

/// The file of trusted certificate authorities: from an environment variable, or the system's.
///
/// `CURL_CA_BUNDLE` precedes `SSL_CERT_FILE`, as in curl. If a variable names an unreadable file, no certificate is
/// trusted.
package struct TrustedAuthorities: Sendable {
    /// The PEM file; nil where no variable names one and the system has none.
    package let file: String?
    /// The variable that names the file; nil for the system's.
    package let variable: String?
    /// A warning for the user; nil for none.
    package let warning: String?

    private static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
    private static let usual = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Reads the variables; an empty one counts as absent.
    package init(environment value: (String) -> String?) {
        let named = Self.variables.compactMap { name in
            value(name).flatMap { $0.isEmpty ? nil : (variable: name, file: $0) }
        }
        guard let first = named.first else {
            (file, variable, warning) = (Self.usual.first(where: Files.isReadable), nil, nil)
            return
        }
        (file, variable) = (first.file, first.variable)
        if !Files.isReadable(first.file) {
            warning = "\(first.variable) names \(first.file.quoted), which cannot be read, so no certificate is trusted"
        } else if let other = named.dropFirst().first(where: { $0.file != first.file }) {
            warning =
                "\(other.variable) names \(other.file.quoted), which is not used: \(first.variable) takes precedence"
        } else {
            warning = nil
        }
    }

    /// The authorities of this process's environment.
    package static var ofThisProcess: TrustedAuthorities { TrustedAuthorities(environment: Files.variable) }

    /// Whether a variable names an unreadable file.
    package var isUnreadable: Bool { variable != nil && !(file.map(Files.isReadable) ?? false) }
}
