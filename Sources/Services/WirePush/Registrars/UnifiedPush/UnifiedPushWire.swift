import WireBase
import WireConfig
import WireHTTP

/// The requests to AeroGear's UnifiedPush Server (its device registry, below `/rest/registry/device`).
package struct UnifiedPushWire: Sendable {
    private let address: PushAddress
    private let account: UnifiedPushRegistrar

    /// The address is everything before `/rest`.
    package init(_ account: UnifiedPushRegistrar, at address: String) {
        self.account = account
        self.address = PushAddress(address)
    }

    private static let registry = "rest/registry/device"

    private var authorization: Fields {
        let login = "\(account.variantID.text):\(account.variantSecret.reveal())"
        return ["Authorization": "Basic \(Base64.text(of: Array(login.utf8)))"]
    }

    /// Registers a token, and removes the former one.
    package func register(_ token: ProviderToken, former: ProviderToken?, _ device: PushDevice) -> PushCall {
        var fields = authorization
        if let former, former.text != token.text { fields["x-ag-old-token"] = former.text }
        return PushCall(.post, address.below(Self.registry), fields: fields, json: body(token, device))
    }

    private func body(_ token: ProviderToken, _ device: PushDevice) -> JSONValue {
        .members([
            "deviceToken": .string(token.text),
            "deviceType": .string(account.deviceType ?? device.type ?? "Device"),
            "operatingSystem": .string(account.operatingSystem ?? device.platform ?? "Linux"),
            "osVersion": .string(account.osVersion ?? device.systemVersion ?? ""),
            "alias": .string(account.alias ?? ""),
            "categories": .array(account.categories.map(JSONValue.string)),
        ])
    }

    package func unregister(_ token: ProviderToken) -> PushCall {
        let step = token.text.percentEncoded
        return PushCall(
            .delete,
            address.below("\(Self.registry)/\(step)"),
            fields: authorization,
            secretInPath: Secret(step)
        )
    }

    /// Reports that a push was opened.
    package func opened(_ push: String) -> PushCall {
        PushCall(.put, address.below("\(Self.registry)/pushMessage/\(push.percentEncoded)"), fields: authorization)
    }
}

extension UnifiedPushWire: PushWire {
    var server: String { "\(address.below("")) \(account.variantID.text)" }

    func facts(_ moment: PushRequestValues) -> String {
        let device = moment.device
        return [
            address.below(""), account.variantID.text, account.variantSecret.reveal(), account.alias ?? "",
            account.categories.joined(separator: "\u{1f}"), account.deviceType ?? device.type ?? "",
            account.operatingSystem ?? device.platform ?? "", account.osVersion ?? device.systemVersion ?? "",
        ].joined(separator: "\u{1e}")
    }

    func call(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall? {
        switch operation.kind {
        case .register, .update: moment.token.map { register($0, former: moment.former, moment.device) }
        case .unregister: moment.known.map(unregister)
        case .open: operation.push.map(opened)
        default: nil
        }
    }
}
