import WireBase
import WireConfig

/// What a deployment must provide for an environment: every reference once, with the settings that use it.
struct Contract {
    fileprivate struct Item {
        let reference: Reference
        var paths: [String]
        var isSecret: Bool
        let place: String
    }

    fileprivate var items: [Item] = []

    init(_ uses: [ReferenceUse]) {
        for use in uses {
            let known = items.firstIndex {
                $0.reference.kind == use.reference.kind && $0.reference.name == use.reference.name
            }
            if let known {
                if !items[known].paths.contains(use.path) { items[known].paths.append(use.path) }
                items[known].isSecret = items[known].isSecret || use.isSecret
            } else {
                let place = "\(use.place.file.name):\(use.place.start.line):\(use.place.start.column)"
                items.append(Item(reference: use.reference, paths: [use.path], isSecret: use.isSecret, place: place))
            }
        }
    }

    func text(environment: String) -> String {
        guard !items.isEmpty else { return "\(environment) needs nothing from its deployment\n" }
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
                    "secret": .boolean(item.isSecret), "required": .boolean(item.reference.fallback == nil),
                    "default": item.isSecret ? nil : item.reference.fallback.map(JSONValue.string),
                    "paths": .array(item.paths.map(JSONValue.string)), "place": .string(item.place),
                ])
            }
        )
    }

    /// A template to be filled in; what is not a variable is told in comments.
    var environmentFile: String {
        items.map { item in
            let comment = "# \(item.paths.joined(separator: ", ")): \(item.isSecret ? "secret, " : "")\(item.need)\n"
            guard item.reference.kind == .environmentVariable else {
                return "\(comment)# \(item.kind) \(item.reference.name)\n"
            }
            let value = item.isSecret ? "" : item.reference.fallback ?? ""
            return comment + (item.reference.fallback == nil ? "" : "#") + "\(item.reference.name)=\(value)\n"
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

    fileprivate var need: String {
        guard let fallback = reference.fallback else { return "required" }
        return isSecret ? "optional, the file has a default" : "optional, default '\(fallback)'"
    }
}
