import WireBase
import WireConfig
package import WireHTTP
import WireService

/// How push stands, as it is told: never a whole token, never a key.
struct PushReport: JSONObject {
    let providers: [String]
    let tokens: [Token]
    let registrars: [RegistrarReport]

    static let shape = JSONShape<Self>(
        "Push",
        "Which push tokens this device has, and which servers know of them.",
        [
            .member("providers", "The providers that are tried, the preferred one first.") { $0.providers },
            .member("tokens", "What they gave last.") { $0.tokens },
            .member("registrars", "The servers of the file.") { $0.registrars },
        ]
    )

    struct Token: JSONObject {
        let provider: String
        let ending: String
        let isManual: Bool

        static let shape = JSONShape<Self>(
            "PushToken",
            "A push token; whoever has all of it can push.",
            [
                .member("provider", "Whose it is.") { $0.provider },
                .member("ending", "The last characters of it.") { $0.ending },
                .member("manual", "Whether it wins over all sources.") { $0.isManual ? true : nil as Bool? },
            ]
        )
    }
}

/// How one server stands.
struct RegistrarReport: JSONObject {
    let registrar: PushRegistrar
    let standing: Standing
    let origin: ValueOrigin?

    static let shape = JSONShape<Self>(
        "PushRegistrar",
        "How a push server knows this device.",
        [
            .member("name", "The name the file gives it.") { $0.registrar.name },
            .member("type", "What kind of server it is.") { $0.registrar.value.kind },
            .member("state", "In a word.", as: .words(Standing.State.allCases.map(\.rawValue))) {
                $0.standing.state.rawValue
            },
            .member("waitsFor", "What it waits for.", as: .words(Standing.Waiting.Kind.allCases.map(\.rawValue))) {
                $0.standing.waiting?.kind.rawValue
            },
            .member("reason", "Why it is not otherwise; of a refusal with the words of the server.") { $0.reason },
            .member("status", "The status with which the server has refused the last request.") { $0.refusal?.status },
            .member("refused", "What it has refused; what is told of the registration besides still holds.") {
                $0.refusal?.kind.rawValue
            },
            .member("help", "What to do about it.") { $0.help },
            .member("config", "The value of the services file it comes from.") { $0.place },
            .member("provider", "The provider whose token the server knows.") {
                $0.standing.registration.told?.token.provider.rawValue
            },
            .member("token", "The last characters of that token.") { $0.standing.registration.told?.token.ending },
            .member("nextToken", "The last characters of the token it is to know.") { $0.nextToken },
            .member("since", "Since when the server knows this device, in milliseconds since 1970.", as: .moment) {
                $0.standing.registration.told?.since
            },
            .member("told", "When it was told last, in milliseconds since 1970.", as: .moment) {
                $0.standing.registration.told?.at
            },
            .member("user", "What requests of this user are kept apart by.") { $0.standing.tag },
        ]
    )

    private var refusal: Registration.Refusal? {
        [.refused, .failed].contains(standing.state) ? standing.registration.refusal : nil
    }
    private var reason: String? { refusal?.reason ?? standing.waiting?.fault.reason }

    private var help: String? {
        if refusal != nil { return "'corewire push register \(registrar.name)' tries it again" }
        return standing.waiting?.fault.help
    }

    private var place: ValueOrigin? {
        refusal == nil && standing.waiting == nil ? nil : standing.waiting?.fault.origin ?? origin
    }

    private var nextToken: String? {
        let token = standing.token
        return token == standing.registration.told?.token ? nil : token?.ending
    }
}

extension Registrar {
    /// As files write it.
    var kind: String {
        switch self {
        case .unifiedPush: "unifiedPush"
        case .healthCloud: "healthCloud"
        case .altcraft: "altcraft"
        case .halo: "halo"
        case .rest: "rest"
        }
    }
}

extension PushService {
    var report: PushReport {
        let kept = (try? desk.keeper.tokens()) ?? KeptTokens()
        var tokens = desk.tokens.last.map {
            PushReport.Token(provider: $0.provider.rawValue, ending: $0.ending, isManual: false)
        }
        if let manual = kept.manual {
            tokens.removeAll { $0.provider == manual.provider.rawValue }
            tokens.append(.init(provider: manual.provider.rawValue, ending: manual.ending, isManual: true))
        }
        return PushReport(
            providers: desk.tokens.order(kept).map(\.rawValue),
            tokens: tokens,
            registrars: desk.registrars.map(report)
        )
    }

    func report(_ registrar: PushRegistrar) -> RegistrarReport {
        var standing = desk.standing(registrar.name)
        // What is kept may be newer than what was seen last.
        if let tag = standing.tag, let kept = try? desk.keeper.registration(registrar.name, tag) {
            standing.registration = kept
            if kept.asked == nil, let waiting = standing.waiting, waiting.kind == .outbox, !waiting.isTrouble {
                standing.waiting = nil
            }
        }
        return RegistrarReport(registrar: registrar, standing: standing, origin: desk.origin(of: registrar))
    }
}

extension PushService.Removed: JSONObject {
    package static let shape = JSONShape<Self>(
        "PushRemoved",
        "What was removed.",
        [
            .member("registrations", "The registrars whose registrations were forgotten.") { $0.registrations },
            .member("tokens", "How many tokens were.", as: .count()) { $0.tokens },
            .member("jwts", "How many JWTs were.", as: .count()) { $0.jwts },
            .member("providers", "Whether a changed order of providers was.") { $0.hadProviders },
        ]
    )
}
