import Glibc
package import WireBase
package import WireSecrets
package import WireSecurityContract

extension HostProbes {
    package func file(_ path: String) throws(Fault) -> SeenFile? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Fault("\(path): \(KernelText.words())") }
            return nil
        }
        let kind: SeenFile.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFSOCK: .socket
            default: .other
            }
        return SeenFile(
            kind: kind,
            owner: status.st_uid,
            group: status.st_gid,
            mode: status.st_mode & 0o7777,
            size: Int(status.st_size),
            changed: Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        )
    }

    package func destination(of path: String) throws(Fault) -> String {
        guard let place = unsafe realpath(path, nil) else { throw Fault("\(path): \(KernelText.words())") }
        defer { unsafe free(place) }
        return unsafe String(cString: place)
    }

    package func paths(matching pattern: String) throws(Fault) -> [String] {
        var found = [""]
        for part in pattern.split(separator: "/") {
            guard part.utf8.contains(UInt8(ascii: "*")) else {
                found = found.map { "\($0)/\(part)" }.filter { (try? file($0)) ?? nil != nil }
                continue
            }
            var next: [String] = []
            let pattern = Wildcard(part)
            for folder in found {
                let names = try names(in: folder.isEmpty ? "/" : folder, like: pattern)
                next += names.map { "\(folder)/\($0)" }
            }
            found = next.sorted()
        }
        return found.filter { !$0.isEmpty }
    }

    private func names(in folder: String, like pattern: Wildcard) throws(Fault) -> [String] {
        guard unsafe access(folder, R_OK) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Fault("\(folder): \(KernelText.words())") }
            return []
        }
        return Files.names(in: folder, where: pattern.matches)
    }

    package func build(of program: String) -> String { builds.build(of: program) }

    package func programFolders() -> [String] { folders }

    package func installations(of program: String) throws(Fault) -> [String] {
        var found: [String] = []
        var status = stat()
        func look(in folder: String) {
            let path = "\(folder)/\(program)"
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o111 != 0,
                !found.contains(path)
            else { return }
            found.append(path)
        }
        for folder in folders { look(in: folder) }
        let own = "/opt/\(program)"
        if unsafe stat(own, &status) == 0 { for folder in ["/opt", own, "\(own)/bin"] { look(in: folder) } }
        return found
    }

    package func mayWrite(_ path: String) -> Bool { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    package func digest(of path: String) throws(Fault) -> Digest {
        let digest: any RunningDigest
        do {
            digest = try digests.begin()
        } catch {
            throw Fault("\(path): the digest cannot be computed")
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Fault("\(path): \(KernelText.words())") }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Fault("\(path) is not a file")
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw Fault("\(path): \(KernelText.words())")
            }
            digest.add(Array(buffer.prefix(count)))
        }
        guard let value = digest.value else { throw Fault("\(path): the digest cannot be computed") }
        return value
    }

    package func bytes(of path: String, upTo limit: ByteCount) throws(Fault) -> [UInt8] {
        try KernelText.bytes(of: path, upTo: limit, onlyRegular: true)
    }
}
