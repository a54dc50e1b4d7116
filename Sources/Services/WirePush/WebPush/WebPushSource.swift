package import WireBase
package import WireConfig
import WireMessageBus
package import WireNotificationContract
import WirePushContract
import WireService

/// The Web Push service from which this device receives pushes.
package enum WebPushSource: Sendable {
    /// Mozilla's protocol.
    case autopush(AutopushService)
    /// An ntfy server.
    case ntfy(NtfyService)
    /// A UnifiedPush distributor on the session bus.
    case distributor(DistributorService)
}

extension WebPushSource: OneOf {
    package static var discriminator: String? { "type" }
    package static var alternatives: [Alternative<Self>] {
        [
            Alternative("autopush", "A service with the protocol of Mozilla's autopush.") { .autopush($0) },
            Alternative("ntfy", "An ntfy server.") { .ntfy($0) },
            Alternative("distributor", "A UnifiedPush distributor on the D-Bus session bus.") { .distributor($0) },
        ]
    }
}

extension WebPushSource {
    package var isDistributor: Bool { if case .distributor = self { true } else { false } }

    /// The service, with its location in the file.
    func server(at place: Place, in places: Places) -> WebPushServer {
        let path = "push.tokens.webPush"
        return switch self {
        case .autopush(let service):
            WebPushServer(
                .autopush(service.url),
                from: places.origin(of: service.$url, "\(path).url"),
                messages: service.messages
            )
        case .ntfy(let service):
            WebPushServer(
                .ntfy(service.url, token: service.token?.text),
                from: places.origin(of: service.$url, "\(path).url"),
                messages: service.messages
            )
        case .distributor(let service):
            WebPushServer(
                .distributor(service.name?.text),
                from: places.origin(of: place, path),
                messages: service.messages
            )
        }
    }
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
    @Setting package var token: Secret<HeaderValue>?
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
            id:
                "Field of a decrypted message with its id: the same id with other content replaces the notification, and "
                + "with the same content is a repetition. Default: each message is a notification of its own.",
            usualID: nil
        )
    }
}

/// A UnifiedPush distributor on the session bus.
package struct DistributorService: Record {
    @Setting package var name: DistributorName?
    package let messages: MessageFields

    package init(_ keys: inout Keys) {
        _name = keys.optional(
            "name",
            "Name of the distributor, after 'org.unifiedpush.Distributor.'. Default: the variable "
                + "UNIFIEDPUSH_DISTRIBUTOR, else 'kde' or the first on the bus.",
            .example("kde")
        )
        messages = .ofWebPush(&keys)
    }
}

/// The end of a distributor's name on the bus: `kde` in `org.unifiedpush.Distributor.kde`.
package struct DistributorName: Sendable, Hashable {
    package let text: String
}

extension DistributorName: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the name of a UnifiedPush distributor",
            example: "kde",
            pattern: "^(?!org\\.unifiedpush\\.Distributor\\.)[A-Za-z_-][A-Za-z0-9_-]*(\\.[A-Za-z_-][A-Za-z0-9_-]*)*$"
        )
    }

    private static let prefix = "org.unifiedpush.Distributor."

    package init(parsing text: String) throws(Misread) {
        guard BusName.isWellKnown(Self.prefix + text) else {
            throw Misread(help: "letters, digits, '-' and '_', with a letter first")
        }
        guard !text.hasPrefix(Self.prefix) else {
            let name = String(text.dropFirst(Self.prefix.count))
            throw Misread(help: "write the part after '\(Self.prefix)': \(name)", fix: name)
        }
        self.init(text: text)
    }

    package var description: String { text }
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
        if Self.isKey(text) {
            self.init(text: text)
            return
        }
        let plain = text.replacing("+", with: "-").replacing("/", with: "_").withoutPadding
        guard !Self.isKey(plain) else { throw Misread(help: "write it in Base64URL: \(plain)", fix: plain) }
        // It may be the private key.
        throw Misread(
            help: "it has 87 characters, the first of which is 'B'; 'corewire push vapid-key' prints it",
            hidesText: true
        )
    }

    private static func isKey(_ text: String) -> Bool {
        guard let bytes = Base64URL.bytes(of: text) else { return false }
        return bytes.count == size && bytes.first == 4
    }

    package var description: String { text }
}
