import Corewire
import WireBase
import WireConfig

/// Writes certain corrections into the files, and touches nothing else in them.
enum FixCommand {
    /// Applies what can be applied; gives the number of problems put right.
    static func apply(to validation: Validation) throws -> Int {
        var edits: [ObjectIdentifier: (file: SourceFile, edits: [Fix.Edit])] = [:]
        var applied = 0
        for problem in validation.report().problems {
            guard let fix = problem.fix, fix.edits.allSatisfy({ $0.place.file.isFile }) else { continue }
            let isFree = fix.edits.allSatisfy { edit in
                edits[ObjectIdentifier(edit.place.file)]?.edits.allSatisfy { !$0.place.bytes.overlaps(edit.place.bytes) } ?? true
            }
            guard isFree else { continue }
            for edit in fix.edits {
                edits[ObjectIdentifier(edit.place.file), default: (edit.place.file, [])].edits.append(edit)
            }
            applied += 1
        }
        for (file, edits) in edits.values {
            do {
                try Files.replace(file.name, with: edited(file, edits))
            } catch {
                throw Failure(message: "cannot write \(file.name.quoted): \(error.reason)", status: .cannotCreate)
            }
        }
        return applied
    }

    private static func edited(_ file: SourceFile, _ edits: [Fix.Edit]) -> [UInt8] {
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
