import CCurl
import WireBase
package import WireHTTP

/// Reads the certificate of a server, trusted or not.
///
/// Only the handshake is sent, since the server may be untrusted.
package struct ServedCertificate: Sendable {
    /// The certificate in PEM.
    package let text: String
    /// The hosts in the certificate, unverified.
    package let names: [String]
    /// The subject in libcurl's form: `CN = api.example.com`.
    package let subject: String
    /// The further certificates of the server's chain, each the issuer of the one before if they are in order.
    package private(set) var issuers: [ServedCertificate] = []

    private static let (mark, namesMark, subjectMark) = ("Cert:", "X509v3 Subject Alternative Name:", "Subject:")
    /// More than any chain has.
    private static let most: Int32 = 16

    /// Reads the certificate of a URL's server; blocks a thread of its own up to the timeout.
    ///
    /// A client must have been created before.
    package static func of(
        _ url: String,
        within limit: Duration,
        _ options: TransferOptions
    ) async throws(TransferFailure) -> ServedCertificate {
        let address = try secure(url)
        let outcome: Outcome = await onThread { shakeHands(with: address, within: limit, options, isBelieving: true) }
        guard let served = try outcome.get() else {
            let reason = "the certificate of \(address.origin) could not be read"
            throw TransferFailure(.unreachable, reason, wasNotSent: true)
        }
        return served
    }

    /// Returns why the server of a URL is not trusted; nil where it is.
    package static func doubt(
        about url: String,
        within limit: Duration,
        _ options: TransferOptions
    ) async throws(TransferFailure) -> TransferFailure? {
        let address = try secure(url)
        let outcome: Outcome = await onThread { shakeHands(with: address, within: limit, options, isBelieving: false) }
        if case .failure(let failure) = outcome { return failure }
        return nil
    }

    private static func secure(_ url: String) throws(TransferFailure) -> RequestURL {
        let address = try RequestURL(url)
        guard address.isSecure else {
            throw TransferFailure(.forbidden, "\(address.origin) has no certificate", wasNotSent: true)
        }
        return address
    }

    private typealias Outcome = Result<ServedCertificate?, TransferFailure>

    private static func onThread(_ work: @escaping @Sendable () -> Outcome) async -> Outcome {
        await withCheckedContinuation { (waiter: CheckedContinuation<Outcome, Never>) in
            let isStarted = SystemThread.start("certificate") { waiter.resume(returning: work()) }
            if !isStarted { waiter.resume(returning: .failure(.noThread)) }
        }
    }

    // MARK: Handshake

    private static func shakeHands(
        with address: RequestURL,
        within limit: Duration,
        _ options: TransferOptions,
        isBelieving: Bool
    ) -> Outcome {
        do throws(TransferFailure) {
            let easy = try Easy()
            try easy.set(CURLOPT_URL, address.origin)
            try easy.set(CURLOPT_PROTOCOLS_STR, "https")
            try easy.set(CURLOPT_NOSIGNAL, 1)
            try easy.set(CURLOPT_QUICK_EXIT, 1)
            try easy.set(CURLOPT_CONNECT_ONLY, 1)
            try easy.set(CURLOPT_CERTINFO, 1)
            try easy.set(CURLOPT_TIMEOUT_MS, limit.milliseconds)
            try easy.set(CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds)
            try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            // Untrusted certificates must be readable too.
            try easy.set(CURLOPT_SSL_VERIFYPEER, isBelieving ? 0 : 1)
            try easy.set(CURLOPT_SSL_VERIFYHOST, isBelieving ? 0 : 2)
            if let authorities = options.authorities {
                try easy.set(CURLOPT_CAINFO, authorities)
                try easy.set(CURLOPT_CAPATH, nil)
            }
            try easy.set(CURLOPT_PROXY, address.isLoopback ? "" : options.proxies.https ?? "")
            try easy.set(CURLOPT_NOPROXY, options.proxies.exceptions)
            let code = easy.perform()
            guard code == CURLE_OK else {
                return .failure(failure(code, easy.words, address, within: limit))
            }
            return .success(served(by: easy))
        } catch {
            return .failure(error)
        }
    }

    private static func served(by easy: borrowing Easy) -> ServedCertificate? {
        var chain: [ServedCertificate] = []
        while chain.count < most, let link = link(easy.certificateLines(Int32(chain.count))) { chain.append(link) }
        guard var own = chain.first else { return nil }
        own.issuers = Array(chain.dropFirst())
        return own
    }

    private static func link(_ lines: [String]) -> ServedCertificate? {
        func value(of mark: String) -> Substring? { lines.first { $0.hasPrefix(mark) }?.dropFirst(mark.count) }
        guard let text = value(of: mark) else { return nil }
        return ServedCertificate(
            text: String(text),
            names: (value(of: namesMark) ?? "").split(separator: ",").compactMap(host),
            subject: String(value(of: subjectMark) ?? "")
        )
    }

    private init(text: String, names: [String], subject: String) {
        (self.text, self.names, self.subject) = (text, names, subject)
    }

    /// Returns the host in `DNS:api.example.com` or `IP Address:127.0.0.1`.
    private static func host(_ item: Substring) -> String? {
        let item = item.drop { $0 == " " }
        for kind in ["DNS:", "IP Address:"] where item.hasPrefix(kind) { return String(item.dropFirst(kind.count)) }
        return nil
    }

    // MARK: Failures

    private static func failure(
        _ code: CURLcode,
        _ words: String,
        _ address: RequestURL,
        within limit: Duration
    ) -> TransferFailure {
        let shown = words.isEmpty ? "the handshake failed" : words.shown(upTo: 160)
        let (kind, reason): (TransferFailure.Kind, String) =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: (.unresolved, "the host \(address.host.quoted) has no address")
            case CURLE_COULDNT_RESOLVE_PROXY: (.unresolved, "the host of the proxy has no address")
            case CURLE_COULDNT_CONNECT: (.unreachable, "no server listens at \(address.origin)")
            case CURLE_OPERATION_TIMEDOUT:
                (.timeout, "\(address.origin) did not show a certificate within \(limit)")
            case CURLE_PEER_FAILED_VERIFICATION:
                (.tls, "the certificate of \(address.origin) cannot be trusted: \(shown)")
            case CURLE_SSL_CACERT_BADFILE: (.tls, "the CA file cannot be read")
            case CURLE_SSL_CONNECT_ERROR where words.contains("wrong version number"):
                (.protocolError, "the server at \(address.origin) does not use TLS")
            case CURLE_SSL_CONNECT_ERROR: (.tls, "no secure connection to \(address.origin): \(shown)")
            default: (.unreachable, "the certificate of \(address.origin) could not be read: \(shown)")
            }
        return TransferFailure(kind, reason, wasNotSent: true)
    }
}

extension TransferFailure {
    fileprivate static var noThread: TransferFailure {
        TransferFailure(.exhausted, "no more threads can be started", wasNotSent: true)
    }
}
