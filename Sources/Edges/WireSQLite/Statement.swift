import CSQLite
import WireStore

/// One use of a cached statement: bind in order, step through the rows, reset at the end.
@safe struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private var bound: Int32 = 0
    private var problem: Int32 = SQLITE_OK

    init(borrowing handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        // step() has already thrown the error that reset returns again.
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }

    mutating func bind(_ number: Int64?) {
        bound += 1
        if let number {
            note(unsafe sqlite3_bind_int64(handle, bound, number))
        } else {
            note(unsafe sqlite3_bind_null(handle, bound))
        }
    }

    mutating func bind(_ number: Int) { bind(Int64(number)) }

    mutating func bind(_ flag: Bool) { bind(flag ? 1 : 0) }

    mutating func bind(_ text: String?) {
        guard var text else { return bind(nil as Int64?) }
        bound += 1
        note(
            text.withUTF8 {
                unsafe csqlite_bind_text(handle, bound, UnsafeRawPointer($0.baseAddress) ?? empty, UInt64($0.count))
            }
        )
    }

    /// Binds bytes as text, even if they are not valid text, as the end of a range may be.
    mutating func bind(textBytes bytes: [UInt8]?) {
        guard let bytes else { return bind(nil as Int64?) }
        bound += 1
        note(
            unsafe bytes.withUnsafeBytes {
                unsafe csqlite_bind_text(handle, bound, $0.baseAddress ?? empty, UInt64($0.count))
            }
        )
    }

    mutating func bind(_ bytes: [UInt8]) {
        bound += 1
        note(unsafe bytes.withUnsafeBytes { unsafe csqlite_bind_blob(handle, bound, $0.baseAddress, UInt64($0.count)) })
    }

    /// Advances to the next row; returns false at the end.
    borrowing func step() throws(StoreFailure) -> Bool {
        guard problem == SQLITE_OK else { throw unsafe StoreFailure(code: problem, of: sqlite3_db_handle(handle)) }
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw unsafe StoreFailure(code: code, of: sqlite3_db_handle(handle)) }
        return false
    }

    /// Runs a statement and ignores its rows.
    consuming func run() throws(StoreFailure) {
        while try step() {}
    }

    /// Returns the number in the first column of the first row; nil where there is no row.
    consuming func number() throws(StoreFailure) -> Int64? {
        try step() ? integer(0) : nil
    }

    /// Returns the number; nil also where the column is null.
    consuming func optionalNumber() throws(StoreFailure) -> Int64? {
        try step() ? optionalInteger(0) : nil
    }

    borrowing func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    borrowing func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    borrowing func flag(_ column: Int32) -> Bool { integer(column) != 0 }

    borrowing func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    borrowing func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    borrowing func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        )
    }

    borrowing func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    private mutating func note(_ code: Int32) {
        if problem == SQLITE_OK { problem = code }
    }
}

/// An address for empty text: SQLite treats a null pointer as NULL.
private var empty: UnsafeRawPointer { unsafe UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped }
