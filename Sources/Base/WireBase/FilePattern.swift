/// Finds the files that match a pattern with `*`, `**` and `?`.
package struct FilePattern {
    private let root: String
    private let steps: [String]
    private static let mostFiles = 10_000
    private static let mostVisits = 20_000

    package init(_ pattern: String, beside file: String) { self.init(path: Files.path(pattern, beside: file)) }

    /// Creates an absolute pattern, or one relative to the working directory.
    package init(path: String) {
        root = path.hasPrefix("/") ? "/" : "."
        let all = path.split(separator: "/").map(String.init).filter { $0 != "." }
        // Repeated '**' are equal to one; a final one matches every file below.
        let apart = all.enumerated().filter { $0.offset == 0 || $0.element != "**" || all[$0.offset - 1] != "**" }
        steps = apart.map(\.element) + (all.last == "**" ? ["*"] : [])
    }

    /// Returns the matching files, sorted by path.
    package func matches() -> [String] {
        var found: Set<String> = []
        var visits = 0
        visit(root, steps[...], depth: 0, &visits, &found)
        return found.sorted()
    }

    private func visit(
        _ folder: String,
        _ steps: ArraySlice<String>,
        depth: Int,
        _ visits: inout Int,
        _ found: inout Set<String>
    ) {
        visits += 1
        guard let step = steps.first, depth < 32, found.count < Self.mostFiles, visits < Self.mostVisits else { return }
        let rest = steps.dropFirst()
        if step == "**" {
            visit(folder, rest, depth: depth, &visits, &found)
            for name in Files.names(in: folder) where !name.hasPrefix(".") && Files.isFolder(join(folder, name)) {
                visit(join(folder, name), steps, depth: depth + 1, &visits, &found)
            }
            return
        }
        let isPattern = step.contains("*") || step.contains("?")
        let names = isPattern ? Files.names(in: folder) { Self.matches($0.utf8, step.utf8) } : [step]
        for name in names {
            let path = join(folder, name)
            if !rest.isEmpty {
                if Files.isFolder(path) { visit(path, rest, depth: depth + 1, &visits, &found) }
            } else if Files.exists(path), !Files.isFolder(path) {
                found.insert(path)
            }
        }
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Whether a name matches one step of a pattern, backtracking one star only.
    private static func matches(_ name: String.UTF8View, _ pattern: String.UTF8View) -> Bool {
        let (name, pattern) = (Array(name), Array(pattern))
        if name.first == UInt8(ascii: "."), pattern.first != UInt8(ascii: ".") { return false }
        var (n, p, star, mark) = (0, 0, -1, 0)
        while n < name.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                (star, mark) = (p, n)
                p += 1
            } else if p < pattern.count, pattern[p] == name[n] || pattern[p] == UInt8(ascii: "?") {
                (n, p) = (n + 1, p + 1)
            } else if star >= 0 {
                mark += 1
                (n, p) = (mark, star + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
