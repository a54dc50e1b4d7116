import CorewireCatalogue
import WireBase
import WireConfig

/// Applies the certain corrections to the files, and changes nothing else.
enum FixCommand {
    /// Applies the corrections; returns those that were written.
    static func apply(to validation: Validation) throws -> Corrections {
        let corrections = Corrections(of: validation)
        for (name, bytes) in corrections.files.sorted(by: { $0.key < $1.key }) {
            try CommandFiles.replace(name, with: bytes)
        }
        return corrections
    }
}
