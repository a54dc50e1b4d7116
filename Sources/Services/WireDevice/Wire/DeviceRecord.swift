package import WireDeviceContract
package import WireHTTP

/// What is kept of the device in an environment, for all processes of a group.
package struct DeviceRecord: Sendable, Equatable {
    var device: KnownDevice
    /// What the server has told of it beside that.
    var appID: Int?
    var created: Int64?
    var updated: Int64?
    /// The server that knows it by its id; another one is told anew.
    var server: String?
    /// Grows with every change that servers are to be told.
    var revision = 1
    /// The revision the server has confirmed last, and since when.
    var saved = 0
    var savedAt: Int64?
    /// Since when it is registered there without a break, in milliseconds since 1970.
    var since: Int64?
    /// Somebody has removed it: servers are not told of it until somebody asks for that.
    var isRemoved = false
    /// The names of the tags that came from the file, which go where it no longer has them.
    var declared: [String] = []
    /// Why the server did not take it, and in which revision.
    var refusal: String?
    var refused = 0

    /// The last revision that was made by a version whose requests had ids of another form; 0 for none.
    var formerRevision = 0

    init(_ device: KnownDevice) { self.device = device }

    var isSaved: Bool { saved == revision && device.id != nil }

    /// As it is sent.
    var wire: HaloDevice {
        var wire = HaloDevice()
        (wire.id, wire.appID, wire.email, wire.alias) = (device.id, appID, device.email, device.alias)
        (wire.tokens, wire.tags, wire.created, wire.updated) = (device.tokens, device.tags, created, updated)
        return wire
    }
}

extension DeviceRecord: JSONRecord {
    package static let form = JSONForm<Self>("DeviceRecord", "A device as it is stored.", version: 1)

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let id = try members.optional("id", \.device.id, "What the server calls it.")
        let email = try members.optional("email", \.device.email, "The address of its user.")
        let alias = try members.required("alias", \.device.alias, "Its name.")
        let tokens = try members.readable("tokens", \.device.tokens, "Where pushes reach it.")
        let tags = try members.readable("tags", { $0.device.tags.map(StoredTag.init) }, "What it is or has.")
        self.init(KnownDevice(id: id, alias: alias, email: email, tags: tags.map(\.tag), tokens: tokens))
        appID = try members.optional("appId", \.appID, "The server's id of the app.")
        created = try members.optional("created", \.created, "When the server created it.")
        updated = try members.optional("updated", \.updated, "When the server last changed it.")
        server = try members.optional("server", \.server, "The server that knows it by its id.")
        revision = try members.value("revision", \.revision, "The revision of what servers are told.", or: 1)
        saved = try members.value("saved", \.saved, "The revision that the server confirmed last.", or: 0)
        savedAt = try members.optional("savedAt", \.savedAt, "When that was.")
        since = try members.optional("since", \.since, "Since when it is registered without a break.")
        isRemoved = try members.flag("removed", \.isRemoved, "Whether a caller removed it.")
        declared = try members.readable("declared", \.declared, "The names of the tags that came from the file.")
        refusal = try members.optional("refusal", \.refusal, "Why the server refused it.")
        refused = try members.value("refused", \.refused, "The revision that was refused.", or: 0)
        formerRevision = try members.value(
            "formerRevision",
            \.formerRevision,
            "The last revision whose request had an id of the former form.",
            or: revision
        )
    }
}

extension DeviceToken: JSONRecord {
    package static let form = JSONForm<Self>("StoredDeviceToken", "A push token as it is stored.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            platform: try members.required("platform", \.platform, "Its platform."),
            token: try members.required("token", \.token, "The token.")
        )
    }
}

private struct StoredTag: JSONRecord {
    let tag: DeviceTag

    init(_ tag: DeviceTag) { self.tag = tag }

    static let form = JSONForm<Self>("StoredDeviceTag", "A tag as it is stored.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let name = try members.required("name", \.tag.name, "Its name.")
        let value = try members.optional("value", \.tag.value, "Its value.")
        let isSystem = try members.flag("system", { $0.tag.kind == .system }, "Whether corewire found it out.")
        let id = try members.optional("id", \.tag.id, "What the server calls it.")
        tag = DeviceTag(name, value, kind: isSystem ? .system : .custom, id: id)
    }
}
