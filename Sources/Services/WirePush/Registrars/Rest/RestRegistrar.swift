package import WireBase
package import WireConfig
import WirePushContract
import WireService

/// A server of any kind, with templates of its requests.
package struct RestRegistrar: PushRegistrar {
    @Setting package var url: Address
    @Setting package var authorization: TokenChoice
    @Setting package var apiKeyHeader: HeaderName
    @Setting package var apiKey: Secret<HeaderValue>?
    @Setting package var register: RestRequest
    @Setting package var update: RestRequest?
    @Setting package var unregister: RestRequest?
    @Setting package var events: RestEvents
    @Setting package var pushID: String?
    @Setting package var vapid: SenderKey?
    @Setting package var needs: [UserNeed]?
    @Setting package var required: Bool

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "Base URL of the requests.",
            .takes(.root),
            .example("https://push.example.com/devices"),
            .standIn(at: "echo")
        )
        _authorization = keys.value("authorization", "Owner of the token that the requests carry.", or: .none)
        _apiKeyHeader = keys.value(
            "apiKeyHeader",
            "Header that carries the API key.",
            or: HeaderName(known: "x-api-key")
        )
        _apiKey = keys.optional("apiKey", "API key.", .example("\"${env:PUSH_KEY}\""))
        _register = keys.required(
            "register",
            "Registration request.",
            .example("{ body: '{\"token\":\"{{ token }}\",\"provider\":\"{{ provider }}\"}' }")
        )
        _update = keys.optional(
            "update",
            "Request that replaces the token; {{ oldToken }} is the previous one. Default: 'register'.",
            .example("{ method: PUT, path: \"{{ deviceId }}\", body: '{\"token\":\"{{ token }}\"}' }")
        )
        _unregister = keys.optional(
            "unregister",
            "Request that ends the registration. Default: none is sent.",
            .example("{ method: DELETE, path: \"{{ deviceId }}\" }")
        )
        _events = keys.value("events", "Requests that report push events.", or: .placeholder)
        _pushID = keys.optional(
            "pushId",
            "Member of a push that holds its id, by which pushes of this server are recognized. Required for events.",
            .example("messageId")
        )
        _vapid = Registrar.vapidKey(&keys)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

extension RestRegistrar {
    static let word = "rest"
    static let help = "Any other server, with requests defined in the file."
    static let codes = Code.restCodes

    func address(of name: String, in host: PushHost) -> String { url.text }

    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) throws(Fault) -> PushOwner {
        let wire = RestWire(self, at: registrar.address)
        return authorization == .user ? try .user(wire, in: reconciler.host) : .device(wire)
    }

    var registersForUpdates: Bool { true }
    var operations: Set<PushOperation.Kind> {
        let told: [(PushOperation.Kind, RestRequest?)] = [
            (.delivery, events.delivery), (.open, events.open), (.dismiss, events.dismiss),
        ]
        return Set([.register, .update, .unregister] + told.filter { $0.1 != nil }.map(\.0))
    }

    func tried(of order: [PushProvider]) -> [PushProvider] { order }

    var credentials: [String] { apiKey.map { [$0.reveal().text] } ?? [] }
}

/// A template of a request.
package struct RestRequest: Record {
    @Setting package var method: RestMethod
    @Setting package var path: Template?
    @Setting package var headers: RestHeaders
    @Setting package var body: Template?

    package init(_ keys: inout Keys) {
        _method = keys.value("method", "Method.", or: .post)
        _path = keys.optional(
            "path",
            "Path below the registrar's URL; values are percent-encoded.",
            .example("\"{{ deviceId }}/token\"")
        )
        _headers = keys.value(
            "headers",
            "Header fields, by name.",
            or: .placeholder,
            .example("{ Content-Type: application/x-www-form-urlencoded }")
        )
        _body = keys.optional(
            "body",
            "Body. Values are escaped for JSON, or for forms according to Content-Type.",
            .example("'{\"token\":\"{{ token }}\"}'")
        )
    }
}

/// The method of a request.
package enum RestMethod: String, Choice {
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    package var help: String {
        switch self {
        case .post: "creates a resource"
        case .put: "replaces a resource"
        case .patch: "changes a resource"
        case .delete: "deletes a resource"
        }
    }
}

/// The requests that report push events.
package struct RestEvents: Record {
    @Setting package var delivery: RestRequest?
    @Setting package var open: RestRequest?
    @Setting package var dismiss: RestRequest?

    package init(_ keys: inout Keys) {
        _delivery = keys.optional(
            "delivery",
            "Request that reports that the push {{ pushId }} was received.",
            .example("{ path: \"{{ deviceId }}/events\", body: '{\"event\":\"received\"}' }")
        )
        _open = keys.optional(
            "open",
            "Request that reports that a push was opened.",
            .example("{ path: \"{{ deviceId }}/events\", body: '{\"event\":\"opened\"}' }")
        )
        _dismiss = keys.optional(
            "dismiss",
            "Request that reports that a push was dismissed.",
            .example("{ path: \"{{ deviceId }}/events\", body: '{\"event\":\"dismissed\"}' }")
        )
    }
}
