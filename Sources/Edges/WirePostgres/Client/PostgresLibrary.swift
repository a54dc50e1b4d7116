import CPQ

/// The functions of libpq, from this machine's library.
///
/// Sendable unchecked: the table is filled before it is shared, and never changed or released.
@safe struct PostgresLibrary: @unchecked Sendable {
    private let table: UnsafePointer<corewire_pq>

    /// Loaded once, when the first store at a server is opened.
    static let loaded: Result<PostgresLibrary, PostgresFailure> = load()

    var functions: corewire_pq { unsafe table.pointee }

    private static func load() -> Result<PostgresLibrary, PostgresFailure> {
        corewire_pq_forget_environment()
        let table = UnsafeMutablePointer<corewire_pq>.allocate(capacity: 1)
        guard let missing = unsafe corewire_load_pq(table) else {
            return .success(unsafe PostgresLibrary(table: UnsafePointer(table)))
        }
        unsafe table.deallocate()
        let name = unsafe String(cString: missing)
        return .failure(PostgresFailure(.unusable, "this machine has no '\(name)' (install the package libpq5)"))
    }
}
