package import WireConfig
package import WireHTTP

/// A tag: a name with a value, by which content is selected for devices.
package struct HaloTag: Sendable, Equatable {
    /// The id; nil where none was assigned.
    package var id: String?
    package let name: String
    package let value: String
    /// The type of the tag, as an identifier.
    package var type: String

    /// The types of tags of the app and of the system.
    package static let custom = "000000000000000000000002"
    package static let system = "000000000000000000000001"

    package init(_ name: String, _ value: String, id: String? = nil, type: String = Self.custom) {
        (self.name, self.value, self.id, self.type) = (name, value, id, type)
    }

    /// Whether name and value are equal to another tag's.
    package func says(_ other: HaloTag) -> Bool { name == other.name && value == other.value }

    package var json: JSONValue {
        .members([
            "id": id.map(JSONValue.string), "name": .string(name), "value": .string(value), "tagType": .string(type),
        ])
    }

    package init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let value = json["value"]?.string else { return nil }
        self.init(name, value, id: json["id"]?.string, type: json["tagType"]?.string ?? Self.custom)
    }

    /// Reads a tag of a request; values other than text are converted.
    package static func read(_ members: inout JSONMembers) throws(Problem) -> HaloTag {
        let name = try members.text("name")
        guard (1...256).contains(name.utf8.count) else { throw members.failure("expected 1 to 256 bytes", "name") }
        let value: String
        switch try members.value("value") {
        case .string(let text): value = text
        case .boolean(let flag): value = flag ? "true" : "false"
        case .integer(let number): value = "\(number)"
        case .number(let number): value = "\(number)"
        case .decimal(let text): value = text
        case nil, .null: value = ""
        case .array, .object: throw members.failure("expected text", "value")
        }
        guard value.utf8.count <= 4_096 else { throw members.failure("expected 4096 bytes at most", "value") }
        let id = try members.textIfAny("id")
        // SDKs send the identifier of the type, some servers the type itself.
        let type: String
        switch try members.value("tagType") {
        case .string(let text): type = text
        case .object(let members): type = JSONValue.object(members)["id"]?.string ?? custom
        default: type = custom
        }
        return HaloTag(name, value, id: id?.isEmpty ?? true ? nil : id, type: type)
    }

    /// Reads the tags of a body; the last one of a name counts.
    package static func read(_ name: String, in members: inout JSONMembers) throws(Problem) -> [HaloTag]? {
        guard let tags = try members.objects(name, HaloTag.read) else { return nil }
        guard tags.count <= 256 else { throw members.failure("expected 256 tags at most", name) }
        var latest: [HaloTag] = []
        for tag in tags {
            latest.removeAll { $0.name == tag.name }
            latest.append(tag)
        }
        return latest
    }
}
