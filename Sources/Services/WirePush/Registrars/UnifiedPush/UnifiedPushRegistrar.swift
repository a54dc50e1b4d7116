import WireBackendContract
package import WireBase
package import WireConfig
import WireNotificationContract
import WirePushContract

/// AeroGear's UnifiedPush Server, and the installation of this device there.
package struct UnifiedPushRegistrar: PushRegistrar {
    @Setting package var url: Address
    @Setting package var variantID: Identifier
    @Setting package var variantSecret: Secret<String>
    @Setting package var alias: String?
    @Setting package var categories: [String]
    @Setting package var deviceType: String?
    @Setting package var operatingSystem: String?
    @Setting package var osVersion: String?
    @Setting package var vapid: SenderKey?
    @Setting package var needs: [UserNeed]?
    @Setting package var required: Bool

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the server, up to and without /rest.",
            .takes(.root),
            .example("https://push.example.com"),
            .standIn(at: "ups")
        )
        _variantID = keys.required("variantId", "Variant of the application.", .example("1234456-234320"))
        _variantSecret = keys.required("variantSecret", "Secret of the variant.", .example("\"${env:UPS_SECRET}\""))
        _alias = keys.optional(
            "alias",
            "User of the device, to whom pushes can be addressed.",
            .example("ada@example.com")
        )
        _categories = keys.value(
            "categories",
            "Categories to which the user is subscribed.",
            or: [],
            .example("[news]")
        )
        _deviceType = keys.optional(
            "deviceType",
            "Type of device. Default: detected.",
            .example("Kiosk")
        )
        _operatingSystem = keys.optional(
            "operatingSystem",
            "Operating system. Default: detected.",
            .example("Linux")
        )
        _osVersion = keys.optional(
            "osVersion",
            "Version of the operating system. Default: detected.",
            .example("\"12\"")
        )
        _vapid = Registrar.vapidKey(&keys)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

extension UnifiedPushRegistrar {
    static let word = "unifiedPush"
    static let help = "AeroGear's UnifiedPush Server."

    func address(of name: String, in host: PushHost) -> String {
        let builtIn = host.builtIn(for: url)?.unifiedPush(name, admitting: variantID.text, secret: variantSecret)
        return builtIn ?? url.text
    }

    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) -> PushOwner {
        .device(UnifiedPushWire(self, at: registrar.address))
    }

    var registersForUpdates: Bool { true }
    var operations: Set<PushOperation.Kind> { [.register, .update, .unregister, .open] }

    var credentials: [String] {
        let secret = variantSecret.reveal()
        return [secret, Base64.text(of: Array("\(variantID.text):\(secret)".utf8))]
    }

    func objection(to json: JSONValue?, for kind: PushOperation.Kind, telling token: ProviderToken?) -> String? {
        guard kind == .register || kind == .update else { return nil }
        guard let device = json, device.members != nil else { return "no JSON object, which the server always sends" }
        guard let told = device["deviceToken"]?.string, let token else { return nil }
        return told == token.text ? nil : "another device than the one in the request"
    }

    func tried(of order: [PushProvider]) -> [PushProvider] { order }

    var sender: PlainPush.Sender? { .unifiedPush }
}
