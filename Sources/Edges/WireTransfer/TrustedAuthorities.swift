import WireBase

/// Which file of authorities is trusted: the one a variable names, else that of the system.
///
/// `CURL_CA_BUNDLE` comes before `SSL_CERT_FILE`, as for curl. A file that a variable names and that cannot be read is not
/// replaced by another: then no certificate is trusted.
package struct TrustedAuthorities: Sendable {
    /// A PEM file; nil where no variable names one and the system has none.
    package let file: String?
    /// The variable that names it; nil for the system's.
    package let variable: String?
    /// What a person should know of it; nil where there is nothing.
    package let warning: String?

    private static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
    private static let usual = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// By variables, of which one that is empty counts as absent.
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
                "\(other.variable) names \(other.file.quoted), which is not used: \(first.variable) comes before it"
        } else {
            warning = nil
        }
    }

    /// By the variables of this process.
    package static var ofThisProcess: TrustedAuthorities { TrustedAuthorities(environment: Files.variable) }

    /// Whether a variable names a file that cannot be read.
    package var isUnreadable: Bool { variable != nil && !(file.map(Files.isReadable) ?? false) }
}
