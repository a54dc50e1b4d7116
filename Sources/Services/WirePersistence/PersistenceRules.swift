import WireBase
package import WireConfig
import WireHTTP
package import WireService
package import WireStateContract
package import WireStore

/// What the section says about namespaces and keys, as answers to the questions the service has: values in, values out.
package struct PersistenceRules: Sendable {
    package let settings: PersistenceSection
    /// The environment that runs, as part of names; empty for a file that declares none.
    package let environment: String
    /// Where its values were written.
    let places: Places

    package init(_ settings: PersistenceSection, environment: String, places: Places) {
        (self.settings, self.environment, self.places) = (settings, environment, places)
    }

    init(_ settings: PersistenceSection, in host: ServiceHost) {
        self.init(settings, environment: host.environmentScope, places: host.places)
    }

    /// What all names in the store begin with that apps can reach; the runner's own begin otherwise.
    package static let root = "state/"

    /// A namespace that may be used, and what holds in it.
    package struct Area: Sendable {
        package let name: String
        /// How the store calls it.
        package let scope: String
        package let lifetime: Duration?
        package let room: StoreRoom
        package let isEncrypted: Bool
        /// What the file says about it; nil where the defaults hold.
        package let declared: Named<Namespace>.Item?
    }

    /// The namespace of a name; throws for a name that is none, or that the file leaves out.
    package func area(_ name: String) throws(StateFailure) -> Area {
        guard Identifier.isName(name) else {
            throw StateFailure(
                .badName,
                "found the namespace \(name.quoted), expected letters, digits, '-', '_' and '.', at most 64 of them"
            )
        }
        let item = settings.namespaces.items.first { $0.name == name }
        guard item != nil || !settings.onlyDeclared else {
            let nearest = Nearest.name(to: name, among: settings.namespaces.items.map(\.name))
            throw failed(
                .undeclared,
                "the namespace \(name.quoted) is not declared" + (nearest.map { ", did you mean '\($0)'?" } ?? ""),
                at: settings.$onlyDeclared,
                "persistence.onlyDeclared"
            )
        }
        return area(name, item)
    }

    private func area(_ name: String, _ item: Named<Namespace>.Item?) -> Area {
        let namespace = item?.value ?? .usual
        return Area(
            name: name,
            scope: scope(isPerEnvironment: namespace.isPerEnvironment) + name,
            lifetime: namespace.ttl,
            room: StoreRoom(
                entries: namespace.maxEntries,
                size: namespace.maxSize,
                together: StoreRoom.Together(Self.root, settings.maxSize),
                namespaces: item == nil ? namespaces : nil,
                removesOldest: namespace.whenFull == .removeOldest
            ),
            isEncrypted: namespace.isEncrypted,
            declared: item
        )
    }

    /// How many there may be; what the file lists is as many as it lists, and so is not held up by who makes up names.
    private var namespaces: StoreRoom.Namespaces {
        StoreRoom.Namespaces(
            scope(isPerEnvironment: Namespace.usual.isPerEnvironment),
            settings.maxNamespaces,
            within: Self.root,
            settings.maxNamespacesTogether
        )
    }

    /// A namespace the file says nothing about, for failures that concern none.
    var usualArea: Area { area("", nil) }

    private func scope(isPerEnvironment: Bool) -> String {
        "\(Self.root)\(isPerEnvironment ? environment : "")/"
    }

    /// The namespaces there are: those of the file, and of those in the store the ones that are reached by their names.
    package func areas(inStore scopes: [String]) -> [Area] {
        let declared = settings.namespaces.items.map { area($0.name, $0) }
        guard !settings.onlyDeclared else { return declared.sorted { $0.name < $1.name } }
        let known = Set(declared.map(\.name))
        let own = scope(isPerEnvironment: Namespace.usual.isPerEnvironment)
        let others = scopes.filter { $0.hasPrefix(own) }.map { String($0.dropFirst(own.count)) }
            .filter { Identifier.isName($0) && !known.contains($0) }
        return (declared + others.map { area($0, nil) }).sorted { $0.name < $1.name }
    }

    /// Of some names of the store those of namespaces that go with a scope, with what each is called.
    ///
    /// One that the file says nothing about is of whoever uses the device: who is to stay must be said.
    package func cleared(_ scope: ClearingScope, among scopes: [String]) -> [(scope: String, name: String?)] {
        let (own, common) = (self.scope(isPerEnvironment: true), self.scope(isPerEnvironment: false))
        return scopes.compactMap { full in
            let isOwn = full.hasPrefix(own)
            guard isOwn || full.hasPrefix(common) else {
                return scope == .all && full.hasPrefix(Self.root) ? (full, nil) : nil
            }
            let name = String(full.dropFirst(isOwn ? own.count : common.count))
            switch scope {
            case .all: return (full, name)
            case .environment: return isOwn ? (full, name) : nil
            case .user: return settings.namespaces[name]?.of == .device ? nil : (full, name)
            }
        }
    }

    /// Throws for what cannot be a key.
    package static func check(key: String) throws(StateFailure) {
        let size = key.utf8.count
        guard (1...StateEntryName.keySize).contains(size) else {
            throw StateFailure(.badName, "found a key of \(size) bytes, expected 1 to \(StateEntryName.keySize)")
        }
        if let control = key.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
            throw StateFailure(
                .badName,
                "found the control character \(Hexadecimal.name(of: control)) in the key, expected none"
            )
        }
        // Whoever normalises the path on the way would reach another key.
        guard !key.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." })
        else { throw StateFailure(.badName, "found '.' or '..' between slashes in the key, expected neither") }
    }

    /// How long an entry is kept: as long as its writer says, but never longer than the namespace keeps any.
    package func lifetime(_ wanted: Duration?, in area: Area) throws(StateFailure) -> Duration? {
        guard let wanted else { return area.lifetime }
        guard (Self.shortest...Self.longest).contains(wanted) else {
            throw StateFailure(.badLifetime, "expected a lifetime from 1s to 3650d")
        }
        if let limit = area.lifetime, wanted > limit, let item = area.declared {
            throw failed(
                .badLifetime,
                "nothing in '\(area.name)' is kept for longer than its 'ttl'",
                at: item.value.$ttl,
                "persistence.namespaces.\(item.name).ttl"
            )
        }
        return wanted
    }

    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(3_650 * 86_400)

    /// Throws for a value that is larger than the file allows.
    package func check(size: Int) throws(StateFailure) {
        guard size > settings.maxValueSize.bytes else { return }
        throw failed(
            .tooLarge,
            "expected a value of \(settings.maxValueSize) at most",
            at: settings.$maxValueSize,
            "persistence.maxValueSize"
        )
    }
}

extension Namespace {
    /// What holds in a namespace the file says nothing about.
    static let usual = Namespace.placeholder
}
