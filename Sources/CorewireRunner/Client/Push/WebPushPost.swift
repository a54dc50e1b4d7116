import CorewireCLI
import WireBase
import WireConfig
import WireCrypto
import WireHost
import WireHTTP
import WireJOSE
import WireNotificationContract
import WirePushContract
import WireSecrets

/// A notification for a Web Push subscription: encrypted (RFC 8291), and signed if there is a key (RFC 8292).
struct WebPushPost: PushMessage {
    let request: OutgoingRequest
    private let isSigned: Bool
    private let id: String
    let isRecognizedByID = true

    /// How long a signature is valid, in milliseconds.
    private static let signatureLifetime: Int64 = 12 * 3_600 * 1_000

    init(_ push: OutgoingPush, to destination: OutgoingPush.WebPush) throws(Failure) {
        let keyFile = destination.keyFile
        // Standard input is read last, since it may be a terminal.
        var key = try keyFile == "-" ? nil : Self.key(keyFile)
        let receiver = try destination.readSubscription()
        if keyFile == "-" { key = try Self.key(keyFile) }
        var request = OutgoingRequest(.post, receiver.endpoint.description)
        request.fields = [
            "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm",
            "TTL": "\((destination.lifetime.inMicroseconds + 999_999) / 1_000_000)",
        ]
        request.fields["Urgency"] = push.urgency.map(\.field)
        request.fields["Topic"] = destination.topic
        if let key {
            request.fields["Authorization"] = try Self.signature(key, receiver.endpoint, destination.subject).reveal()
        }
        id = push.notification.id ?? UUIDText.random()
        request.body = .bytes(try Self.encrypted(push, id, for: receiver))
        self.request = request
        isSigned = keyFile != nil
    }

    private static func key(_ file: String?) throws(Failure) -> PrivateKey? {
        guard let file else { return nil }
        return try VAPIDKeyFile.key(file)
    }

    private static func signature(_ key: PrivateKey, _ endpoint: WebURL, _ subject: String?) throws(Failure)
        -> Secret<String>
    {
        do throws(Fault) {
            return try VAPID.header(
                for: endpoint.origin,
                subject: subject,
                until: TimeSource.host.wall() + signatureLifetime,
                by: key,
                with: OpenSSLSignatures()
            )
        } catch {
            throw Failure(message: error.reason, status: .internalError)
        }
    }

    private static func encrypted(_ push: OutgoingPush, _ id: String, for receiver: OutgoingPush.WebPush.Receiver)
        throws(Failure) -> [UInt8]
    {
        do throws(Fault) {
            return try OpenSSLSecrecy().encrypt(push.message(id).bytes(), for: receiver.publicKey, auth: receiver.auth)
        } catch {
            throw Failure(message: "the message cannot be encrypted: \(error.reason)", status: .problemsFound)
        }
    }

    func id(in body: [UInt8]) -> String? { id }

    func refusal(_ refusal: PushRefusal) -> Failure {
        let failure = refusal.failure(of: "the push service")
        switch refusal.status.code {
        case 404, 410:
            return Failure(
                message: "the subscription has ended",
                status: failure.status,
                help: "get a new one from the receiver; \(failure.message)"
            )
        case 401, 403:
            return Failure(
                message: isSigned
                    ? "the push service does not accept the VAPID token" : "the push service requires a VAPID key",
                status: .noPermission,
                help: isSigned
                    ? "compare the key of 'corewire push vapid-key' with that of the subscription; some services require "
                        + "--subject, and all a right clock; \(failure.message)"
                    : "sign with --vapid-key, the key for which the subscription was made"
            )
        default: return failure
        }
    }
}

extension OutgoingPush.Urgency {
    /// The value of the header field.
    fileprivate var field: String { self == .critical ? Self.high.rawValue : rawValue }
}
