package import WireBase
package import WireConfig
package import WireHTTP

/// The push tokens and registrations of this device; never contains a whole token or a key.
package struct PushReport: JSONRecord {
    package let providers: [String]
    package let tokens: [Token]
    package let registrars: [PushRegistrarReport]

    package init(providers: [String], tokens: [Token], registrars: [PushRegistrarReport]) {
        (self.providers, self.tokens, self.registrars) = (providers, tokens, registrars)
    }

    package static let form = JSONForm<Self>("Push", "The push tokens and registrations of this device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        providers = try members.required(
            "providers",
            \.providers,
            "The providers in the order of use.",
            .example(["fcm"])
        )
        tokens = try members.required("tokens", \.tokens, "The latest tokens.")
        registrars = try members.required("registrars", \.registrars, "The servers of the file.")
    }
}

extension PushReport {
    /// A push token for display.
    package struct Token: JSONRecord {
        package let provider, ending: String
        /// Whether a caller has set it, so that it overrides other sources.
        package let isManual: Bool

        package init(provider: String, ending: String, isManual: Bool) {
            (self.provider, self.ending, self.isManual) = (provider, ending, isManual)
        }

        package static let form = JSONForm<Self>("PushToken", "The end of a push token.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            provider = try members.required("provider", \.provider, "The provider.", .example("fcm"))
            ending = try members.required("ending", \.ending, "The last characters of the token.", .example("x9Qf"))
            isManual = try members.flag("manual", \.isManual, "Whether the token overrides all sources.")
        }
    }
}

/// The registration at a push server; times in milliseconds since 1970.
package struct PushRegistrarReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case registered, pending, suspended, unregistered
        /// The server rejected the last request.
        case refused
        /// The last request failed for good.
        case failed
    }

    /// What a registration waits for before it is sent.
    package enum Obstacle: String, JSONWord, PlainCodable {
        /// A sign-in, or a JWT from the app.
        case signIn
        /// A token of a provider.
        case token
        /// The permission to show notifications.
        case permission
        /// The registration of the device at the server.
        case device
        /// A new registration after a removal.
        case removed
        /// Its turn in the outbox, or the server.
        case outbox
    }

    package let name, type: String
    package let state: State
    package var waitsFor: Obstacle?
    package var reason: String?
    package var status: Int?
    package var refused, help: String?
    package var origin: ValueOrigin?
    package var provider, token, nextToken: String?
    package var since, registeredAt: Int64?
    package var user: String?

    package init(_ name: String, type: String, _ state: State) {
        (self.name, self.type, self.state) = (name, type, state)
    }

    package static let form = JSONForm<Self>("PushRegistrar", "The registration at a push server.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name in the file.", .example("main"))
        type = try members.required("type", \.type, "The type of server.", .example("unifiedPush"))
        state = try members.required("state", \.state, "The state.")
        waitsFor = try members.optional("waitsFor", \.waitsFor, "What the registration waits for.")
        reason = try members.optional(
            "reason",
            \.reason,
            "Why the registration is in this state, or why the server rejected it."
        )
        status = try members.optional("status", \.status, "The status of the rejection.")
        refused = try members.optional("refused", \.refused, "The rejected request; earlier registrations stay valid.")
        help = try members.optional("help", \.help, "What to do.")
        origin = try members.optional("config", \.origin, "The value of the services file that causes the failure.")
        provider = try members.optional("provider", \.provider, "The provider of the registered token.")
        token = try members.optional("token", \.token, "The last characters of the registered token.")
        nextToken = try members.optional("nextToken", \.nextToken, "The last characters of the next token to register.")
        since = try members.optional("since", \.since, "The time of the first registration.", .moment)
        registeredAt = try members.optional("told", \.registeredAt, "The time of the last registration.", .moment)
        user = try members.optional("user", \.user, "The key that separates the requests of this user.")
    }
}

/// The removed registrations.
package struct PushRemoved: JSONRecord {
    package var registrations: [String] = []
    package var tokens = 0, jwts = 0
    /// Whether a changed order of providers was removed.
    package var hadProviders = false

    package init() {}

    package static let form = JSONForm<Self>("PushRemoved", "The removed data.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrations = try members.required(
            "registrations",
            \.registrations,
            "The removed registrations.",
            .example(["main"])
        )
        tokens = try members.required("tokens", \.tokens, "The number of removed tokens.", .count)
        jwts = try members.required("jwts", \.jwts, "The number of removed JWTs.", .count)
        hadProviders = try members.required("providers", \.hadProviders, "Whether a changed order was removed.")
    }
}

/// The server that receives a report.
package struct PushEventReceipt: JSONRecord {
    package let registrar, push: String?

    package init(registrar: String?, push: String?) { (self.registrar, self.push) = (registrar, push) }

    package static let form = JSONForm<Self>("PushEventReceipt", "The server that receives a report.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.optional("registrar", \.registrar, "The server.")
        push = try members.optional("push", \.push, "The id of the push.")
    }
}

/// The response of an Altcraft platform about a subscription, unchanged.
package struct PushPlatformAnswer: APIAnswer {
    package let json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    package static var answerSchema: JSONSchema? { .anything }
    package var answer: [UInt8]? { json.bytes() }

    package static func read(answer: [UInt8]) throws(JSONMismatch) -> PushPlatformAnswer {
        // Keeps numbers that are too large for Int and Double.
        do throws(Unreadable) {
            return PushPlatformAnswer(try JSONValue(parsing: answer, named: "answer"))
        } catch {
            throw JSONMismatch("the answer is not JSON: \(error.problem.message)", nil)
        }
    }
}
