import CLinux
import Glibc

/// The file of a Unix socket, identified by its inode so that another one at the same path is left alone.
struct SocketFile: Sendable {
    private let path: String
    private let device: UInt
    private let inode: UInt

    /// The socket file at a path.
    init?(_ path: String) {
        guard let found = Self.status(of: path), found.isSocket else { return nil }
        self.path = path
        device = UInt(found.device)
        inode = UInt(found.inode)
    }

    func removeIfStillOurs() {
        guard let found = Self.status(of: path), found.isSocket, UInt(found.device) == device,
            UInt(found.inode) == inode
        else { return }
        _ = unsafe unlink(path)
    }

    /// Creates the folder for its owner alone if necessary; returns the problem, or nil.
    static func prepareFolder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        let folder = String(path[..<slash])
        if unsafe mkdir(folder, 0o700) == 0 { return nil }
        guard errno == EEXIST else { return "the folder cannot be created: \(lastError())" }
        return nil
    }

    /// Removes the socket of a runner that was killed, if it is this user's and no process listens; returns the
    /// problem, or nil.
    static func removeStale(_ path: String, _ address: SocketAddress) -> String? {
        guard let found = status(of: path) else { return nil }
        guard found.isSocket else { return "a file that is not a socket exists there" }
        guard found.owner == geteuid() else { return "a socket of another user exists there" }
        let descriptor = socket(AF_UNIX, corewire_stream_socket | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return lastError() }
        defer { _ = close(descriptor) }
        let result = unsafe address.withPointer { unsafe connect(descriptor, $0, $1) }
        guard result != 0, errno == ECONNREFUSED else { return "another process listens there" }
        guard let again = status(of: path), again.inode == found.inode, again.device == found.device else { return nil }
        return unsafe unlink(path) == 0 || errno == ENOENT ? nil : lastError()
    }

    private struct Status {
        let isSocket: Bool
        let owner: uid_t
        let device: dev_t
        let inode: ino_t
    }

    private static func status(of path: String) -> Status? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Status(
            isSocket: status.st_mode & S_IFMT == S_IFSOCK,
            owner: status.st_uid,
            device: status.st_dev,
            inode: status.st_ino
        )
    }
}
