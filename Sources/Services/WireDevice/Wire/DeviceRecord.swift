import WireConfig
import WireService

/// What is kept of the device in an environment, for all processes of a group.
struct DeviceRecord: Sendable, Equatable {
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

extension DeviceRecord {
    private static let version = 1

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "version": .integer(Self.version), "id": device.id.map(JSONValue.string),
            "email": device.email.map(JSONValue.string), "alias": .string(device.alias),
            "tokens": .array(
                device.tokens.map { .members(["platform": .string($0.platform), "token": .string($0.token)]) }
            ),
            "tags": .array(
                device.tags.map { tag in
                    .members([
                        "name": .string(tag.name), "value": tag.value.map(JSONValue.string),
                        "system": tag.kind == .system ? .boolean(true) : nil, "id": tag.id.map(JSONValue.string),
                    ])
                }
            ),
            "appId": appID.map(JSONValue.integer), "created": created?.json, "updated": updated?.json,
            "server": server.map(JSONValue.string), "revision": .integer(revision), "saved": .integer(saved),
            "savedAt": savedAt?.json, "since": since?.json, "removed": isRemoved ? .boolean(true) : nil,
            "declared": .array(declared.map(JSONValue.string)), "refusal": refusal.map(JSONValue.string),
            "refused": .integer(refused), "formerRevision": .integer(formerRevision),
        ])
        return json.bytes()
    }

    /// Nil for what this program has not written.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "device"), json["version"]?.integer == Self.version,
            let alias = json["alias"]?.string
        else { return nil }
        let tokens = (json["tokens"]?.array ?? []).compactMap { token in
            token["platform"]?.string.flatMap { platform in
                token["token"]?.string.map { DeviceToken(platform: platform, token: $0) }
            }
        }
        let tags = (json["tags"]?.array ?? []).compactMap { tag in
            tag["name"]?.string.map {
                DeviceTag(
                    $0,
                    tag["value"]?.string,
                    kind: tag["system"]?.boolean ?? false ? .system : .custom,
                    id: tag["id"]?.string
                )
            }
        }
        self.init(
            KnownDevice(
                id: json["id"]?.string,
                alias: alias,
                email: json["email"]?.string,
                tags: tags,
                tokens: tokens
            )
        )
        appID = json["appId"]?.integer
        (created, updated) = (json["created"]?.moment, json["updated"]?.moment)
        (server, revision) = (json["server"]?.string, json["revision"]?.integer ?? 1)
        (saved, savedAt, since) = (json["saved"]?.integer ?? 0, json["savedAt"]?.moment, json["since"]?.moment)
        isRemoved = json["removed"]?.boolean ?? false
        declared = (json["declared"]?.array ?? []).compactMap(\.string)
        (refusal, refused) = (json["refusal"]?.string, json["refused"]?.integer ?? 0)
        formerRevision = json["formerRevision"]?.integer ?? revision
    }
}

extension Int64 {
    fileprivate var json: JSONValue { .integer(Int(self)) }
}

extension JSONValue {
    fileprivate var moment: Int64? { integer.map { Int64($0) } }
}
