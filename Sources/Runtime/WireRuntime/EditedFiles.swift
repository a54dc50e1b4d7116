import Synchronization
import WireBase

/// How the files on disk differ from those a generation was made of; they are read only when they have been touched.
final class EditedFiles: Sendable {
    private struct Known: Sendable {
        let generation: Int
        let texts: Secret<SourceTexts>
        /// What told the files apart when they were read last.
        var stamps: [FileStamp?] = []
        var difference: String?
    }

    private let known = Mutex<Known?>(nil)

    /// Nil where they say what they said, whenever they were written; texts are asked for once for a generation.
    func difference(from generation: Int, _ texts: () -> SourceTexts?) -> String? {
        var known = known.withLock { $0?.generation == generation ? $0 : nil }
        if known == nil { known = texts().map { Known(generation: generation, texts: Secret($0)) } }
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
        guard let stamp else { return "\(name.quoted) is gone since it was loaded" }
        // What is read once, such as a pipe, says nothing any more.
        guard stamp.isRegular else { return nil }
        let limit = ByteCount.bytes(text.count)
        if stamp.size == text.count, let bytes = try? Files.read(name, upTo: limit, onlyRegular: true), bytes == text {
            return nil
        }
        return "\(name.quoted) has changed since it was loaded; 'corewire reload' loads it"
    }
}
