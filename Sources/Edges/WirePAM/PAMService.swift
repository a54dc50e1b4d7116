import Glibc
import WireBase

/// The PAM service passwords are checked by: one of ours where the machine has it, what people sign in at it with otherwise.
package struct PAMService: Sendable, Equatable {
    package let name: String

    /// Where Linux-PAM looks for the files of services.
    package static let folders = ["/etc/pam.d", "/usr/lib/pam.d"]
    /// In this order; `other` is the one for services that have no file.
    package static let names = ["corewire", "login", "other"]

    /// Nil on a machine that has none of them.
    package static func find(in folders: [String] = folders) -> PAMService? {
        names.first { name in folders.contains { Files.exists("\($0)/\(name)") } }.map(PAMService.init)
    }

    /// Whether somebody has said on purpose how passwords are checked for this program.
    package var isOwn: Bool { name == Self.names[0] }

    package init(name: String) {
        self.name = name
    }

    /// Why no password can be checked by it.
    ///
    /// Passwords that only root may read are checked by a helper that becomes root, which a process that may gain no
    /// privileges cannot start: every password would be wrong. A service of our own may know another way.
    package func obstacle(isRoot: Bool = geteuid() == 0, mayGainPrivileges: Bool = Self.mayGainPrivileges) -> String? {
        guard !isRoot, !isOwn, !mayGainPrivileges else { return nil }
        return "this program may gain no privileges, so the helper of PAM cannot read the password of the account"
    }

    /// Whether programs that are started may become somebody else: systemd's `NoNewPrivileges=` forbids it.
    package static var mayGainPrivileges: Bool {
        guard let bytes = try? Files.read("/proc/self/status", upTo: .kibibytes(64)) else { return true }
        return !String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
            $0.hasPrefix("NoNewPrivs:") && $0.hasSuffix("1")
        }
    }

    package static var missing: String {
        "there is no PAM service: none of \(names.map(\.quoted).joined(separator: ", ")) is in \(folders[0])"
    }
}
