import CorewireCatalogue
import WireBase
import WireConfig

/// Writes certain corrections into the files, and touches nothing else in them.
enum FixCommand {
    /// Applies what can be applied; gives what it wrote.
    static func apply(to validation: Validation) throws -> Corrections {
        let corrections = Corrections(of: validation)
        for (name, bytes) in corrections.files.sorted(by: { $0.key < $1.key }) {
            try CommandFiles.replace(name, with: bytes)
        }
        return corrections
    }
}
