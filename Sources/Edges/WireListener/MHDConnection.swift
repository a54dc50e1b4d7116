import CMicroHTTPD
import WireHTTP

/// The library's handle of a connection's current request.
@safe struct MHDConnection: @unchecked Sendable {
    // Sendable: other threads only resume the connection, which the library allows from any thread, and only while it
    // is suspended, in which case the library keeps it.
    private let handle: OpaquePointer
    private let thread: ConnectionThread

    init(_ handle: OpaquePointer, _ thread: ConnectionThread) {
        unsafe self.handle = handle
        self.thread = thread
    }

    /// Suspends the connection until it is resumed.
    func suspend() {
        unsafe MHD_suspend_connection(handle)
    }

    func resume() {
        unsafe MHD_resume_connection(handle)
        thread.call()
    }

    /// Passes the response to the library; only from a callback.
    func queue(_ status: Status, _ reply: borrowing Reply) -> Bool {
        unsafe LibraryRefusals.queue(handle, UInt32(clamping: status.code), reply.pointer) == .YES
    }

    /// The library's marker for the end of a body.
    static let endOfBody = -1
    static let brokenBody = -2

    var headSize: Int { unsafe corewire_head_size(handle) }

    func forEachField(_ body: inout FieldReader) {
        unsafe withUnsafeMutablePointer(to: &body) { reader in
            _ = unsafe MHD_get_connection_values_n(
                handle,
                .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let context = unsafe context, let name = unsafe name else { return .YES }
                    let reader = unsafe context.assumingMemoryBound(to: FieldReader.self)
                    unsafe reader.pointee.add(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value ?? name + nameSize, count: value == nil ? 0 : valueSize)
                    )
                    return .YES
                },
                reader
            )
        }
    }
}
