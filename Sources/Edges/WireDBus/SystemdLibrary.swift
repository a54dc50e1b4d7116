import CSDBus
import Glibc
import WireMessageBus

/// The functions of sd-bus, once libsystemd has been found on this machine.
///
/// Sendable unchecked: the table is filled before it is shared, and neither changed nor given back.
@safe struct SystemdLibrary: @unchecked Sendable {
    private let table: UnsafePointer<corewire_sd_bus>

    /// Looked for once, when a connection is opened for the first time.
    static let loaded: Result<SystemdLibrary, BusFailure> = load()

    var functions: corewire_sd_bus { unsafe table.pointee }

    private static func load() -> Result<SystemdLibrary, BusFailure> {
        let table = UnsafeMutablePointer<corewire_sd_bus>.allocate(capacity: 1)
        guard let missing = unsafe corewire_load_sd_bus(table) else {
            return .success(unsafe SystemdLibrary(table: UnsafePointer(table)))
        }
        unsafe table.deallocate()
        let name = unsafe String(cString: missing)
        return .failure(BusFailure(.absent, "this machine has no '\(name)' (install the package libsystemd0)"))
    }

    /// What the system calls an error that a function has returned, as a negative number.
    static func text(of result: CInt) -> String {
        unsafe strerror(-result).map { unsafe String(cString: $0) } ?? "error \(-result)"
    }
}
