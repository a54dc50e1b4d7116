package import WireConfig

/// The parts of an AeroGear file that other sections do not use.
///
/// The dialect writes this section when it reads such a file; together with the other sections it is the whole file.
package struct AeroGearSection: Section {
    package static let name = "aerogear"
    package static let summary =
        "Parts of an AeroGear file that no other section uses; they are kept, shown and exported."
    package static let isService = false
    package static let codes = Code.aeroGearCodes

    @Setting package var file: ForeignFile?
    @Setting private var keptClusterName: String?
    @Setting private var keptNamespace: String?
    @Setting private var keptClientID: String?
    @Setting private var keptVersion: ForeignText?
    @Setting private var keptServices: Named<ForeignService>
    @Setting private var https: ForeignValue?
    @Setting private var unread: ForeignValue?

    package init(_ keys: inout Keys) {
        _file = keys.optional(
            "file",
            "Original AeroGear file; export writes it with the changes of the sections.",
            .example("{ version: 1, services: [] }")
        )
        let earlier = "Part of the AeroGear file, written by earlier releases instead of 'file'."
        _keptClusterName = keys.optional("clusterName", earlier, .example("\"192.168.64.74:8443\""))
        _keptNamespace = keys.optional("namespace", earlier, .example("myproject"))
        _keptClientID = keys.optional("clientId", earlier, .example("example_client_id"))
        _keptVersion = keys.optional("version", earlier, .example("\"1.0\""))
        _keptServices = keys.value("services", earlier, or: Named())
        _https = keys.optional("https", earlier, .example("{}"))
        _unread = keys.optional("unread", earlier, .example("[]"))
    }

    /// The cluster that has created the file.
    package var clusterName: String? { file?.text("clusterName", "cluster_name") ?? keptClusterName }
    /// The namespace in the cluster.
    package var namespace: String? { file?.text("namespace") ?? keptNamespace }
    /// The client in the namespace.
    package var clientID: String? { file?.text("clientId", "client_id") ?? keptClientID }
    /// The version as in the file: `1`, `1.0`.
    package var version: String? { file?.text("version") ?? keptVersion?.text }
    /// The services in the order of the file.
    package var services: Named<ForeignService> { file?.services ?? keptServices }

    /// Returns the services of a type, ignoring case, in the order of the file.
    package func services(ofType type: String) -> [Named<ForeignService>.Item] {
        services.items.filter { $0.value.type.lowercased() == type.lowercased() }
    }
}

/// A kept service of an AeroGear file.
package struct ForeignService: Record {
    @Setting package var id: String?
    @Setting package var displayName: String?
    @Setting package var type: String
    @Setting package var url: ForeignText?
    @Setting package var isKnown: Bool
    @Setting package var config: ForeignValue?
    @Setting package var other: ForeignValue?

    package init(_ keys: inout Keys) {
        _id = keys.optional("id", "Id of the service.", .example("push"))
        _displayName = keys.optional("name", "Name of the service.", .example("push"))
        _type = keys.required("type", "Type of the service.", .example("push"))
        _url = keys.optional(
            "url",
            "Address of the service, unless a section has it.",
            .example("https://push.example.com")
        )
        _isKnown = keys.value("known", "Whether a section uses the service.", or: false)
        _config = keys.optional(
            "config",
            "Settings of the service; null for those that a section has.",
            .example("{ senderId: \"43543\" }")
        )
        _other = keys.optional("other", "Keys that no AeroGear SDK reads.", .example("{}"))
    }

    /// Reads a service of a file that is kept whole.
    init(_ service: AeroGearService, isKnown: Bool, of document: Document) {
        func setting<Value>(_ key: String, _ make: (NodeID) -> Value) -> Setting<Value?> {
            let node = document.said(key, of: service.node)
            return Setting(
                node.map(make),
                at: Place(node: node ?? service.node, state: node == nil ? .absent : .written)
            )
        }
        func literal(_ node: NodeID) -> ForeignValue { ForeignValue(hiding: node, of: document) }
        _id = setting("id", document.text)
        _displayName = setting("name", document.text)
        _type = Setting(service.type, at: Place(node: service.typeNode, state: .written))
        _url = setting("url") { ForeignText(text: ShownText(document.text($0), isSecret: false).text) }
        _isKnown = Setting(isKnown, at: Place(node: service.node, state: .absent))
        _config = setting("config", literal)
        let others = document.entries(service.node).filter {
            !["id", "name", "type", "url", "config"].contains(document.text($0.key))
        }
        let place = Place(node: service.node, state: others.isEmpty ? .absent : .written)
        let values = others.map { (document.text($0.key), ForeignValue(hiding: $0, of: document).literal) }
        _other = Setting(others.isEmpty ? nil : ForeignValue(literal: .mapping(values)), at: place)
    }
}
