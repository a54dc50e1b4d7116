package import WireBase
import WireConfig

/// Writes files incrementally and publishes each under its name only when it is complete.
///
/// Names are file names in a folder, never paths. Only regular files are written.
package protocol FileWriting: Sendable {
    /// The boot id of the machine: data written before a reboot may not have reached the disk.
    var boot: String { get }

    /// Creates a folder with its parents where it does not exist.
    func prepare(_ folder: String) async throws(FileFailure)

    /// The free space for a folder; nil where the system does not report it.
    func room(in folder: String) -> ByteCount?

    /// Opens an existing draft to continue it, or creates one.
    ///
    /// The caller owns the draft until it is closed; throws `taken` where another caller or process has it open.
    func open(_ draft: String, in folder: String) async throws(FileFailure) -> any DraftFile

    /// The file with a name, without following a link; nil where there is none.
    func fileMark(at name: String, in folder: String) -> FileMark?

    /// Removes a file if it exists; the owner of an open draft discards it instead.
    func remove(_ name: String, in folder: String) async throws(FileFailure)
}

/// A file that is being written.
///
/// One task uses a draft at a time. A witness receives all bytes in order, on a thread that may block. Releasing the
/// draft closes it.
package protocol DraftFile: Sendable {
    /// The size, including bytes that are not yet written.
    var size: Int { get }
    /// The identity of the file, independent of its name.
    var mark: FileMark { get }

    /// Truncates the file to a size; a shorter file stays as it is.
    func cut(to size: Int) async throws(FileFailure)

    /// Sends the existing bytes and all appended ones to a witness; nil removes it.
    func witness(_ witness: (@Sendable ([UInt8]) -> Void)?) async throws(FileFailure)

    /// Queues bytes and returns when there is room for more; a write failure is thrown by the next call at the latest.
    func append(_ bytes: [UInt8]) async throws(FileFailure)

    /// Flushes appended bytes to the disk and returns their total size.
    func sync() async throws(FileFailure) -> Int

    /// Flushes the file and gives it its final name; throws `exists` where the name is taken, and never replaces a
    /// file.
    func finish(as name: String) async throws(FileFailure)

    /// Removes the draft.
    func discard() async

    /// Writes appended bytes and releases the draft for other callers.
    func close() async
}

/// Identifies a file independent of its name.
package struct FileMark: Sendable, Hashable {
    /// Constant for the life of the file.
    package let identity: String
    package let size: Int

    package init(identity: String, size: Int) {
        (self.identity, self.size) = (identity, size)
    }
}

/// Why a file was not written.
package struct FileFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// The disk or the quota of the user is full.
        case full
        /// Another caller has the file open.
        case taken
        /// A file with that name exists.
        case exists
        /// No permission, a read-only file system, or a path that is not a regular file.
        case refused
        /// An I/O error.
        case broken
        case other
    }

    package let kind: Kind
    /// The reason in words, with the path.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        (self.kind, self.reason) = (kind, reason)
    }
}

/// The folder for files that users and other programs should find; the base of relative folders.
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
