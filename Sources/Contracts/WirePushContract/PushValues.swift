package import WireBase
package import WireConfig
package import WireHTTP

/// The push tokens of this device, and the servers that know them: never a whole token, never a key.
package struct PushReport: JSONRecord {
    package let providers: [String]
    package let tokens: [Token]
    package let registrars: [PushRegistrarReport]

    package init(providers: [String], tokens: [Token], registrars: [PushRegistrarReport]) {
        (self.providers, self.tokens, self.registrars) = (providers, tokens, registrars)
    }

    package static let form = JSONForm<Self>("Push", "The push tokens of this device, and the servers that know them.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        providers = try members.required(
            "providers",
            \.providers,
            "Providers that are tried, the preferred one first.",
            .example(["fcm"])
        )
        tokens = try members.required("tokens", \.tokens, "What they gave last.")
        registrars = try members.required("registrars", \.registrars, "The servers of the file.")
    }
}

extension PushReport {
    /// What is shown of a push token.
    package struct Token: JSONRecord {
        package let provider, ending: String
        /// Whether it was handed in, and wins over all sources.
        package let isManual: Bool

        package init(provider: String, ending: String, isManual: Bool) {
            (self.provider, self.ending, self.isManual) = (provider, ending, isManual)
        }

        package static let form = JSONForm<Self>("PushToken", "A push token; all of it is enough to push.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            provider = try members.required("provider", \.provider, "Whose it is.", .example("fcm"))
            ending = try members.required("ending", \.ending, "The last characters of it.", .example("x9Qf"))
            isManual = try members.flag("manual", \.isManual, "Whether it wins over all sources.")
        }
    }
}

/// How a push server knows this device; times in milliseconds since 1970.
package struct PushRegistrarReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case registered, pending, suspended, unregistered
        /// The server has refused the last request of the registration.
        case refused
        /// The last request of the registration was given up.
        case failed
    }

    /// What a registration waits for before anything is sent.
    package enum Obstacle: String, JSONWord, PlainCodable {
        /// A user must sign in, or the app hand in a JWT.
        case signIn
        /// No provider has a token.
        case token
        /// Notifications are not allowed yet.
        case permission
        /// The device must be saved at the server first.
        case device
        /// Everything of it was removed, until it is registered again.
        case removed
        /// It waits for its turn, or for the server.
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
    package var since, told: Int64?
    package var user: String?

    package init(_ name: String, type: String, _ state: State) {
        (self.name, self.type, self.state) = (name, type, state)
    }

    package static let form = JSONForm<Self>("PushRegistrar", "How a push server knows this device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name the file gives it.", .example("main"))
        type = try members.required("type", \.type, "What kind of server it is.", .example("unifiedPush"))
        state = try members.required("state", \.state, "In a word.")
        waitsFor = try members.optional("waitsFor", \.waitsFor, "What it waits for.")
        reason = try members.optional("reason", \.reason, "Why it is in this state, or why the server refused.")
        status = try members.optional("status", \.status, "The status with which the server refused.")
        refused = try members.optional("refused", \.refused, "The refused request; what was told before still holds.")
        help = try members.optional("help", \.help, "What to do about it.")
        origin = try members.optional("config", \.origin, "The value of the services file it comes from.")
        provider = try members.optional("provider", \.provider, "The provider whose token the server knows.")
        token = try members.optional("token", \.token, "The last characters of that token.")
        nextToken = try members.optional("nextToken", \.nextToken, "The last characters of the token to be told next.")
        since = try members.optional("since", \.since, "Since when the server knows this device.", .moment)
        told = try members.optional("told", \.told, "When it was told last.", .moment)
        user = try members.optional("user", \.user, "What requests of this user are kept apart by.")
    }
}

/// What was removed of push registration.
package struct PushRemoved: JSONRecord {
    package var registrations: [String] = []
    package var tokens = 0, jwts = 0
    /// Whether a changed order was.
    package var hadProviders = false

    package init() {}

    package static let form = JSONForm<Self>("PushRemoved", "What was removed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrations = try members.required(
            "registrations",
            \.registrations,
            "Registrars that were forgotten.",
            .example(["main"])
        )
        tokens = try members.required("tokens", \.tokens, "How many tokens were.", .count)
        jwts = try members.required("jwts", \.jwts, "How many JWTs were.", .count)
        hadProviders = try members.required("providers", \.hadProviders, "Whether a changed order was.")
    }
}

/// Which server is told what became of a push.
package struct PushEventTold: JSONRecord {
    package let registrar, push: String?

    package init(registrar: String?, push: String?) { (self.registrar, self.push) = (registrar, push) }

    package static let form = JSONForm<Self>("PushEventTold", "Which server is told what became of a push.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.optional("registrar", \.registrar, "The server that is told.")
        push = try members.optional("push", \.push, "The id of the push.")
    }
}

/// What an Altcraft platform answered about a subscription, in its own words.
package struct PushPlatformAnswer: APIAnswer {
    package let json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    package static var answerSchema: JSONSchema? { .anything }
    package var answer: [UInt8]? { json.bytes() }

    package static func read(answer: [UInt8]) throws(JSONMismatch) -> PushPlatformAnswer {
        // Numbers may be larger than any of ours.
        do throws(Unreadable) {
            return PushPlatformAnswer(try JSONValue(parsing: answer, named: "answer"))
        } catch {
            throw JSONMismatch("the answer is not JSON: \(error.problem.message)", nil)
        }
    }
}
