package import WireBase
import WireConfig

/// Writes files piece by piece that stand under their names only when they are whole.
///
/// Names are those of files in a folder, never paths; what is no regular file is never written to.
package protocol FileWriting: Sendable {
    /// Which start of the machine this is: what was written before another one may never have reached the disk.
    var boot: String { get }

    /// Makes a folder, and those above it, where there is none.
    func prepare(_ folder: String) async throws(FileFailure)

    /// How much may still be written in a folder; nil where the system does not tell.
    func room(in folder: String) -> ByteCount?

    /// Opens a draft to go on with it, or begins one.
    ///
    /// It is this caller's alone until it is closed: `taken` where anybody else has it open, in this process or another.
    func open(_ draft: String, in folder: String) async throws(FileFailure) -> any DraftFile

    /// What stands under a name, without following a link; nil where nothing does.
    func look(at name: String, in folder: String) -> FileMark?

    /// Removes what stands under a name, where something does; a draft is discarded instead, by who has it open.
    func remove(_ name: String, in folder: String) async throws(FileFailure)
}

/// A file that is being written.
///
/// One task asks at a time. What is appended is handed to a witness of all its bytes in their order, on a thread that may
/// wait. Letting go of it closes it.
package protocol DraftFile: Sendable {
    /// How long it is, with what waits to be written.
    var size: Int { get }
    /// Which file it is, whatever its name.
    var mark: FileMark { get }

    /// Makes it as short as that, or leaves it.
    func cut(to size: Int) async throws(FileFailure)

    /// Hands all of it to a witness, and from then on whatever is appended; nil for none.
    func witness(_ witness: (@Sendable ([UInt8]) -> Void)?) async throws(FileFailure)

    /// Takes bytes over, and returns when there is room for more; a failure is told at the next call at the latest.
    func append(_ bytes: [UInt8]) async throws(FileFailure)

    /// Returns when all that was appended is on the disk, with how much that is.
    func sync() async throws(FileFailure) -> Int

    /// Gives it its name, when all of it is on the disk; `exists` where something has that name, which is never replaced.
    func finish(as name: String) async throws(FileFailure)

    /// Removes it.
    func discard() async

    /// Lets others have it, when all that was appended is written.
    func close() async
}

/// Which file something is, whatever its name.
package struct FileMark: Sendable, Hashable {
    /// The same for the same file as long as it exists.
    package let identity: String
    package let size: Int

    package init(identity: String, size: Int) {
        (self.identity, self.size) = (identity, size)
    }
}

/// Why a file is not written.
package struct FileFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// The disk, or what this user may have of it.
        case full
        /// Somebody else has it open.
        case taken
        /// Something has that name.
        case exists
        /// No permission, a read-only file system, something in the way that is no file.
        case refused
        /// The disk failed.
        case broken
        case other
    }

    package let kind: Kind
    /// In words, with the path.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        (self.kind, self.reason) = (kind, reason)
    }
}

/// Where what belongs to the app lies, that people and programs are to find: the beginning of relative folders.
package struct DataFolder: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }
}

extension Ability where Value == any FileWriting {
    package static var fileWriting: Ability<any FileWriting> { Ability(Provision(.runner, "file writing")) }
}
extension Ability where Value == DataFolder {
    package static var dataFolder: Self { Self(Provision(.runner, "data folder")) }
}
