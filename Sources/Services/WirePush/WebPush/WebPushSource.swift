package import WireBase
package import WireConfig
package import WireNotificationContract
import WirePushContract
import WireService

/// The Web Push service from which this device receives pushes.
package enum WebPushSource: Sendable {
    /// Mozilla's protocol.
    case autopush(AutopushService)
    /// An ntfy server.
    case ntfy(NtfyService)
}

extension WebPushSource: OneOf {
    package static var discriminator: String? { "type" }
    package static var alternatives: [Alternative<Self>] {
        [
            Alternative("autopush", "A service with the protocol of Mozilla's autopush.") { .autopush($0) },
            Alternative("ntfy", "An ntfy server.") { .ntfy($0) },
        ]
    }
}

extension WebPushSource {
    /// The service, with the location of its URL in the file.
    func server(in places: Places) -> WebPushServer {
        func origin(_ place: Place) -> ValueOrigin? { places.origin(of: place, Self.path) }
        return switch self {
        case .autopush(let service):
            WebPushServer(.autopush, at: service.url, from: origin(service.$url), messages: service.messages)
        case .ntfy(let service):
            WebPushServer(
                .ntfy,
                at: service.url,
                from: origin(service.$url),
                token: service.token,
                messages: service.messages
            )
        }
    }

    private static let path = "push.tokens.webPush.url"
}

/// A service with Mozilla's protocol.
package struct AutopushService: Record {
    @Setting package var url: Address
    package let messages: MessageFields

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the WebSocket.",
            .takes(.webSocket),
            .example("wss://push.services.mozilla.com"),
            .standIn(at: "autopush")
        )
        messages = .ofWebPush(&keys)
    }
}

/// An ntfy server whose topics are endpoints.
package struct NtfyService: Record {
    @Setting package var url: Address
    @Setting package var token: Secret<String>?
    package let messages: MessageFields

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the server; senders must be able to reach it.",
            .takes(.root),
            .example("https://ntfy.example.com"),
            .standIn(at: "ntfy")
        )
        _token = keys.optional("token", "Access token for reading.", .example("\"${env:NTFY_TOKEN}\""))
        messages = .ofWebPush(&keys)
    }
}

extension MessageFields {
    /// Reads the keys of a Web Push service.
    fileprivate static func ofWebPush(_ keys: inout Keys) -> Self {
        Self(
            &keys,
            id: "Field of a decrypted message with its id; the same id with other content replaces the notification."
        )
    }
}

/// The public key with which an app server signs its messages (VAPID, RFC 8292).
package struct SenderKey: Sendable, Hashable {
    /// The uncompressed point of P-256, in Base64URL.
    package let text: String
}

extension SenderKey: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the public VAPID key of an app server, in Base64URL",
            example: "BF5oEo0xDUpgylKDTlsd8pZmxQA1leYINiY-rSscWYK_3tWAkz4VMbtf1MLE_Yyd6iII6o-e3Q9TCN5vZMzVMEs",
            pattern: "^B[A-Za-z0-9_-]{86}$"
        )
    }

    /// The size of an uncompressed point of P-256.
    private static let size = 65

    package init(parsing text: String) throws(Misread) {
        let plain = text.replacing("+", with: "-").replacing("/", with: "_").trimmingPadding
        guard let bytes = Base64URL.bytes(of: plain), bytes.count == Self.size, bytes.first == 4 else {
            throw Misread(help: "a key has 87 characters, the first of which is 'B'")
        }
        guard plain == text else { throw Misread(help: "write it in Base64URL: \(plain)", fix: plain) }
        self.init(text: text)
    }

    package var description: String { text }
}

extension String {
    fileprivate var trimmingPadding: String {
        var text = self
        while text.last == "=" { text.removeLast() }
        return text
    }
}
