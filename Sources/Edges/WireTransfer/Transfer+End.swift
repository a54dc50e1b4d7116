import CCurl
import Glibc
import WireBase
import WireHTTP

extension Transfer {
    /// Converts libcurl's result code.
    func end(_ code: CURLcode) -> Result<Void, TransferFailure> {
        if let failure = exchange.upload?.failure ?? failure {
            return .failure(self.failure(failure.kind, failure.reason))
        }
        if head.isComplete, code == CURLE_OK || isDone { return .success(()) }
        let (kind, reason) = meaning(of: code)
        return .failure(failure(kind, reason))
    }

    private func meaning(of code: CURLcode) -> (TransferFailure.Kind, String) {
        let origin = hop.url.origin
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return (.unresolved, "the host \(hop.url.host.quoted) has no address")
        case CURLE_COULDNT_RESOLVE_PROXY: return (.unresolved, "the host of the proxy has no address")
        case CURLE_COULDNT_CONNECT: return connecting()
        case CURLE_OPERATION_TIMEDOUT:
            return (.timeout, "no connection to \(origin) within \(hop.connectTimeout)")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return (.pin, "the public key of \(origin) matches none of the \(hop.pins.count) pins")
        case CURLE_PEER_FAILED_VERIFICATION:
            return (.tls, "the certificate of \(origin) cannot be trusted: \(shownWords)")
        case CURLE_SSL_CACERT_BADFILE:
            return (.tls, "the CA file \(options.authorities?.quoted ?? "of the system") cannot be read")
        case CURLE_SSL_CERTPROBLEM:
            let path = hop.certificate?.path.quoted ?? ""
            return (.tls, "the client certificate \(path) cannot be used: \(certificateWords)")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            return (.tls, "no secure connection to \(origin): \(shownWords)")
        case CURLE_OUT_OF_MEMORY where attempts > 0 && !head.isComplete:
            return (.protocolError, "the response of \(origin) cannot be read: a line of its head is too long")
        case CURLE_OUT_OF_MEMORY: return (.exhausted, "not enough memory for the request")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return (.protocolError, "the response of \(origin) is not valid HTTP")
        case CURLE_BAD_CONTENT_ENCODING:
            return (.protocolError, "the body of the response of \(origin) does not match its Content-Encoding")
        case CURLE_SEND_FAIL_REWIND:
            return (.interrupted, "the connection to \(origin) was closed, and the body cannot be sent again")
        default: return interruption(code)
        }
    }

    /// Why the client certificate cannot be used: libcurl reports its own call, and codes of OpenSSL.
    private var certificateWords: String {
        let words = easy.words
        let known = [
            "unable to set private key": "the private key is missing, has a passphrase, or is of another certificate",
            "No such file": "no such file",
            "no start line": "the file has no certificate in PEM",
        ]
        return known.first { words.contains($0.key) }?.value ?? shownWords
    }

    private func connecting() -> (TransferFailure.Kind, String) {
        let origin = hop.url.origin
        if let address = refusedAddress {
            return (.forbidden, "\(origin) resolves to \(address), which is not allowed")
        }
        let number = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
        let place = hop.socket.map { "the socket \($0.quoted)" } ?? (proxy == nil ? origin : "\(origin) or its proxy")
        let words = number == 0 ? "" : ": \(Self.words(of: number))"
        let isShort = number == EMFILE || number == ENFILE || number == ENOMEM
        return (isShort ? .exhausted : .unreachable, "no connection to \(place)\(words)")
    }

    private func interruption(_ code: CURLcode) -> (TransferFailure.Kind, String) {
        let origin = hop.url.origin
        let tunnel = easy.number(CURLINFO_HTTP_CONNECTCODE)
        if attempts == 0, tunnel != 0, tunnel / 100 != 2 {
            return (.unreachable, "the proxy rejected a tunnel to \(origin) with status \(tunnel)")
        }
        guard attempts > 0 else { return (.unreachable, "the connection to \(origin) was closed at once") }
        guard head.isComplete else {
            return (.interrupted, "the connection to \(origin) was closed before the response")
        }
        return (.interrupted, "the connection to \(origin) was closed before the end of the response")
    }

    /// libcurl's text about certificates and handshakes, which has subjects and alerts and no part of the request.
    ///
    /// Only for failures of a handshake, where there may be no text.
    var shownWords: String {
        let words = easy.words
        return words.isEmpty ? "the handshake failed" : words.shown(upTo: 160)
    }

    private static func words(of number: Int32) -> String {
        let words = unsafe String(cString: strerror(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
