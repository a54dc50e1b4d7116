import WireConfig

/// The services of an AeroGear file that become sections, with their names.
struct AeroGearWiring {
    /// The indexes of these services: the first one of each kind.
    private(set) var wired: Set<Int> = []
    /// The services that repeat the kind of an earlier one.
    private(set) var doubles: [(service: AeroGearService, first: AeroGearService)] = []
    /// The first service of each unsupported type.
    private(set) var unknown: [AeroGearService] = []
    /// The name of each service in the model, by its index.
    let names: [Int: String]

    init(_ services: [AeroGearService], of document: Document) {
        names = Self.names(of: services, document)
        var first: [String: AeroGearService] = [:]
        for service in services {
            let kind = service.role?.rawValue ?? service.type.lowercased()
            if let earlier = first[kind] {
                doubles.append((service, earlier))
                continue
            }
            first[kind] = service
            if service.role == nil { unknown.append(service) }
            if service.isUsable { wired.insert(service.index) }
        }
    }

    /// Returns the name of a service.
    func name(of service: AeroGearService) -> String { names[service.index] ?? service.type }

    private static func names(of services: [AeroGearService], _ document: Document) -> [Int: String] {
        var names: [Int: String] = [:]
        var taken: Set<String> = []
        for service in services {
            let candidates =
                ["id", "name"].compactMap { document.said($0, of: service.node).map(document.text) } + [service.type]
            let name = candidates.first { Identifier.isName($0) && !$0.hasPrefix("x-") && !taken.contains($0) }
            names[service.index] = name ?? "service\(service.index)"
            taken.insert(name ?? "service\(service.index)")
        }
        return names
    }
}
