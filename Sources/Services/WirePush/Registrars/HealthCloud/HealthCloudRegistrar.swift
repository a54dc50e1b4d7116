import WireBackendContract
package import WireBase
package import WireConfig
import WireHTTP
import WireNetworkContract
package import WirePushContract
import WireService

/// The notification service of a Health Cloud, and the registration of this device there.
package struct HealthCloudRegistrar: PushRegistrar {
    @Setting package var path: Address
    @Setting package var apiKeyHeader: HeaderName
    @Setting package var apiKey: Secret<HeaderValue>
    @Setting package var method: RegistrationMethod
    @Setting package var providers: [PushProvider]?
    @Setting package var vapid: SenderKey?
    @Setting package var needs: [UserNeed]?
    @Setting package var required: Bool

    package init(_ keys: inout Keys) {
        _path = keys.required(
            "path",
            "URL for registrations.",
            .takes(.endpoint),
            .example("mako/case-api/1.0/notifications"),
            // The embedded server responds at the path of the real one.
            .standIn { $0.stoodInFor(at: String($0.absolute?.path.drop { $0 == "/" } ?? "")) }
        )
        _apiKeyHeader = keys.value(
            "apiKeyHeader",
            "Header that carries the API key.",
            or: HeaderName(known: "x-api-key")
        )
        _apiKey = keys.required("apiKey", "API key.", .example("\"${env:HC_KEY}\""))
        _method = keys.value("method", "HTTP method of the registration.", or: .post)
        _providers = Registrar.providersKey(&keys)
        _vapid = Registrar.vapidKey(&keys)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

/// The HTTP method of a registration.
package enum RegistrationMethod: String, Choice {
    case post = "POST"
    case put = "PUT"

    package var help: String {
        switch self {
        case .post: "the server creates a registration"
        case .put: "the server replaces the registration of this device"
        }
    }
}

extension HealthCloudRegistrar {
    static let word = "healthCloud"
    static let help = "The notification service of a Health Cloud."

    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {
        checks.need(
            Provision(.accessTokens, "user"),
            .registrarNeedsSignIn,
            at: $path,
            "\(path) sends a token of the user, and no section signs in users",
            help: "add an 'auth' section, with another mode than 'app'"
        )
        checks.needTokenHost(of: self.path, at: $path, "\(path).path", orElse: "type: rest", from: $path)
        if apiKeyHeader.text.lowercased() == "authorization" {
            checks.report(
                .takenHeader,
                at: $apiKeyHeader,
                "\(path).apiKeyHeader is the header that carries the user's token",
                help: "write the header of the API key, such as 'x-api-key'"
            )
        }
    }

    func address(of name: String, in host: PushHost) -> String {
        host.builtIn(for: path)?.healthCloud(name, at: path.text, header: apiKeyHeader.text, key: apiKey.text)
        return path.text
    }

    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) throws(Fault) -> PushOwner {
        try .user(RestWire(self, at: registrar.address), in: reconciler.host)
    }

    var ownProviders: Setting<[PushProvider]?>? { _providers }
    func tried(of order: [PushProvider]) -> [PushProvider] { providers ?? order }

    var credentials: [String] { [apiKey.reveal().text] }
}

extension RestWire {
    /// Expresses a Health Cloud as a registrar of the type 'rest'.
    package init(_ account: HealthCloudRegistrar, at address: String) {
        let method = Method(account.method.rawValue)
        let words = #""deviceId":"{{ deviceId }}","provider":"{{ provider }}","token":"{{ token }}""#
        self.init(
            at: address,
            authorization: .token(.user),
            key: (account.apiKeyHeader.text, account.apiKey.text),
            register: RestTemplate(method, body: "{\(words)}"),
            update: RestTemplate(method, body: "{\(words)," + #""oldToken":"{{ oldToken }}"}"#),
            unregister: RestTemplate(.delete, path: "{{ deviceId }}")
        )
    }
}
