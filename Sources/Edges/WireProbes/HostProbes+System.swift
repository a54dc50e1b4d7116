import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func protection(_ protection: Protection) throws(Fault) -> Bool {
        switch protection {
        case .mandatoryAccessControl: return try enforcesAccess()
        case .kernelLockdown:
            // `none [integrity] confidentiality`: the brackets mark the active one.
            guard let text = try Self.security("lockdown") else { return false }
            return text.contains("[integrity]") || text.contains("[confidentiality]")
        case .fips:
            return try KernelText.readIfThere("/proc/sys/crypto/fips_enabled")?.trimmed == "1"
        case .secureBoot:
            let folder = "/sys/firmware/efi/efivars"
            let name = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
            guard unsafe access("/sys/firmware/efi", F_OK) == 0 else { return false }
            // The value follows four bytes of attributes.
            return try KernelText.bytes(of: "\(folder)/\(name)", upTo: .kibibytes(1)).last == 1
        }
    }

    private func enforcesAccess() throws(Fault) -> Bool {
        if try KernelText.readIfThere("/sys/fs/selinux/enforce")?.trimmed == "1" { return true }
        guard let enabled = try KernelText.readIfThere("/sys/module/apparmor/parameters/enabled"),
            enabled.trimmed == "Y"
        else { return false }
        // Enabled does not mean enforced: this process also needs a profile.
        let own = try KernelText.readIfThere("/proc/self/attr/apparmor/current") ?? ""
        return own.contains("(enforce)")
    }

    private static func security(_ name: String) throws(Fault) -> String? {
        let folder = "/sys/kernel/security"
        guard unsafe access(folder, F_OK) == 0 else { return nil }
        // Not mounted, as in most containers, means unknown and not off.
        guard !Files.names(in: folder).isEmpty else {
            throw Fault("\(folder) is not mounted")
        }
        return try KernelText.readIfThere("\(folder)/\(name)")
    }

    package func tracingScope() throws(Fault) -> Int {
        // A kernel without Yama has no restrictions.
        guard try KernelText.readIfThere("/proc/sys/kernel/yama/ptrace_scope") != nil else { return 0 }
        return try KernelText.number("/proc/sys/kernel/yama/ptrace_scope")
    }

    package func allowsUnprivilegedBPF() throws(Fault) -> Bool {
        guard try KernelText.readIfThere("/proc/sys/kernel/unprivileged_bpf_disabled") != nil else { return false }
        return try KernelText.number("/proc/sys/kernel/unprivileged_bpf_disabled") == 0
    }

    package func kernelRelease() throws(Fault) -> String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { throw Fault("the version of the kernel: \(KernelText.words())") }
        return unsafe withUnsafeBytes(of: name.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    package func lastUpdate() throws(Fault) -> Int64 {
        // The package databases of Debian, Red Hat, Arch and Alpine.
        let books = [
            "/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite", "/usr/lib/sysimage/rpm/rpmdb.sqlite",
            "/var/lib/pacman/local", "/lib/apk/db/installed",
        ]
        for book in books {
            if let file = try file(book) { return file.changed }
        }
        throw Fault("no supported package database found")
    }

    package func hasScreenLock() throws(Fault) -> Bool? {
        let folder = "/run/systemd/sessions"
        guard unsafe access("/run/systemd/seats/seat0", F_OK) == 0 else { return nil }
        for session in Files.names(in: folder) where !session.hasSuffix(".ref") {
            let text = try KernelText.read("\(folder)/\(session)")
            let values = Dictionary(
                text.split(separator: "\n").map { line in
                    let parts = line.split(separator: "=", maxSplits: 1)
                    return (String(parts.first ?? ""), String(parts.dropFirst().first ?? ""))
                },
                uniquingKeysWith: { first, _ in first }
            )
            guard values["UID"] == "\(getuid())", ["x11", "wayland", "mir"].contains(values["TYPE"] ?? "") else {
                continue
            }
            return values["LOCKED_HINT"] != nil
        }
        return nil
    }
}
