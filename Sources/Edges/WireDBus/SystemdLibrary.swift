import CSDBus
import Glibc
import WireMessageBus

/// The functions of sd-bus, from this machine's libsystemd.
///
/// Sendable unchecked: the table is filled before it is shared, and never changed or released.
@safe struct SystemdLibrary: @unchecked Sendable {
    private let table: UnsafePointer<corewire_sd_bus>

    /// Loaded once, when the first connection is opened.
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

    /// Returns the system's text for a negative result.
    static func text(of result: CInt) -> String {
        unsafe strerror(-result).map { unsafe String(cString: $0) } ?? "error \(-result)"
    }
}
