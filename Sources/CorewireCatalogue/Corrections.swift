import WireBase
import WireConfig

/// The certain corrections of a services file; each was tried and reduces the number of problems.
package struct Corrections: Sendable {
    /// The changed files by name, with their new bytes.
    package private(set) var files: [String: [UInt8]] = [:]
    /// The number of corrected problems.
    package private(set) var count = 0

    private static let mostPasses = 50
    private static let mostTriedAlone = 200

    /// Finds corrections; one correction may reveal the next.
    package init(of validation: Validation) {
        var current = validation
        for _ in 0..<Self.mostPasses {
            guard let better = improve(current) else { return }
            current = better
        }
    }

    /// Applies all fixes at once, or one by one where that is worse.
    private mutating func improve(_ validation: Validation) -> Validation? {
        let fixes = validation.report().problems.compactMap(\.fix).filter { fix in
            fix.edits.allSatisfy { $0.place.file.isFile }
        }
        let free = Self.apart(fixes)
        guard !free.isEmpty else { return nil }
        if let better = attempt(free, on: validation) { return better }
        var accepted: [Fix] = []
        var best: Validation?
        for fix in free.prefix(Self.mostTriedAlone) where free.count > 1 {
            guard let better = trial(accepted + [fix], of: validation, instead: best ?? validation) else { continue }
            accepted.append(fix)
            best = better
        }
        return accepted.isEmpty ? nil : attempt(accepted, on: validation)
    }

    /// The fixes that do not overlap.
    private static func apart(_ fixes: [Fix]) -> [Fix] {
        var taken: [SourceRange] = []
        return fixes.filter { fix in
            let places = fix.edits.map(\.place)
            let isFree = places.allSatisfy { place in
                !taken.contains { $0.file.name == place.file.name && $0.bytes.overlaps(place.bytes) }
            }
            if isFree { taken += places }
            return isFree
        }
    }

    private mutating func attempt(_ fixes: [Fix], on validation: Validation) -> Validation? {
        guard let better = trial(fixes, of: validation, instead: validation) else { return nil }
        files.merge(Self.edited(fixes)) { $1 }
        count += fixes.count
        return better
    }

    /// The file with the fixes, if it is better than the current one.
    private func trial(_ fixes: [Fix], of validation: Validation, instead present: Validation) -> Validation? {
        let tried = validation.again(with: files.merging(Self.edited(fixes)) { $1 })
        let (old, new) = (present.result.problems, tried.result.problems)
        // A text that could not be read to its end has an unknown number of problems.
        if old.stoppedReading != new.stoppedReading { return new.stoppedReading ? nil : tried }
        // Where reading stops at a later location, a problem was solved.
        if let before = old.stop, let after = new.stop, before.file.name == after.file.name, after.start > before.start
        {
            return tried
        }
        return (new.errorCount, new.warningCount) < (old.errorCount, old.warningCount) ? tried : nil
    }

    private static func edited(_ fixes: [Fix]) -> [String: [UInt8]] {
        let edits = Dictionary(grouping: fixes.flatMap(\.edits)) { $0.place.file.name }
        return Dictionary(
            uniqueKeysWithValues: edits.values.map { edits in
                (edits[0].place.file.name, bytes(of: edits[0].place.file, with: edits))
            }
        )
    }

    private static func bytes(of file: SourceFile, with edits: [Fix.Edit]) -> [UInt8] {
        var bytes: [UInt8] = file.prefixLength > 0 ? [0xef, 0xbb, 0xbf] : []
        var offset = 0
        for edit in edits.sorted(by: { $0.place.bytes.lowerBound < $1.place.bytes.lowerBound }) {
            bytes += file.bytes[offset..<edit.place.bytes.lowerBound]
            bytes += Array(edit.replacement.utf8)
            offset = edit.place.bytes.upperBound
        }
        return bytes + file.bytes[offset...]
    }
}
