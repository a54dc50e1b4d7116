// Facts about files and disks.

/// A file at a path.
package struct SeenFile: Sendable, Equatable {
    package enum Kind: String, Sendable { case file, folder, link, socket, other }

    package let kind: Kind
    package let owner: UInt32
    package let group: UInt32
    /// The permission bits, without the file type.
    package let mode: UInt32
    package let size: Int
    /// The last modification in milliseconds since 1970.
    package let changed: Int64

    package init(kind: Kind, owner: UInt32, group: UInt32, mode: UInt32, size: Int, changed: Int64) {
        (self.kind, self.owner, self.group, self.mode) = (kind, owner, group, mode)
        (self.size, self.changed) = (size, changed)
    }

    /// The permissions as text: `0600`.
    package var modeText: String { "0" + String(mode, radix: 8) }
}

/// The disk of a path.
package struct SeenDisk: Sendable, Equatable {
    /// `/dev/mapper/home`, `tmpfs`.
    package let name: String
    /// Whether written data is encrypted; memory counts as encrypted, because it is lost without power.
    package let isEncrypted: Bool
    package let isReadOnly: Bool

    package init(name: String, isEncrypted: Bool, isReadOnly: Bool) {
        (self.name, self.isEncrypted, self.isReadOnly) = (name, isEncrypted, isReadOnly)
    }
}
