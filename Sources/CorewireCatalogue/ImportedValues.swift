import WireBase
import WireConfig
import WireDialects

/// The values of an AeroGear file with the results of the import.
struct ImportedValues {
    private(set) var items: [ImportReport.Item] = []
    private let document: Document
    private let references: [SourceRange: String]
    /// The settings of sections, by the location of their value.
    private var settings: [SourceRange: [String]] = [:]

    /// Collects the values of an environment's tree made from the file.
    init(_ root: NodeID, of document: Document, references: [SecretReferences.Replaced]) {
        self.document = document
        self.references = Dictionary(
            references.map { ($0.place, $0.variable) },
            uniquingKeysWith: { first, _ in first }
        )
        let own = AeroGearSection.name
        let file = document.node(at: [own, "file"], from: root)
        for entry in document.entries(root) where document.text(entry.key) != own {
            note(entry.value, [document.text(entry.key)])
        }
        if let file { collect(file, []) }
        // Native values are only in the sections; translated values keep the location of their key.
        let kept = file.map { document.entries($0).map { document.place($0.value) } } ?? []
        let others = settings.filter { place, _ in
            !kept.contains { $0.file === place.file && $0.bytes.contains(place.bytes.lowerBound) }
        }
        .sorted { $0.key.bytes.lowerBound < $1.key.bytes.lowerBound }
        items += others.map { place, paths in
            ImportReport.Item(path: paths[0], place: place, fate: fate(place, paths))
        }
    }

    private mutating func note(_ node: NodeID, _ path: [String]) {
        switch document.kind(node) {
        case .mapping:
            for entry in document.entries(node) { note(entry.value, path + [document.text(entry.key)]) }
        case .sequence:
            for (index, item) in document.items(node).enumerated() { note(item, path + ["\(index)"]) }
        default:
            settings[document.place(document.target(node)), default: []].append(path.joined(separator: "."))
        }
    }

    private mutating func collect(_ node: NodeID, _ path: [String]) {
        switch document.kind(node) {
        case .mapping where !document.entries(node).isEmpty:
            for entry in document.entries(node) { collect(entry.value, path + [document.text(entry.key)]) }
        case .sequence where !document.items(node).isEmpty:
            for (index, item) in document.items(node).enumerated() { collect(item, path + ["\(index)"]) }
        default:
            let place = document.place(document.target(node))
            items.append(
                ImportReport.Item(
                    path: path.joined(separator: "."),
                    place: place,
                    fate: fate(place, settings[place] ?? [])
                )
            )
        }
    }

    private func fate(_ place: SourceRange, _ settings: [String]) -> ImportReport.Fate {
        if let variable = references[place] {
            return .reference(variable: variable, as: settings.isEmpty ? ["aerogear.file"] : settings)
        }
        return settings.isEmpty ? .kept(in: "aerogear.file") : .taken(as: settings)
    }
}
