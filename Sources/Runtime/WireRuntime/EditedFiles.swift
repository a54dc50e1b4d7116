import Synchronization
import WireBase

/// Compares the files on disk with those of a generation; a file is read only when its metadata has changed.
final class EditedFiles: Sendable {
    private struct Known: Sendable {
        let generation: Int
        let texts: Secret<SourceTexts>
        /// The metadata at the last read.
        var stamps: [FileStamp?] = []
        var difference: String?
    }

    private let known = Mutex<Known?>(nil)

    /// The first difference, or nil where the contents are equal; the texts are requested once per generation.
    func difference(from generation: Int, _ texts: () async -> SourceTexts?) async -> String? {
        var known = known.withLock { $0?.generation == generation ? $0 : nil }
        if known == nil { known = await texts().map { Known(generation: generation, texts: Secret($0)) } }
        guard var known else { return nil }
        let files = known.texts.reveal().files.filter { $0.name != "-" }
        let stamps = files.map { FileStamp(of: $0.name) }
        guard stamps != known.stamps else { return known.difference }
        known.stamps = stamps
        known.difference = zip(files, stamps).firstFound { Self.difference($0.name, $0.text, $1) }
        self.known.withLock { $0 = known }
        return known.difference
    }

    private static func difference(_ name: String, _ text: [UInt8], _ stamp: FileStamp?) -> String? {
        guard let stamp else { return "\(name.quoted) was removed since it was loaded" }
        // A pipe or similar cannot be read again.
        guard stamp.isRegular else { return nil }
        let limit = ByteCount.bytes(text.count)
        if stamp.size == text.count, let bytes = try? Files.read(name, upTo: limit, onlyRegular: true), bytes == text {
            return nil
        }
        return "\(name.quoted) has changed since it was loaded; run 'corewire reload'"
    }
}
