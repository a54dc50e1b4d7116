import Glibc

/// Reads and inspects files.
package enum Files {
    /// Reads a file, a pipe, or standard input for `-`; throws beyond the limit.
    ///
    /// A path never blocks: reading a pipe ends in a few seconds or fails.
    package static func read(
        _ path: String,
        upTo limit: ByteCount,
        onlyRegular: Bool = false
    ) throws(Fault) -> [UInt8] {
        let isTyped = path == "-" && !onlyRegular
        // Opening a pipe would wait for its writer, and a terminal would become the controlling one.
        let descriptor =
            isTyped ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            // Sockets cannot be opened.
            if errno == ENXIO { throw Fault("not a regular file") }
            throw failure()
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure() }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw Fault("it is a folder") }
        guard !onlyRegular || kind == S_IFREG else { throw Fault("not a regular file") }
        let end = isTyped || kind == S_IFREG ? nil : ContinuousClock.now + patience
        return try read(descriptor, expecting: Int(status.st_size), upTo: limit, by: end)
    }

    /// The time for the writer of a pipe.
    private static let patience = Duration.seconds(10)

    /// Returns when there are bytes to read, or the other end is closed.
    private static func wait(_ descriptor: Int32, until end: ContinuousClock.Instant) throws(Fault) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(.zero, end - .now)
            // Rounded up to avoid repeated calls in the last millisecond.
            let count = unsafe Glibc.poll(&poll, 1, Int32(clamping: left.inMicroseconds / 1_000 + 1))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw failure() }
            guard left > .zero else {
                throw Fault("it is not a regular file, and reading took longer than 10 s")
            }
        }
    }

    private static func read(
        _ descriptor: Int32,
        expecting size: Int,
        upTo limit: ByteCount,
        by end: ContinuousClock.Instant?
    ) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        // One byte more than the size, so that one call detects the end of the file.
        var room = min(max(size, 16_384), limit.bytes) + 1
        while true {
            if let end { try wait(descriptor, until: end) }
            let known = bytes.count
            var count = 0
            bytes.append(
                contentsOf: unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                    count = unsafe Glibc.read(descriptor, buffer.baseAddress, room)
                    filled = max(0, count)
                }
            )
            if count < 0, errno != EINTR, errno != EAGAIN { throw failure() }
            guard bytes.count <= limit.bytes else {
                throw Fault("it is larger than the limit 'fileSize', \(limit)")
            }
            if count == 0 { return bytes }
            room = max(16_384, min(known, limit.bytes - known) + 1)
        }
    }

    /// The failure of the last call of the system.
    package static func failure() -> Fault {
        let reason = unsafe String(cString: strerror(errno))
        return Fault(reason.prefix(1).lowercased() + reason.dropFirst())
    }

    /// Replaces a file by a rename, so that readers never see a partial file.
    ///
    /// The new file keeps the permissions of the old one unless others are given. Fails where there is a file and
    /// `onlyNew` is set.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        permissions: UInt32? = nil,
        onlyNew: Bool = false
    ) throws(Fault) {
        let file = try FileReplacement(of: path, permissions: permissions, onlyNew: onlyNew)
        try file.write(bytes)
        try file.commit()
    }

    /// Whether there is a file at a path.
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this user may read, write or execute the file at a path.
    package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }
    package static func isWritable(_ path: String, asFolder isFolder: Bool = false) -> Bool {
        unsafe access(path, isFolder ? W_OK | X_OK : W_OK) == 0
    }
    package static func isRunnable(_ path: String) -> Bool {
        let mayRun = unsafe access(path, X_OK) == 0
        return mayRun && !isFolder(path)
    }

    package static func isFolder(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether files can be created in a folder: not in those of `/proc` and `/sys`, even by root.
    package static func keepsFiles(_ folder: String) -> Bool {
        guard let resolved = unsafe realpath(folder, nil) else { return true }
        defer { unsafe free(resolved) }
        let path = unsafe String(cString: resolved)
        return !["/proc", "/sys"].contains { path == $0 || path.hasPrefix("\($0)/") }
    }

    /// Whether other users may read a file.
    package static func isReadableByOthers(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & 0o044 != 0 } ?? false
    }

    static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Returns the names in a folder, sorted; none where it cannot be read.
    ///
    /// Unwanted names use no memory.
    package static func names(in folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", isWanted(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the value of an environment variable.
    package static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Returns a path without redundant steps: `b/c` for `a/../b/./c`.
    package static func normalized(_ path: String) -> String {
        var steps: [Substring] = []
        for step in path.split(separator: "/") where step != "." {
            if step == "..", let last = steps.last, last != ".." { steps.removeLast() } else { steps.append(step) }
        }
        return (path.hasPrefix("/") ? "/" : "") + steps.joined(separator: "/")
    }

    /// Returns a path relative to a folder.
    package static func path(_ path: String, below folder: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }

    /// Returns a path relative to the folder of a file.
    package static func path(_ path: String, beside file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
