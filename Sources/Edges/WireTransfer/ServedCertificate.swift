import CCurl
import WireBase
package import WireHTTP

/// Looks at the certificate a server has, whether it can be believed or not.
///
/// Nothing is sent there but the handshake, since nobody knows who it is.
package struct ServedCertificate: Sendable {
    /// As the server has it, in PEM.
    package let text: String
    /// The hosts it says it is for, as nobody has checked.
    package let names: [String]

    private static let (mark, namesMark) = ("Cert:", "X509v3 Subject Alternative Name:")

    /// Asks the server of a URL; waits on a thread of its own, and no longer than it is given.
    ///
    /// A client must have been made before.
    package static func of(
        _ url: String,
        within limit: Duration,
        _ options: TransferOptions
    ) async throws(TransferFailure) -> ServedCertificate {
        let address = try RequestURL(url)
        guard address.isSecure else {
            throw TransferFailure(.forbidden, "\(address.origin) has no certificate", wasNotSent: true)
        }
        let outcome = await withCheckedContinuation { (waiter: CheckedContinuation<Outcome, Never>) in
            let isStarted = SystemThread.start("certificate") {
                waiter.resume(returning: look(at: address, within: limit, options))
            }
            if !isStarted { waiter.resume(returning: .failure(.noThread)) }
        }
        return try outcome.get()
    }

    private typealias Outcome = Result<ServedCertificate, TransferFailure>

    private static func look(at address: RequestURL, within limit: Duration, _ options: TransferOptions) -> Outcome {
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
            // What cannot be believed is to be looked at, too; whether it can, whoever sends something finds out.
            try easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            try easy.set(CURLOPT_SSL_VERIFYHOST, 0)
            try easy.set(CURLOPT_PROXY, address.isLoopback ? "" : options.proxies.https ?? "")
            try easy.set(CURLOPT_NOPROXY, options.proxies.exceptions)
            let code = easy.perform()
            let lines = easy.certificateLines
            guard code == CURLE_OK, let text = lines.first(where: { $0.hasPrefix(mark) }) else {
                let reason = "the certificate of \(address.origin) could not be looked at"
                return .failure(TransferFailure(.unreachable, reason, wasNotSent: true))
            }
            let names = lines.first { $0.hasPrefix(namesMark) }?.dropFirst(namesMark.count)
            return .success(
                ServedCertificate(
                    text: String(text.dropFirst(mark.count)),
                    names: (names ?? "").split(separator: ",").compactMap(host)
                )
            )
        } catch {
            return .failure(error)
        }
    }

    /// The host in `DNS:api.example.com` or `IP Address:127.0.0.1`.
    private static func host(_ item: Substring) -> String? {
        let item = item.drop { $0 == " " }
        for kind in ["DNS:", "IP Address:"] where item.hasPrefix(kind) { return String(item.dropFirst(kind.count)) }
        return nil
    }
}

extension TransferFailure {
    fileprivate static var noThread: TransferFailure {
        TransferFailure(.exhausted, "the system gives no more threads", wasNotSent: true)
    }
}
