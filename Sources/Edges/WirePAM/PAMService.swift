import Glibc
import WireBase

/// The PAM service for verifying passwords: one for corewire where the machine has it, otherwise that of logins.
package struct PAMService: Sendable, Equatable {
    package let name: String

    /// The folders of Linux-PAM's service files.
    package static let folders = ["/etc/pam.d", "/usr/lib/pam.d"]
    /// In this order; `other` is for services without a file.
    package static let names = ["corewire", "login", "other"]

    /// Finds a service; nil where there is none.
    package static func find(in folders: [String] = folders) -> PAMService? {
        names.first { name in folders.contains { Files.exists("\($0)/\(name)") } }.map(PAMService.init)
    }

    /// Whether the service is configured for this program.
    package var isOwn: Bool { name == Self.names[0] }

    package init(name: String) {
        self.name = name
    }

    /// Returns why the service cannot verify passwords, or nil.
    ///
    /// Passwords that only root may read are verified by a setuid helper, which a process without new privileges
    /// cannot start, so every password would be wrong. A service of our own may work differently.
    package func obstacle(isRoot: Bool = geteuid() == 0, mayGainPrivileges: Bool = Self.mayGainPrivileges) -> String? {
        guard !isRoot, !isOwn, !mayGainPrivileges else { return nil }
        return "'NoNewPrivileges=' keeps the helper of PAM from reading the password of the account"
    }

    /// Whether child processes may gain privileges: systemd's `NoNewPrivileges=` forbids it.
    package static var mayGainPrivileges: Bool {
        guard let bytes = try? Files.read("/proc/self/status", upTo: .kibibytes(64)) else { return true }
        return !String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
            $0.hasPrefix("NoNewPrivs:") && $0.hasSuffix("1")
        }
    }

    package static var missing: String {
        "no PAM service found: none of \(names.map(\.quoted).joined(separator: ", ")) is in \(folders[0])"
    }
}
