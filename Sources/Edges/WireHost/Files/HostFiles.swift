import CProcess
import Glibc
package import WireBase
package import WireService

/// Files of this machine that are written in pieces.
package struct HostFiles: FileWriting {
    package let boot: String

    package init() {
        let id = try? Files.read("/proc/sys/kernel/random/boot_id", upTo: .kibibytes(1))
        boot = String(decoding: (id ?? []).prefix { $0 > 0x20 }, as: UTF8.self)
    }

    package func prepare(_ folder: String) async throws(FileFailure) {
        var made = folder.hasPrefix("/") ? "/" : ""
        for name in folder.split(separator: "/") {
            let above = made.isEmpty ? "." : made
            made += made.isEmpty || made == "/" ? String(name) : "/\(name)"
            // The umask may remove more permissions; without one the folder is still not writable for all.
            if unsafe mkdir(made, 0o755) == 0 {
                try HostDraft.keepNames(of: above)
            } else if errno != EEXIST {
                throw FileFailure.system(made)
            }
        }
        guard Files.isFolder(folder) else {
            throw FileFailure(.refused, "\(folder.shownPath): it is a file, expected a folder")
        }
        guard unsafe access(folder, W_OK | X_OK) == 0 else { throw FileFailure.system(folder) }
    }

    package func room(in folder: String) -> ByteCount? { DiskFacts.of(folder)?.free }

    package func open(_ draft: String, in folder: String) async throws(FileFailure) -> any DraftFile {
        try HostDraft(draft, in: folder)
    }

    package func fileMark(at name: String, in folder: String) -> FileMark? {
        var status = stat()
        let path = "\(folder)/\(name)"
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return FileMark(status, born: unsafe corewire_birth(AT_FDCWD, path))
    }

    package func remove(_ name: String, in folder: String) async throws(FileFailure) {
        let path = "\(folder)/\(name)"
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileFailure.system(path) }
    }
}

extension FileMark {
    /// File numbers are reused by the file system, so the birth time is needed to identify a file.
    init(_ status: stat, born: Int64) {
        self.init(identity: "\(status.st_dev):\(status.st_ino):\(born)", size: Int(status.st_size))
    }
}

extension FileFailure {
    /// Returns the failure for the last call's error.
    static func system(_ path: String, _ number: Int32 = errno) -> FileFailure {
        let kind: Kind =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EEXIST: .exists
            case EACCES, EPERM, EROFS, ELOOP, ENOTDIR, EISDIR, ENXIO, ENAMETOOLONG: .refused
            case EIO: .broken
            default: .other
            }
        return FileFailure(kind, "\(path.shownPath): \(SystemWords.text(of: number))")
    }
}

extension String {
    /// The path as shown in messages, with a larger limit than other texts.
    var shownPath: String { "'\(shown(upTo: 300))'" }
}
