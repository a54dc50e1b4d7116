import WireBase
import WireConfig

/// Translates an AeroGear file into the model's own layout.
///
/// Values keep their nodes, so that messages point to the AeroGear file; new keys have the places of the keys they
/// replace. The file itself is kept whole in the section `aerogear`.
struct AeroGearTranslation {
    var document: Document
    var problems: [Diagnostic] = []
    /// Whether the file configures sign-in.
    private(set) var hasSignIn = false
    /// The keys at the top of a file in the model's own layout.
    let modelKeys: Set<String>
    let catalogue: Catalogue

    /// The keys of the dialect at the top of a file, in both spellings.
    private static let ownKeys = [
        "version", "clusterName", "cluster_name", "namespace", "clientId", "client_id", "services", "https",
    ]

    init(_ document: consuming Document, modelKeys: Set<String>, _ catalogue: Catalogue) {
        self.document = document
        self.catalogue = catalogue
        self.modelKeys = modelKeys
    }

    /// Returns the tree in the model's own layout.
    mutating func translated(_ root: NodeID) -> NodeID {
        var found: [Diagnostic] = []
        let services = document.aeroGearServices(of: root) { found.append($0) }
        problems += found
        reportListWithoutServices(in: root)
        let wiring = AeroGearWiring(services, of: document)
        for double in wiring.doubles { report(duplicate: double.service, of: double.first) }
        for service in wiring.unknown { reportUnknown(service) }
        reportDoubleIDs(services)
        reportAlmostKnownKeys(in: root, known: Self.ownKeys + modelKeys.sorted())
        let wired = services.filter { wiring.wired.contains($0.index) }
        hasSignIn = wired.contains { $0.role == .auth } || document.said("auth", of: root) != nil
        var made: [Entry] = []
        if let version = document.entry("version", of: root) {
            made.append(Entry(key: version.key, value: formatVersion(version.value)))
        }
        for service in wired {
            if let section = section(of: service, named: wiring.name(of: service)) { made.append(section) }
        }
        if let network = network(of: root) { made.append(network) }
        made.append(kept(root))
        let lower = document.makeMapping(made, like: root)
        let upper = document.makeMapping(document.entries(root).filter(isModels), like: root)
        // Settings in the model's own layout override those of the services.
        return document.overlay(upper, over: lower)
    }

    private func isModels(_ entry: Entry) -> Bool {
        let key = document.text(entry.key)
        return modelKeys.contains(key) && !Self.ownKeys.contains(key)
    }

    /// Returns the section with the original file, without the parts in the model's own layout.
    private mutating func kept(_ root: NodeID) -> Entry {
        let model = document.entry("services", of: root)?.key ?? root
        let own = document.entries(root).filter { !isModels($0) || document.text($0.key) == "$schema" }
        let file = document.makeMapping(own, like: root)
        let section = document.makeMapping([document.makeEntry("file", file, like: model)], like: model)
        return document.makeEntry(AeroGearSection.name, section, like: model)
    }

    // MARK: Reports

    /// Reports an empty list of services in a file without other AeroGear keys, which was meant in the model's own
    /// layout.
    private mutating func reportListWithoutServices(in root: NodeID) {
        guard let services = document.entry("services", of: root), document.kind(services.value) == .sequence,
            document.items(services.value).isEmpty
        else { return }
        let keys = document.entries(root).map { document.text($0.key) }
        let isNative = keys.contains { modelKeys.contains($0) && !Self.ownKeys.contains($0) && $0 != "$schema" }
        guard isNative, !keys.contains(where: { Self.ownKeys.dropFirst().contains($0) && $0 != "services" }) else {
            return
        }
        problems.append(
            Diagnostic(.serviceList, "services: the list is empty", at: document.place(services.key))
                .labelled("remove this key")
                .helped(by: "each service is a section at the top of the file, for instance \(setting: "auth: { … }")")
                .about("services")
        )
    }

    private mutating func report(duplicate service: AeroGearService, of first: AeroGearService) {
        let kind = service.role == nil ? "the type" : "the service"
        let name = service.role.map { $0 == .sync ? "sync" : service.type } ?? service.type
        problems.append(
            Diagnostic(
                .duplicateService,
                "\(service.path): \(kind) \(name.quoted) is a duplicate",
                at: document.place(service.typeNode)
            )
            .labelled("not used")
            .related(document.place(first.typeNode), "this one is used")
            .about(service.path)
        )
    }

    private mutating func reportUnknown(_ service: AeroGearService) {
        let nearest = Nearest.names(to: service.type, among: AeroGearRole.allTypes)
        problems.append(
            Diagnostic(
                .unknownService,
                "\(service.path): unsupported type \(service.type.quoted)",
                at: document.place(service.typeNode)
            )
            .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
            .helped(by: nearest.isEmpty ? "supported are \(AeroGearRole.allTypes.listed("and"))" : nil)
            .about("\(service.path).type")
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
                    "\(service.path).id: \(document.text(id).quoted) is also the id of another service",
                    at: document.place(id)
                )
                .labelled("not used for lookups")
                .related(document.place(earlier), "this one is found")
                .about("\(service.path).id")
            )
        }
    }
}

extension Document {
    /// Creates an entry at the place of `model`, with a key that the file does not have.
    mutating func makeEntry(_ key: String, _ value: NodeID, like model: NodeID) -> Entry {
        Entry(key: makeScalar(key, like: model), value: value)
    }

    /// Creates an entry at the place of `model` that the file does not have.
    mutating func makeEntry(_ key: String, _ text: String, _ kind: NodeKind = .quoted, like model: NodeID) -> Entry {
        makeEntry(key, makeScalar(text, kind: kind, like: model), like: model)
    }
}
