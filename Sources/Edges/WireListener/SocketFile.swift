import CLinux
import Glibc

/// The file of a Unix socket: known by its inode, so that another one at the same path is never taken for it.
struct SocketFile: Sendable {
    private let path: String
    private let device: UInt
    private let inode: UInt

    /// The socket file that is at a path now.
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

    /// Makes the folder where there is none, for its owner alone; nil, or what is in the way.
    static func prepareFolder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        let folder = String(path[..<slash])
        if unsafe mkdir(folder, 0o700) == 0 { return nil }
        guard errno == EEXIST else { return "the folder cannot be made: \(lastError())" }
        return nil
    }

    /// Removes what a runner that died has left: a socket of this user that nobody answers at; nil, or what is in the way.
    static func removeStale(_ path: String, _ address: SocketAddress) -> String? {
        guard let found = status(of: path) else { return nil }
        guard found.isSocket else { return "something that is no socket is there already" }
        guard found.owner == geteuid() else { return "a socket of another user is there already" }
        let descriptor = socket(AF_UNIX, corewire_stream_socket | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return lastError() }
        defer { _ = close(descriptor) }
        let result = unsafe address.withPointer { unsafe connect(descriptor, $0, $1) }
        guard result != 0, errno == ECONNREFUSED else { return "another process answers there" }
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
