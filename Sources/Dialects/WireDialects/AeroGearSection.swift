public import WireConfig

/// What an AeroGear file says beyond the services that are wired from it.
///
/// The dialect writes this section when it reads such a file; together with the other sections it is the whole file.
public struct AeroGearSection: Section {
    package static let name = "aerogear"
    package static let summary =
        "What an AeroGear file says beyond what is wired: kept, shown, and written back by export."
    package static let isService = false
    package static let codes = Code.aeroGearCodes

    /// The cluster the file was made by.
    @Setting public var clusterName: String?
    /// The namespace in the cluster.
    @Setting public var namespace: String?
    /// The client in the namespace.
    @Setting public var clientID: String?
    /// The version of the file as it writes it: `1`, `1.0`.
    @Setting public var version: String?
    /// The services in the order of the file.
    @Setting public var services: Named<KeptService>
    /// What stands beside the certificate pins.
    @Setting public var https: KeptValue?
    /// Parts of the file in which something is so wrong that nothing is made of them.
    @Setting public var unread: KeptValue?

    package init(_ keys: inout Keys) {
        _clusterName = keys.optional(
            "clusterName",
            "The cluster the file was made by.",
            .example("\"192.168.64.74:8443\"")
        )
        _namespace = keys.optional("namespace", "The namespace in the cluster.", .example("myproject"))
        _clientID = keys.optional("clientId", "The client in the namespace.", .example("example_client_id"))
        _version = keys.optional("version", "The version of the AeroGear file, as it writes it.", .example("\"1.0\""))
        _services = keys.value("services", "The services of the AeroGear file.", or: Named())
        _https = keys.optional("https", "What stands beside the certificate pins.", .example("{}"))
        _unread = keys.optional("unread", "Parts of the file that nothing could be made of.", .example("[]"))
    }

    /// The services of a type, whatever its case, in the order of the file.
    public func services(ofType type: String) -> [Named<KeptService>.Item] {
        services.items.filter { $0.value.type.lowercased() == type.lowercased() }
    }
}

/// A service of an AeroGear file, without what went into a section.
public struct KeptService: Record {
    /// Its id, where it has one.
    @Setting public var id: String?
    /// Its name, where it has one.
    @Setting public var displayName: String?
    /// Its type, as written.
    @Setting public var type: String
    /// Where it is; absent where the section says it.
    @Setting public var url: KeptText?
    /// Whether a section was made of it.
    @Setting public var isKnown: Bool
    /// Its settings; null where the section says it.
    @Setting public var config: KeptValue?
    /// Keys that no AeroGear SDK reads.
    @Setting public var other: KeptValue?

    package init(_ keys: inout Keys) {
        _id = keys.optional("id", "The id of the service.", .example("push"))
        _displayName = keys.optional("name", "The name of the service.", .example("push"))
        _type = keys.required("type", "The type of the service.", .example("push"))
        _url = keys.optional(
            "url",
            "Where the service is, unless a section says it.",
            .example("https://push.example.com")
        )
        _isKnown = keys.value("known", "Whether a section was made of the service.", or: false)
        _config = keys.optional(
            "config",
            "The settings of the service; null where a section says it.",
            .example("{ senderId: \"43543\" }")
        )
        _other = keys.optional("other", "Keys of the service that no AeroGear SDK reads.", .example("{}"))
    }
}
