package import Foundation

/// The checkout of the tests.
package enum Repository {
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of the files below a folder, relative to the root, sorted.
    package static func files(below folder: String, ending: String = "") -> [String] {
        let base = root.appendingPathComponent(folder).path
        let found = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
        return found.filter { name in
            name.hasSuffix(ending) && (try? FileManager.default.contentsOfDirectory(atPath: "\(base)/\(name)")) == nil
        }.map { "\(folder)/\($0)" }.sorted()
    }

    package static func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
    }
}
