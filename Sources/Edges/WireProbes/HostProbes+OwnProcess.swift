import CProbes
import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func tracer() throws(Fault) -> SeenProcess? {
        let text = try KernelText.field("TracerPid", of: "/proc/self/status")
        guard let id = Int32(text) else { throw Fault("/proc/self/status: TracerPid is not a number") }
        guard id != 0 else { return nil }
        // The tracer may have detached, or be in another namespace.
        return try process(id) ?? SeenProcess(id: id, name: "")
    }

    package func parent() throws(Fault) -> SeenProcess {
        let id = getppid()
        // The parent is outside the namespace and cannot be identified.
        guard id > 0 else { throw Fault("the parent process is outside this namespace") }
        guard let parent = try process(id) else { throw Fault("process \(id) is hidden") }
        return parent
    }

    package func threads() throws(Fault) -> [String] {
        let tasks = Files.names(in: "/proc/self/task")
        guard !tasks.isEmpty else { throw Fault("/proc/self/task is empty") }
        // A thread that ends during the read is skipped.
        return tasks.compactMap { task in
            guard let name = try? KernelText.read("/proc/self/task/\(task)/comm") else { return nil }
            return name.trimmed
        }
    }

    package func rights() throws(Fault) -> SeenRights {
        let mask = try KernelText.field("CapEff", of: "/proc/self/status")
        guard let bits = UInt64(mask, radix: 16) else { throw Fault("/proc/self/status: CapEff is not a mask") }
        let capabilities = (0..<64).filter { bits >> UInt64($0) & 1 == 1 }.map { bit in
            CapabilityNames.all.indices.contains(bit) ? CapabilityNames.all[bit] : "CAP_\(bit)"
        }
        return SeenRights(user: getuid(), effectiveUser: geteuid(), capabilities: capabilities)
    }

    package func walls() throws(Fault) -> Set<Wall> {
        let status = try KernelText.read("/proc/self/status")
        var walls: Set<Wall> = []
        guard let filter = KernelText.field("Seccomp", in: status),
            let privileges = KernelText.field("NoNewPrivs", in: status)
        else { throw Fault("/proc/self/status: this kernel has no seccomp information") }
        if filter != "0" { walls.insert(.seccomp) }
        if privileges == "1" { walls.insert(.noNewPrivileges) }
        if try disk(of: "/").isReadOnly { walls.insert(.readOnlyRoot) }
        return walls
    }

    package func program() throws(Fault) -> SeenProgram {
        guard let path = KernelText.link("/proc/self/exe") else {
            throw Fault("/proc/self/exe: \(KernelText.words())")
        }
        // The kernel's link refers to the running file, wherever it is now.
        var running = stat()
        guard unsafe stat("/proc/self/exe", &running) == 0 else {
            throw Fault("/proc/self/exe: \(KernelText.words())")
        }
        let mark = " (deleted)"
        let isDeleted = running.st_nlink == 0
        let name = isDeleted && path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
        var present = stat()
        let isThere = unsafe stat(name, &present) == 0
        let isSame = isThere && present.st_ino == running.st_ino && present.st_dev == running.st_dev
        return SeenProgram(path: name, isReplaced: !isSame)
    }

    package func coreDumps() throws(Fault) -> SeenCoreDumps {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else {
            throw Fault("the limit of core dumps: \(KernelText.words())")
        }
        let dumpable = corewire_dumpable()
        guard dumpable >= 0 else { throw Fault("the dumpable flag: \(KernelText.words())") }
        return SeenCoreDumps(limit: UInt64(limit.rlim_cur), isDumpable: dumpable == 1)
    }

    package func clock() throws(Fault) -> SeenClock {
        var library = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &library) == 0 else {
            throw Fault("the clock: \(KernelText.words())")
        }
        var state: Int32 = 0
        let kernel = unsafe corewire_kernel_time(&state)
        guard kernel >= 0 else { throw Fault("the clock of the kernel: \(KernelText.words())") }
        return SeenClock(
            library: Int64(library.tv_sec) * 1_000 + Int64(library.tv_nsec) / 1_000_000,
            kernel: kernel,
            // In a container this may be forbidden.
            isSynchronized: state < 0 ? nil : state != 5
        )
    }

    package func denyTracing() throws(Fault) {
        guard corewire_deny_tracing() == 0 else { throw Fault("tracing: \(KernelText.words())") }
    }

    package func denyCoreDumps() throws(Fault) {
        guard corewire_deny_core_dumps() == 0 else { throw Fault("core dumps: \(KernelText.words())") }
    }
}
