import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func disk(of path: String) throws(Fault) -> SeenDisk {
        let place = try destination(of: path)
        var status = stat()
        guard unsafe stat(place, &status) == 0 else { throw Fault("\(place): \(KernelText.words())") }
        guard let mount = try Mount.all().filter({ $0.holds(place) }).max(by: { $0.isOutside($1) }) else {
            throw Fault("/proc/self/mountinfo does not have \(place)")
        }
        let inMemory = ["tmpfs", "ramfs"].contains(mount.kind)
        let encrypts = ["ecryptfs", "fuse.gocryptfs", "fuse.cryfs", "fuse.encfs"].contains(mount.kind)
        return SeenDisk(
            name: mount.source,
            isEncrypted: inMemory || encrypts || Self.isEncrypted(device: mount.device),
            isReadOnly: mount.isReadOnly
        )
    }

    /// Whether a block device, or any device below it, belongs to dm-crypt.
    private static func isEncrypted(device: String, depth: Int = 0) -> Bool {
        let folder = "/sys/dev/block/\(device)"
        if let kind = try? KernelText.read("\(folder)/dm/uuid"), kind.hasPrefix("CRYPT-") { return true }
        guard depth < 8 else { return false }
        let lower = Files.names(in: "\(folder)/slaves").compactMap { name in
            (try? KernelText.read("\(folder)/slaves/\(name)/dev"))?.trimmed
        }
        // With several devices below, all must be encrypted.
        return !lower.isEmpty && lower.allSatisfy { isEncrypted(device: $0, depth: depth + 1) }
    }
}

/// A line of /proc/self/mountinfo.
struct Mount {
    let device: String
    let point: String
    let kind: String
    let source: String
    let isReadOnly: Bool
    private let order: Int

    static func all() throws(Fault) -> [Mount] {
        let lines = try KernelText.read("/proc/self/mountinfo").split(separator: "\n")
        return lines.enumerated().compactMap { Mount($0.element, order: $0.offset) }
    }

    /// Reads `36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw`.
    private init?(_ line: Substring, order: Int) {
        let fields = line.split(separator: " ")
        guard let mark = fields.firstIndex(of: "-"), mark >= 6, fields.count > mark + 2 else { return nil }
        device = String(fields[2])
        point = Self.unescaped(fields[4])
        kind = String(fields[mark + 1])
        source = Self.unescaped(fields[mark + 2])
        let options = fields[5].split(separator: ",") + (fields.dropFirst(mark + 3).first ?? "").split(separator: ",")
        isReadOnly = options.contains("ro")
        self.order = order
    }

    func holds(_ path: String) -> Bool {
        point == "/" || path == point || path.hasPrefix("\(point)/")
    }

    /// Whether the other mount is covered: this one is deeper, or was mounted later.
    func isOutside(_ other: Mount) -> Bool {
        (point.utf8.count, order) < (other.point.utf8.count, other.order)
    }

    /// The kernel writes white space and backslashes as octal numbers.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3).map { $0 &- 0x30 }
            guard byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ $0 < 8 }) else {
                bytes.append(byte)
                continue
            }
            bytes.append(digits.reduce(0) { $0 &* 8 &+ $1 })
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
