import WireBase
import WireConfig

/// One reading of an AeroGear file into the model's own layout.
///
/// Values keep their nodes, so every later message points into the AeroGear file; keys that it does not have stand where
/// the keys stood that they are made of.
struct AeroGearTranslation {
    var document: Document
    var problems: [Diagnostic] = []
    /// Whether the file says where tokens come from.
    private(set) var hasSignIn = false

    /// The keys of the dialect at the top of a file; all others are the model's.
    private static let ownKeys: Set<String> = ["version", "clusterName", "namespace", "clientId", "services", "https"]

    init(_ document: consuming Document) {
        self.document = document
    }

    /// The tree of a file in the model's own layout.
    mutating func translated(_ root: NodeID) -> NodeID {
        var found: [Diagnostic] = []
        let services = document.aeroGearServices(of: root) { found.append($0) }
        problems += found
        let wired = wiredServices(services)
        reportDoubleIDs(services)
        hasSignIn =
            services.contains { wired.contains($0.index) && $0.role == .auth } || document.said("auth", of: root) != nil
        let names = names(of: services)
        var made: [Entry] = []
        if let version = document.entry("version", of: root) {
            made.append(Entry(key: version.key, value: formatVersion(version.value)))
        }
        for service in services where wired.contains(service.index) {
            if let section = section(of: service, named: names[service.index] ?? service.type) { made.append(section) }
        }
        if let network = network(of: root) { made.append(network) }
        made.append(kept(root, services, names: names, wired: wired))
        let written = document.entries(root).filter { !Self.ownKeys.contains(document.text($0.key)) }
        let lower = document.makeMapping(made, like: root)
        let upper = document.makeMapping(written, like: root)
        // What the file says in the model's own words goes over what its services say.
        return document.lay(upper, over: lower)
    }

    // MARK: Which service counts

    /// The services that become a section: of each kind the first.
    private mutating func wiredServices(_ services: [AeroGearService]) -> Set<Int> {
        var first: [String: AeroGearService] = [:]
        var wired: Set<Int> = []
        for service in services {
            let kind = service.role?.rawValue ?? service.type.lowercased()
            if let earlier = first[kind] {
                report(duplicate: service, of: earlier)
                continue
            }
            first[kind] = service
            if service.role == nil { reportUnknown(service) }
            if service.isUsable { wired.insert(service.index) }
        }
        return wired
    }

    private mutating func report(duplicate service: AeroGearService, of first: AeroGearService) {
        let kind = service.role == nil ? "the type" : "the service"
        let name = service.role.map { $0 == .sync ? "sync" : service.type } ?? service.type
        problems.append(
            Diagnostic(
                .duplicateService,
                "services.\(service.index): \(kind) \(name.quoted) stands here a second time",
                at: document.place(service.typeNode)
            )
            .labelled("not used")
            .related(document.place(first.typeNode), "the first one is used")
            .about("services.\(service.index)")
        )
    }

    private mutating func reportUnknown(_ service: AeroGearService) {
        let nearest = Nearest.names(to: service.type, among: AeroGearRole.allTypes)
        problems.append(
            Diagnostic(
                .unknownService,
                "services.\(service.index): nothing is wired for the type \(service.type.quoted)",
                at: document.place(service.typeNode)
            )
            .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
            .helped(by: nearest.isEmpty ? "wired are \(AeroGearRole.allTypes.listed("and"))" : nil)
            .about("services.\(service.index).type")
        )
    }

    private mutating func reportDoubleIDs(_ services: [AeroGearService]) {
        var first: [String: NodeID] = [:]
        for service in services {
            guard let id = document.said("id", of: service.node), document.kind(id).isScalar else { continue }
            guard let earlier = first[document.text(id)] else {
                first[document.text(id)] = id
                continue
            }
            problems.append(
                Diagnostic(
                    .duplicateService,
                    "services.\(service.index).id: \(document.text(id).quoted) is the id of another service",
                    at: document.place(id)
                )
                .labelled("not found by it")
                .related(document.place(earlier), "the first one is found")
                .about("services.\(service.index).id")
            )
        }
    }

    /// A name for each service under which the model can list it, by its number.
    func names(of services: [AeroGearService]) -> [Int: String] {
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

extension Document {
    /// An entry with a key that no file has, standing where `model` stands.
    mutating func makeEntry(_ key: String, _ value: NodeID, like model: NodeID) -> Entry {
        Entry(key: makeScalar(key, like: model), value: value)
    }

    /// An entry that no file has, standing where `model` stands.
    mutating func makeEntry(_ key: String, _ text: String, _ kind: NodeKind = .quoted, like model: NodeID) -> Entry {
        makeEntry(key, makeScalar(text, kind: kind, like: model), like: model)
    }
}
