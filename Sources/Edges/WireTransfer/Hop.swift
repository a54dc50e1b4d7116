import WireBase
import WireHTTP

/// A validated request to one server; a redirect leads to another hop.
struct Hop: Sendable {
    var method: Method
    var url: RequestURL
    var fields: Fields
    var body: OutgoingRequest.Body
    let socket: String?
    let pins: [String]
    let certificate: ClientCertificate?
    let allowsPlainText: Bool
    let decompresses: Bool
    let connectTimeout: Duration
    let headTimeout: Duration
    let headDeadline: Duration?
    let idleTimeout: Duration

    init(_ request: OutgoingRequest, to url: RequestURL) throws(TransferFailure) {
        method = request.method
        self.url = url
        fields = request.fields
        body = request.body
        socket = request.socket
        pins = request.pins
        certificate = request.certificate
        allowsPlainText = request.allowsPlainText
        decompresses = request.decompresses
        (connectTimeout, headTimeout, idleTimeout) = (request.connectTimeout, request.headTimeout, request.idleTimeout)
        headDeadline = request.headDeadline
        try checkMethod()
        try fields.checkForSending()
        try checkSocket()
        try checkPins()
        if case .stream(let length?, _) = body, length < 0 {
            throw Self.invalid("the body has the length \(length), expected 0 or more")
        }
        if leavesHTTP, method != .get { throw Self.invalid("an upgrade requires GET") }
        guard url.isBroker == isConnection else {
            throw TransferFailure(
                .invalidURL,
                "\(url.origin) cannot be used, expected \(isConnection ? "'mqtt' or 'mqtts'" : "'http' or 'https'")",
                wasNotSent: true
            )
        }
        try checkTransport()
    }

    /// Whether the request may be sent twice: it is idempotent, and its body can be read again.
    var mayBeRepeated: Bool {
        if case .stream = body { false } else { method.isIdempotent }
    }

    /// The protocol requested by an upgrade.
    var upgrade: String? {
        if case .upgrade(let name, _) = body { name } else { nil }
    }

    /// Whether bytes are exchanged at once, without a request.
    var isConnection: Bool { if case .connection = body { true } else { false } }

    /// Whether the connection is for another protocol than HTTP.
    var leavesHTTP: Bool { upgrade != nil || isConnection }

    /// Checks that a stream declared as empty is empty, since none of its bytes would be read.
    mutating func settleEmptyStream() async throws(TransferFailure) {
        guard case .stream(0, let reader) = body else { return }
        do {
            while let part = try await reader.read() {
                guard part.isEmpty else {
                    throw Self.invalid("the body has more bytes than the 0 that were declared")
                }
            }
        } catch let failure as TransferFailure {
            throw failure
        } catch {
            throw TransferFailure(.interrupted, Upload.unreadable, wasNotSent: true)
        }
        body = .bytes([])
    }

    /// Whether a body follows the head.
    var hasBody: Bool {
        switch body {
        case .none, .upgrade, .connection: false
        case .bytes(let bytes): !bytes.isEmpty
        case .stream(let length, _): length != 0
        }
    }

    /// Whether plain text was permitted for loopback only, so that the address must be loopback.
    var mustBeLoopback: Bool { !url.isSecure && !allowsPlainText && socket == nil }

    private static func invalid(_ reason: String) -> TransferFailure {
        TransferFailure(.invalidRequest, reason, wasNotSent: true)
    }

    // MARK: Validation

    func checkTransport() throws(TransferFailure) {
        guard !url.isSecure else { return }
        guard allowsPlainText || socket != nil || url.isLoopback else {
            throw TransferFailure(
                .forbidden,
                "\(url.origin) does not use TLS, expected \(isConnection ? "mqtts" : "https")",
                wasNotSent: true
            )
        }
        guard pins.isEmpty else {
            throw TransferFailure(.forbidden, "\(url.origin) has pins, which need https", wasNotSent: true)
        }
    }

    private func checkMethod() throws(TransferFailure) {
        guard !method.name.isEmpty, method.name.utf8.allSatisfy(\.isTokenCharacter) else {
            throw Self.invalid("the method \(method.name.quoted) is not a token (RFC 9110, section 5.6.2)")
        }
        guard method.name != "CONNECT", method.name != "TRACE" else {
            throw Self.invalid("the method \(method.name.quoted) is not supported")
        }
    }

    private func checkSocket() throws(TransferFailure) {
        guard let socket else { return }
        // sockaddr_un has 108 bytes, the last of them NUL.
        guard socket.hasPrefix("/"), (2...107).contains(socket.utf8.count), !socket.utf8.contains(0) else {
            throw Self.invalid("the socket \(socket.quoted) is not an absolute path of at most 107 bytes")
        }
    }

    private func checkPins() throws(TransferFailure) {
        for pin in pins {
            let isHash =
                pin.utf8.count == 44 && pin.hasSuffix("=")
                && pin.utf8.dropLast().allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2b || $0 == 0x2f }
            guard isHash else {
                throw Self.invalid("the pin \(pin.quoted) is not a SHA-256 in base64, expected 44 characters")
            }
        }
    }
}
