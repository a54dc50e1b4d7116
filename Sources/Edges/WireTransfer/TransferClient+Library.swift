import CCurl
import WireBase

extension TransferClient {
    /// The libraries it sends requests with, and their versions: libcurl's own words.
    package static var library: String { unsafe String(cString: curl_version()) }

    /// Where the authorities are that are trusted unless options name others; nil where there are none.
    package static var authorities: String? {
        let usual = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
        return ([Files.variable("CURL_CA_BUNDLE"), Files.variable("SSL_CERT_FILE")].compactMap { $0 } + usual)
            .first(where: Files.isReadable)
    }
}
