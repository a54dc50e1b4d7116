import WireBase
import WireConfig

/// The settings of an effective file given as text, by path.
package struct SettingList: Sendable {
    private let settings: [(path: String, text: String)]

    /// A changed setting.
    package struct Change: Sendable, Equatable {
        package let path: String
        package let old: String?
        package let new: String?
    }

    /// Fails for text that is not a mapping.
    package init?(ofEffective text: String) {
        let loaded = Shipped.loader.load(bytes: Array(text.utf8), name: "effective.yaml", isFile: false)
        guard let file = loaded.file else { return nil }
        var settings: [(String, String)] = []
        Self.collect(FreeValue(file.base, of: file.document).literal, [], into: &settings)
        // An effective file has one environment, and its settings are at the top.
        self.settings = settings.map { path, text in
            let steps = path.split(separator: ".")
            let isEnvironments = steps.first == "environments" && steps.count > 2
            return (isEnvironments ? steps.dropFirst(2).joined(separator: ".") : path, text)
        }
    }

    private static func collect(_ literal: Literal, _ path: [String], into settings: inout [(String, String)]) {
        guard case .mapping(let entries) = literal, !entries.isEmpty || path.isEmpty else {
            settings.append((path.joined(separator: "."), literal.plainText))
            return
        }
        for entry in entries { collect(entry.value, path + [entry.key], into: &settings) }
    }

    /// The changes in the order of the new file, followed by removed settings.
    package static func changes(from old: SettingList, to new: SettingList) -> [Change] {
        let before = Dictionary(old.settings.map { ($0.path, $0.text) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.settings.map { ($0.path, $0.text) }, uniquingKeysWith: { first, _ in first })
        let paths = new.settings.map(\.path) + old.settings.map(\.path).filter { after[$0] == nil }
        return paths.compactMap { path in
            before[path] == after[path] ? nil : Change(path: path, old: before[path], new: after[path])
        }
    }
}
