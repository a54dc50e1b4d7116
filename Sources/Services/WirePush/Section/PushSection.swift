package import WireConfig
package import WirePushContract

/// The push tokens of this device, and the servers that get them.
package struct PushSection: Section {
    package static let name = "push"
    package static let otherNames = ["firebase", "fcm", "apns", "unifiedpush", "altcraft", "pushnotifications"]
    package static let summary =
        "Push registration: the providers, their tokens, and the servers that get them."
    package static let codes = Code.pushCodes
    package static let asks: Set<Provision.Kind> = [.requests, .outbox]
    package static let answers: Set<Provision.Kind> = [.pushServers]

    @Setting package var providers: [PushProvider]
    @Setting package var tokens: PushTokens
    @Setting package var registrars: Named<Registrar>

    package init(_ keys: inout Keys) {
        _providers = keys.value(
            "providers",
            "Push providers, in order of preference.",
            or: PushProvider.allCases,
            .notEmpty,
            .describedDistinct
        )
        _tokens = keys.value(
            "tokens",
            "Source of each provider's token.",
            or: .placeholder,
            .example("{ apns: { file: /run/tasks/apns-token } }")
        )
        _registrars = keys.value(
            "registrars",
            "Servers that get the token, by names you choose.",
            or: Named(),
            .example(
                "{ ups: { type: unifiedPush, url: https://push.example.com, variantId: 1234456-234320, variantSecret: \"${env:UPS_SECRET}\" } }"
            )
        )
    }
}

/// The source of each provider's token.
package struct PushTokens: Record {
    @Setting package var apns: WordOr<TokenHolder, TokenSource>?
    @Setting package var firebase: WordOr<TokenHolder, TokenSource>?
    @Setting package var huawei: WordOr<TokenHolder, TokenSource>?
    @Setting package var webPush: WebPushSource?

    package init(_ keys: inout Keys) {
        _apns = keys.optional(
            "apns",
            "Token of Apple Push Notification service.",
            .example("{ file: /run/tasks/apns-token }")
        )
        _firebase = keys.optional(
            "firebase",
            "Token of Firebase Cloud Messaging.",
            .example("{ exec: [fcm-token] }")
        )
        _huawei = keys.optional("huawei", "Token of Huawei Push Kit.", .example("app"))
        _webPush = keys.optional(
            "webPush",
            "Web Push service: the runner makes the keys, and receives the messages itself.",
            .example("{ type: autopush, url: \"wss://push.services.mozilla.com\" }")
        )
    }

    /// The source of a provider's token; nil for Web Push, whose subscriptions the runner makes itself.
    package subscript(provider: PushProvider) -> WordOr<TokenHolder, TokenSource>? {
        switch provider {
        case .apns: apns
        case .firebase: firebase
        case .huawei: huawei
        case .webPush: nil
        }
    }

    /// The place of a provider's token source in the file.
    package func place(of provider: PushProvider) -> Place {
        switch provider {
        case .apns: $apns
        case .firebase: $firebase
        case .huawei: $huawei
        case .webPush: $webPush
        }
    }
}
