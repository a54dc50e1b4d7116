import WireBase
import WireConfig
import WireService
import WireStore

/// The first line of an exported store: whose it is, and what its rows are bound to.
struct StoreFileHeader: Sendable, Equatable {
    var app: String
    /// The group that the services file declares.
    var group: String?
    /// Whether the rows are from a database that runners share.
    var isShared: Bool
    /// The data that was in a shared database, while the rows are from a machine.
    var elsewhere: Set<SharedData>
    /// The sealing key, as `x` shows it.
    var key: String
    /// The last version that the store had given.
    var version: Int64
    /// The time of the export in milliseconds since 1970.
    var time: Int64

    private static let form = 1

    /// The locations that the sealed parts are bound to.
    var places: SealedPlaces { SealedPlaces(group: isShared ? group : nil) }

    var json: JSONValue {
        .members([
            "corewireStore": .integer(Self.form), "app": .string(app), "group": group.map(JSONValue.string),
            "shared": .boolean(isShared), "elsewhere": .array(elsewhere.map(\.rawValue).sorted().map(JSONValue.string)),
            "key": .string(key), "version": .integer(Int(version)), "time": .integer(Int(time)),
        ])
    }

    init(
        app: String,
        group: String?,
        isShared: Bool,
        elsewhere: Set<SharedData>,
        key: String,
        version: Int64,
        time: Int64
    ) {
        (self.app, self.group, self.isShared, self.elsewhere) = (app, group, isShared, elsewhere)
        (self.key, self.version, self.time) = (key, version, time)
    }

    init(_ line: StoreFileLine) throws(Fault) {
        guard let form = line.json["corewireStore"]?.integer else {
            throw Fault("it is not a file of 'corewire store export'")
        }
        guard form == Self.form else {
            throw Fault(
                "it has form \(form), this program reads form \(Self.form)",
                help: "import it with the program that has exported it"
            )
        }
        (app, group, key) = (try line.text("app"), try line.optionalText("group"), try line.text("key"))
        elsewhere = Set(try line.texts("elsewhere").compactMap { SharedData(rawValue: $0) })
        (isShared, version, time) = (try line.flag("shared"), try line.integer("version"), try line.integer("time"))
        guard (0...ImportedVersions.greatest).contains(version), !isShared || group != nil else {
            throw line.unexpected
        }
    }
}
