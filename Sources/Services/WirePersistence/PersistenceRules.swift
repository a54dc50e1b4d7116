import WireBase
package import WireConfig
import WireHTTP
package import WireService
package import WireStateContract
package import WireStore

/// The rules of the section for namespaces and keys.
package struct PersistenceRules: Sendable {
    package let settings: PersistenceSection
    /// The name of the present environment; empty for a file without environments.
    package let environment: String
    /// The places of its values in the file.
    let places: Places

    package init(_ settings: PersistenceSection, environment: String, places: Places) {
        (self.settings, self.environment, self.places) = (settings, environment, places)
    }

    init(_ settings: PersistenceSection, in host: ServiceHost) {
        self.init(settings, environment: host.environmentScope, places: host.places)
    }

    /// The prefix of all app namespaces in the store; the runner's own have others.
    package static let root = "\(SharedData.state.root)/"

    /// An allowed namespace with its settings.
    package struct Area: Sendable {
        package let name: String
        /// Its name in the store.
        package let scope: String
        package let lifetime: Duration?
        package let quota: StorageQuota
        package let isEncrypted: Bool
        /// Whether its entries are on this machine, also where the runners of a group share values.
        package let isOnDevice: Bool
        /// Its settings in the file; nil where the defaults apply.
        package let declared: Named<Namespace>.Item?
    }

    /// Returns the namespace of a name; throws for an invalid or undeclared one.
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
            quota: StorageQuota(
                entries: namespace.maxEntries,
                size: namespace.maxSize,
                together: StorageQuota.Together(Self.root, settings.maxSize),
                namespaces: item == nil ? namespaces : nil,
                removesOldest: namespace.whenFull == .removeOldest
            ),
            isEncrypted: namespace.isEncrypted,
            isOnDevice: namespace.place == .device,
            declared: item
        )
    }

    /// The limit of namespaces; listed ones always have their place, so generated names cannot use it up.
    private var namespaces: StorageQuota.Namespaces {
        StorageQuota.Namespaces(
            scope(isPerEnvironment: Namespace.usual.isPerEnvironment),
            settings.maxNamespaces,
            within: Self.root,
            settings.maxNamespacesTogether
        )
    }

    /// A namespace with default settings, for failures that concern none.
    var usualArea: Area { area("", nil) }

    private func scope(isPerEnvironment: Bool) -> String {
        "\(Self.root)\(isPerEnvironment ? environment : "")/"
    }

    /// The existing namespaces: those of the file, and those in the store with valid names.
    package func areas(inStore scopes: [String]) -> [Area] {
        let declared = settings.namespaces.items.map { area($0.name, $0) }
        guard !settings.onlyDeclared else { return declared.sorted { $0.name < $1.name } }
        let known = Set(declared.map(\.name))
        let own = scope(isPerEnvironment: Namespace.usual.isPerEnvironment)
        let others = scopes.filter { $0.hasPrefix(own) }.map { String($0.dropFirst(own.count)) }
            .filter { Identifier.isName($0) && !known.contains($0) }
        return (declared + others.map { area($0, nil) }).sorted { $0.name < $1.name }
    }

    /// Returns which namespaces of the store a clearing removes, with their names.
    ///
    /// Undeclared ones belong to the user; 'owner: device' must be declared.
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

    /// Throws for an invalid key.
    package static func check(key: String) throws(StateFailure) {
        let size = key.utf8.count
        guard (1...StateEntryName.keySize).contains(size) else {
            throw StateFailure(.badName, "invalid key of \(size) bytes: expected 1 to \(StateEntryName.keySize)")
        }
        if let control = key.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
            throw StateFailure(
                .badName,
                "found the control character \(Hexadecimal.name(of: control)) in the key, expected none"
            )
        }
        // A proxy that normalizes paths would reach another key.
        guard !key.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." })
        else { throw StateFailure(.badName, "found '.' or '..' between slashes in the key, expected neither") }
    }

    /// The lifetime of an entry: as requested, up to that of the namespace.
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

    /// Throws for a value beyond the limit.
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
    /// The default settings of a namespace.
    static let usual = Namespace.placeholder
}
