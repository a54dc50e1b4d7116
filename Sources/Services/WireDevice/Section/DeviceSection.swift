package import WireConfig

/// This device at the device server: names, tags, push tokens.
package struct DeviceSection: Section {
    package static let name = "device"
    package static let summary = "This device at the device server: alias, tags, push token."
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
            "Name of the device. Default: generated and stored.",
            .example("cart-17")
        )
        _email = keys.optional("email", "E-mail address of the user.", .example("ada@example.com"))
        _tags = keys.value(
            "tags",
            "Tags by name, for segmentation.",
            or: Named(),
            .example("{ ward: 3B }")
        )
        _systemTags = keys.value(
            "systemTags",
            "Whether tags about the machine and the app are added.",
            or: false
        )
        _facts = keys.value(
            "facts",
            "Facts to include in the system tags.",
            or: DeviceFact.allCases,
            .example("[platform, applicationVersion, model]")
        )
        _register = keys.value("register", "Condition for saving the device at the server.", or: .automatic)
        _url = keys.value(
            "url",
            "URL of the device server.",
            or: Self.usualURL,
            .takes(.root),
            .example("api/segmentation/appuser"),
            .standIn(at: Self.usualURL.text)
        )
        _activityURL = keys.optional(
            "activityUrl",
            "URL for push events (received, opened, dismissed). Default: events are not sent.",
            .takes(.endpoint),
            .example("api/push/schedule/activity"),
            .standIn(at: "api/push/schedule/activity")
        )
        _platform = keys.value("platform", "Platform of the push token.", or: .ios)
        _authenticated = keys.value(
            "authenticated",
            "Whether requests carry a token of the signed-in user or the app.",
            or: true
        )
        _hookTimeout = keys.value(
            "hookTimeout",
            "Timeout of the hooks that change the device before it is saved.",
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
        case .automatic: "at start and after each change"
        case .onRequest: "when the app requests it"
        case .never: "never: the device is stored on this machine only"
        }
    }
}

/// The platform of a push token.
package enum DevicePlatform: String, Choice {
    case ios, android

    package var help: String {
        switch self {
        case .ios: "APNs tokens"
        case .android: "Firebase tokens"
        }
    }
}

/// An e-mail address, checked for its form.
package struct EmailAddress: Sendable, Hashable {
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

    package var description: String { text }
}
