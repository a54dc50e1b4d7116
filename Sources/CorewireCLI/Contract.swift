import WireBase
import WireConfig

/// The references of an environment that a deployment must provide, each with its settings.
struct Contract {
    fileprivate struct Item {
        let reference: Reference
        /// The variable whose default contains this reference, if only that default needs it.
        let fallbackOf: String?
        var paths: [String]
        var isSecret: Bool
        let place: String
    }

    fileprivate var items: [Item] = []

    init(_ uses: [ReferenceUse]) {
        for use in uses { add(use.reference, of: use, fallbackOf: nil) }
    }

    private mutating func add(_ reference: Reference, of use: ReferenceUse, fallbackOf outer: String?) {
        if let known = items.firstIndex(where: { $0.reference.isSame(as: reference) && $0.fallbackOf == outer }) {
            if !items[known].paths.contains(use.path) { items[known].paths.append(use.path) }
            items[known].isSecret = items[known].isSecret || use.isSecret
        } else {
            let place = "\(use.place.file.name):\(use.place.start.line):\(use.place.start.column)"
            items.append(
                Item(
                    reference: reference,
                    fallbackOf: outer,
                    paths: [use.path],
                    isSecret: use.isSecret,
                    place: place
                )
            )
        }
        for inner in reference.fallback?.references ?? [] { add(inner, of: use, fallbackOf: reference.name) }
    }

    func text(environment: String) -> String {
        guard !items.isEmpty else { return "\(environment) requires nothing from the deployment\n" }
        return items.map { item in
            "\(item.kind)  \(item.reference.name)\n"
                + "    for \(item.paths.joined(separator: ", "))  (\(item.place))\n"
                + "    \(item.isSecret ? "secret, " : "")\(item.need)\n"
        }.joined()
    }

    var json: JSONValue {
        .array(
            items.map { item in
                .members([
                    "kind": .string(item.reference.kind.rawValue), "name": .string(item.reference.name),
                    "secret": .boolean(item.isSecret), "required": .boolean(item.isRequired),
                    "default": item.isSecret ? nil : item.reference.fallback.map { .string($0.spelling) },
                    "paths": .array(item.paths.map(JSONValue.string)), "place": .string(item.place),
                ])
            }
        )
    }

    /// A template of an .env file; references that are no variables become comments.
    var environmentFile: String {
        items.map { item in
            let comment = "# \(item.paths.joined(separator: ", ")): \(item.isSecret ? "secret, " : "")\(item.need)\n"
            guard item.reference.kind == .environmentVariable else {
                return "\(comment)# \(item.kind) \(item.reference.name)\n"
            }
            let value = item.isSecret ? "" : item.reference.fallback?.spelling ?? ""
            return comment + (item.isRequired ? "" : "#") + "\(item.reference.name)=\(value)\n"
        }.joined()
    }
}

extension Contract.Item {
    fileprivate var kind: String {
        switch reference.kind {
        case .environmentVariable: "variable"
        case .file: "file"
        case .credential: "credential"
        }
    }

    fileprivate var isRequired: Bool { reference.fallback == nil && fallbackOf == nil }

    fileprivate var need: String {
        if let fallback = reference.fallback {
            return isSecret ? "optional, the file has a default" : "optional, default '\(fallback.spelling)'"
        }
        return fallbackOf.map { "required where \($0) is not set" } ?? "required"
    }
}

extension Reference {
    /// Whether both have the same kind and name, whatever their defaults.
    fileprivate func isSame(as other: Self) -> Bool { kind == other.kind && name == other.name }
}
