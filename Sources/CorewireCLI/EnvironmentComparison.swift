import WireBase
import WireConfig

/// The differences between two environments, by setting.
struct EnvironmentComparison {
    private struct Difference {
        let path: String
        let sides: [Side]
    }

    private struct Side {
        let name: String
        let value: String
        let place: String?
    }

    private let differences: [Difference]

    init(
        _ names: [String],
        _ sides: [[(path: String, value: Literal, node: NodeID)]],
        _ document: Document,
        defaults form: FileForm
    ) {
        let tables = sides.map {
            Dictionary($0.map { ($0.path, ($0.value, $0.node)) }, uniquingKeysWith: { first, _ in first })
        }
        var seen: Set<String> = []
        let paths = sides.flatMap { $0.map(\.path) }.filter { seen.insert($0).inserted }
        differences = paths.compactMap { path in
            let found = tables.map { $0[path] }
            // Redacted secrets look the same, so the written texts are compared.
            let texts = found.map { $0.map { document.kind($0.1).isScalar ? document.text($0.1) : $0.0.flowText } }
            guard texts[0] != texts[1] else { return nil }
            return Difference(
                path: path,
                sides: zip(names, found).map { name, found in
                    guard let (value, node) = found else {
                        let fallback = form.key(at: path.split(separator: ".").map(String.init))?.defaultValue
                        return Side(
                            name: name,
                            value: fallback.map { "not set, so \($0.plainText)" } ?? "not set",
                            place: nil
                        )
                    }
                    let place = document.place(node)
                    return Side(
                        name: name,
                        value: value.plainText.shown(upTo: 120),
                        place: "\(place.file.name):\(place.start.line):\(place.start.column)"
                    )
                }
            )
        }
    }

    var text: String {
        guard !differences.isEmpty else { return "no difference\n" }
        let width = differences.flatMap(\.sides).map(\.name.count).max() ?? 0
        return differences.map { difference in
            "\(difference.path)\n"
                + difference.sides.map { side in
                    let name = side.name + ":" + String(repeating: " ", count: width - side.name.count)
                    return "  \(name) \(side.value)\(side.place.map { "  (\($0))" } ?? "")\n"
                }.joined()
        }.joined()
    }

    var json: JSONValue {
        .array(
            differences.map { difference in
                .members([
                    "path": .string(difference.path),
                    "values": .array(
                        difference.sides.map { side in
                            .members([
                                "environment": .string(side.name), "set": .boolean(side.place != nil),
                                "value": .string(side.value), "place": side.place.map(JSONValue.string),
                            ])
                        }
                    ),
                ])
            }
        )
    }
}
