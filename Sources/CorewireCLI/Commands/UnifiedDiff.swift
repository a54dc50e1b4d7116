import WireBase
import WireConfig

/// The difference of two texts, with three lines of context around each change.
struct UnifiedDiff {
    private enum Line { case same(String), removed(String), added(String) }

    private let lines: [Line]
    private let names: (old: String, new: String)
    private static let context = 3

    init(_ old: String, _ new: String, names: (String, String)) {
        self.names = names
        let old = Self.lines(of: old)
        let new = Self.lines(of: new)
        let difference = new.difference(from: old)
        var removals: Set<Int> = []
        var insertions: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removals.insert(offset)
            case .insert(let offset, _, _): insertions.insert(offset)
            }
        }
        var lines: [Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removals.contains(left) {
                lines.append(.removed(old[left]))
                left += 1
            } else if right < new.count, insertions.contains(right) {
                lines.append(.added(new[right]))
                right += 1
            } else {
                lines.append(.same(old[left]))
                left += 1
                right += 1
            }
        }
        self.lines = lines
    }

    private static func lines(of text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines
    }

    /// The form of `diff -u`; empty without changes.
    func text(_ paint: Paint) -> String {
        let hunks = hunks
        guard !hunks.isEmpty else { return "" }
        var text = paint("--- \(names.old)", .strong) + "\n" + paint("+++ \(names.new)", .strong) + "\n"
        for hunk in hunks {
            text += paint(head(of: hunk), .faint) + "\n"
            for line in lines[hunk] {
                switch line {
                case .same(let content): text += " \(content.shown(upTo: 1_000))\n"
                case .removed(let content): text += paint("-\(content.shown(upTo: 1_000))", .error) + "\n"
                case .added(let content): text += paint("+\(content.shown(upTo: 1_000))", .good) + "\n"
                }
            }
        }
        return text
    }

    /// Changes with their context; adjacent ones are merged.
    private var hunks: [Range<Int>] {
        var hunks: [Range<Int>] = []
        for (index, line) in lines.enumerated() {
            if case .same = line { continue }
            let start = max(0, index - Self.context)
            let end = min(lines.count, index + Self.context + 1)
            if let last = hunks.last, last.upperBound >= start {
                hunks[hunks.count - 1] = last.lowerBound..<end
            } else {
                hunks.append(start..<end)
            }
        }
        return hunks
    }

    private func head(of hunk: Range<Int>) -> String {
        let (old, new) = (count(lines[..<hunk.lowerBound]), count(lines[hunk]))
        func range(_ before: Int, _ count: Int) -> String {
            // An empty side is placed after the line before it.
            let start = count == 0 ? before : before + 1
            return count == 1 ? "\(start)" : "\(start),\(count)"
        }
        return "@@ -\(range(old.old, new.old)) +\(range(old.new, new.new)) @@"
    }

    private func count(_ lines: ArraySlice<Line>) -> (old: Int, new: Int) {
        lines.reduce(into: (0, 0)) { count, line in
            switch line {
            case .same: count = (count.0 + 1, count.1 + 1)
            case .removed: count.0 += 1
            case .added: count.1 += 1
            }
        }
    }
}
