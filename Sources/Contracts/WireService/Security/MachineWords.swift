public import WireConfig

// What a machine and a process can be, as the file and those who look at them both say it.

/// A wall around a process.
public enum Wall: String, Choice {
    case seccomp, noNewPrivileges, readOnlyRoot

    package var help: String {
        switch self {
        case .seccomp: "system calls are filtered"
        case .noNewPrivileges: "no program it starts gains rights"
        case .readOnlyRoot: "the root file system is mounted read-only"
        }
    }
}

/// What a machine can be instead of hardware.
public enum Virtualization: String, Choice {
    case virtualMachine, container, wsl, gvisor

    package var help: String {
        switch self {
        case .virtualMachine: "a machine in a machine, by its firmware and processor"
        case .container: "Docker, Podman, Kubernetes and their like"
        case .wsl: "Linux inside Windows"
        case .gvisor: "a kernel in user space"
        }
    }
}

/// A protection a system may have.
public enum Protection: String, Choice {
    case mandatoryAccessControl, kernelLockdown, fips, secureBoot

    package var help: String {
        switch self {
        case .mandatoryAccessControl: "SELinux or AppArmor enforces its policy"
        case .kernelLockdown: "the kernel is locked down, for integrity at least"
        case .fips: "the kernel allows approved cryptography only"
        case .secureBoot: "the firmware starts signed systems only"
        }
    }
}
