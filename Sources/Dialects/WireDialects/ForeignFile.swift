import WireBase
package import WireConfig

/// An AeroGear file as it was read; its secrets are hidden at once.
package struct ForeignFile: Sendable {
    package let literal: Literal
    /// The services in the order of the file.
    let services: Named<ForeignService>

    /// Returns a text at the top of the file, under the first of some keys that has one.
    func text(_ keys: String...) -> String? {
        guard case .mapping(let members) = literal else { return nil }
        return keys.firstFound { key in members.first { $0.key == key }.map { $0.value.plainText } }
    }
}

extension ForeignFile: SettingValue {
    package static var form: Form { .free }
    package static var placeholder: Self { Self(literal: .mapping([]), services: Named()) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let document = reader.document
        guard document.kind(node) == .mapping else {
            reader.reportMismatch(node, expected: "a mapping")
            return .none
        }
        let members = document.entries(node).map { entry in
            let key = document.text(entry.key)
            let value = reader.descend(to: key, key: entry.key) {
                key == "services"
                    ? literal(ofServices: entry.value, reader) : ForeignValue.literal(of: entry, with: reader)
            }
            return (key, value)
        }
        let services = document.aeroGearServices(of: node) { _ in }
        let wiring = AeroGearWiring(services, of: document)
        let kept = services.map { service in
            Named<ForeignService>.Item(
                name: wiring.name(of: service),
                place: Place(node: service.node, state: .written),
                value: ForeignService(service, isKnown: wiring.wired.contains(service.index), of: document)
            )
        }
        return .complete(Self(literal: .mapping(members), services: Named(kept)))
    }

    /// The names of services are not keys, and do not indicate secrets.
    private static func literal(ofServices node: NodeID, _ reader: Reader) -> Literal {
        guard reader.document.kind(node) == .mapping else {
            return ForeignValue.literal(of: node, isSecret: false, with: reader)
        }
        return .mapping(
            reader.document.entries(node).map { entry in
                let name = reader.document.text(entry.key)
                return (
                    name,
                    reader.descend(to: name, key: entry.key) {
                        ForeignValue.literal(of: entry.value, isSecret: false, with: reader)
                    }
                )
            }
        )
    }
}
