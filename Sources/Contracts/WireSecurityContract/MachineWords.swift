import WireConfig

// Properties of machines and processes, in the words of the services file.

/// A sandboxing mechanism of a process.
package enum Wall: String, Choice {
    case seccomp, noNewPrivileges, readOnlyRoot

    package var help: String {
        switch self {
        case .seccomp: "system calls are filtered"
        case .noNewPrivileges: "started programs cannot gain privileges"
        case .readOnlyRoot: "the root file system is mounted read-only"
        }
    }
}

/// A kind of virtualization.
package enum Virtualization: String, Choice {
    case virtualMachine, container, wsl, gvisor

    package var help: String {
        switch self {
        case .virtualMachine: "a virtual machine, by its firmware and processor"
        case .container: "Docker, Podman, Kubernetes and similar"
        case .wsl: "Windows Subsystem for Linux"
        case .gvisor: "a kernel in user space"
        }
    }
}

/// A protection of the system.
package enum Protection: String, Choice {
    case mandatoryAccessControl, kernelLockdown, fips, secureBoot

    package var help: String {
        switch self {
        case .mandatoryAccessControl: "SELinux or AppArmor enforces its policy"
        case .kernelLockdown: "the kernel is locked down, for integrity at least"
        case .fips: "the kernel allows approved cryptography only"
        case .secureBoot: "the firmware boots signed systems only"
        }
    }
}

/// The names of Linux capabilities: `CAP_NET_BIND_SERVICE`.
package enum CapabilityNames {
    /// The capabilities of Linux 6.1, by bit.
    package static let all = """
        CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE \
        NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN \
        SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE \
        MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE
        """.split(separator: " ").map { "CAP_\($0)" }
}
