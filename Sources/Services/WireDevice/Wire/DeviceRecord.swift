package import WireDeviceContract
package import WireHTTP

/// The stored device of an environment, for all processes of a group.
package struct DeviceRecord: Sendable, Equatable {
    var device: KnownDevice
    /// Further data of the server.
    var appID: Int?
    var created: Int64?
    var updated: Int64?
    /// The server of the id; for another server the device is new.
    var server: String?
    /// Increases with every change that servers should get.
    var revision = 1
    /// The last revision that the server has confirmed, and when.
    var saved = 0
    var savedAt: Int64?
    /// Since when it has been registered without a break, in milliseconds since 1970.
    var since: Int64?
    /// Removed by a caller: it is not sent to servers until a caller registers it.
    var isRemoved = false
    /// The revision in which the former device was removed, while the request for that may still wait; nothing was saved
    /// since.
    var removal: Int?
    /// The names of the tags from the file, which are removed where the file no longer has them.
    var declared: [String] = []
    /// Why the server rejected it, and in which revision.
    var refusal: String?
    var refused = 0

    /// The last revision of a version whose requests had ids of another form; 0 for none.
    var formerRevision = 0

    init(_ device: KnownDevice) { self.device = device }

    var isSaved: Bool { saved == revision && device.id != nil }

    /// The device in the form of requests.
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
        let id = try members.optional("id", \.device.id, "The id at the server.")
        let email = try members.optional("email", \.device.email, "The user's e-mail address.")
        let alias = try members.required("alias", \.device.alias, "The name.")
        let tokens = try members.readable("tokens", \.device.tokens, "The push tokens.")
        let tags = try members.readable("tags", { $0.device.tags.map(StoredTag.init) }, "The tags.")
        self.init(KnownDevice(id: id, alias: alias, email: email, tags: tags.map(\.tag), tokens: tokens))
        appID = try members.optional("appId", \.appID, "The server's id of the app.")
        created = try members.optional("created", \.created, "When the server created it.")
        updated = try members.optional("updated", \.updated, "When the server last changed it.")
        server = try members.optional("server", \.server, "The server of the id.")
        revision = try members.value("revision", \.revision, "The present revision.", or: 1)
        saved = try members.value("saved", \.saved, "The last confirmed revision.", or: 0)
        savedAt = try members.optional("savedAt", \.savedAt, "The time of the confirmation.")
        since = try members.optional("since", \.since, "The time since which it has been registered without a break.")
        isRemoved = try members.flag("removed", \.isRemoved, "Whether a caller has removed it.")
        removal = try members.optional("removal", \.removal, "The revision of a removal that may still wait.")
        declared = try members.readable("declared", \.declared, "The names of the tags from the file.")
        refusal = try members.optional("refusal", \.refusal, "Why the server rejected it.")
        refused = try members.value("refused", \.refused, "The rejected revision.", or: 0)
        formerRevision = try members.value(
            "formerRevision",
            \.formerRevision,
            "The last revision with a request id of the former form.",
            or: revision
        )
    }
}

extension DeviceToken: JSONRecord {
    package static let form = JSONForm<Self>("StoredDeviceToken", "A push token as it is stored.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            platform: try members.required("platform", \.platform, "The platform."),
            token: try members.required("token", \.token, "The token.")
        )
    }
}

private struct StoredTag: JSONRecord {
    let tag: DeviceTag

    init(_ tag: DeviceTag) { self.tag = tag }

    static let form = JSONForm<Self>("StoredDeviceTag", "A tag as it is stored.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let name = try members.required("name", \.tag.name, "The name.")
        let value = try members.optional("value", \.tag.value, "The value.")
        let isSystem = try members.flag("system", { $0.tag.kind == .system }, "Whether it is a system tag.")
        let id = try members.optional("id", \.tag.id, "The id at the server.")
        tag = DeviceTag(name, value, kind: isSystem ? .system : .custom, id: id)
    }
}
