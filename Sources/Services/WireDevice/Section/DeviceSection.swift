package import WireConfig

/// What servers know of this device: its names, its tags, its push token.
package struct DeviceSection: Section {
    package static let name = "device"
    package static let summary = "What servers know of this device: its alias, its tags, its push token."
    package static let codes = Code.deviceCodes
    package static let asks: Set<Provision.Kind> = [.requests, .outbox]

    @Setting package var alias: String?
    @Setting package var email: EmailAddress?
    @Setting package var tags: Named<String>
    @Setting package var systemTags: Bool
    @Setting package var facts: [DeviceFact]
    @Setting package var register: RegistrationRule
    @Setting package var url: Address
    @Setting package var activityURL: Address?
    @Setting package var platform: DevicePlatform
    @Setting package var authenticated: Bool
    @Setting package var hookTimeout: Duration

    package init(_ keys: inout Keys) {
        _alias = keys.optional(
            "alias",
            "The name people know the device by; one is made and kept when absent.",
            .example("cart-17")
        )
        _email = keys.optional("email", "The address of whoever uses the device.", .example("ada@example.com"))
        _tags = keys.value(
            "tags",
            "What the device is: tags by name, for segmentation.",
            or: Named(),
            .example("{ ward: 3B }")
        )
        _systemTags = keys.value(
            "systemTags",
            "Whether the tags that describe the machine and the app are added.",
            or: false
        )
        _facts = keys.value(
            "facts",
            "What of the machine and the app these tags say, as far as it is known.",
            or: DeviceFact.allCases,
            .example("[platform, applicationVersion, model]")
        )
        _register = keys.value("register", "When the device is saved at the server.", or: .automatic)
        _url = keys.value(
            "url",
            "Where devices are kept.",
            or: Self.usualURL,
            .takes(.root),
            .example("api/segmentation/appuser"),
            .standIn(at: Self.usualURL.text)
        )
        _activityURL = keys.optional(
            "activityUrl",
            "Where the receipt, opening and dismissal of pushes are told; nowhere when absent.",
            .takes(.endpoint),
            .example("api/push/schedule/activity"),
            .standIn(at: "api/push/schedule/activity")
        )
        _platform = keys.value("platform", "The platform push tokens are filed under.", or: .ios)
        _authenticated = keys.value(
            "authenticated",
            "Whether requests carry a token of the signed-in user or the app.",
            or: true
        )
        _hookTimeout = keys.value(
            "hookTimeout",
            "How long those may take who may change the device before it is saved; it is saved without them then.",
            or: .seconds(5),
            .in(.milliseconds(10) ... .seconds(60))
        )
    }

    static let usualURL = Address(known: "api/segmentation/appuser")
}

/// When a device is saved at the server.
package enum RegistrationRule: String, Choice {
    case automatic, onRequest, never

    package var help: String {
        switch self {
        case .automatic: "at start and whenever something about it changes"
        case .onRequest: "when the app asks for it"
        case .never: "it is known on this machine only"
        }
    }
}

/// The platform push tokens are filed under.
package enum DevicePlatform: String, Choice {
    case ios, android

    package var help: String {
        switch self {
        case .ios: "tokens of Apple's service"
        case .android: "tokens of Firebase"
        }
    }
}

/// An e-mail address, as far as a file can tell.
package struct EmailAddress: Sendable, Hashable {
    /// The address.
    package let text: String
}

extension EmailAddress: TextValue {
    package static var textForm: TextForm {
        TextForm("an e-mail address", example: "ada@example.com", pattern: "^[^@\\s]+@[^@\\s]+$")
    }

    package init(parsing text: String) throws(Misread) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }),
            text.utf8.count <= 254
        else { throw Misread() }
        self.init(text: text)
    }

    /// The address.
    package var description: String { text }
}
