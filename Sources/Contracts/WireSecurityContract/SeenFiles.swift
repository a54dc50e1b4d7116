// What can be seen of files and disks.

/// What stands at a path.
package struct SeenFile: Sendable, Equatable {
    package enum Kind: String, Sendable { case file, folder, link, socket, other }

    package let kind: Kind
    package let owner: UInt32
    package let group: UInt32
    /// The permissions, without the kind.
    package let mode: UInt32
    package let size: Int
    /// When its content was last changed, in milliseconds since 1970.
    package let changed: Int64

    package init(kind: Kind, owner: UInt32, group: UInt32, mode: UInt32, size: Int, changed: Int64) {
        (self.kind, self.owner, self.group, self.mode) = (kind, owner, group, mode)
        (self.size, self.changed) = (size, changed)
    }

    /// The permissions as people write them: `0600`.
    package var modeText: String { "0" + String(mode, radix: 8) }
}

/// The disk a path lies on.
package struct SeenDisk: Sendable, Equatable {
    /// `/dev/mapper/home`, `tmpfs`.
    package let name: String
    /// Whether what is written there is encrypted before; memory, which is lost without power, counts as encrypted.
    package let isEncrypted: Bool
    package let isReadOnly: Bool

    package init(name: String, isEncrypted: Bool, isReadOnly: Bool) {
        (self.name, self.isEncrypted, self.isReadOnly) = (name, isEncrypted, isReadOnly)
    }
}
