import CMicroHTTPD
import WireHTTP

/// The library's side of the request that a connection is busy with.
@safe struct LibraryExchange: @unchecked Sendable {
    // Sendable: the only call made from other threads is resuming, which the library allows from any; and it is made
    // only for a connection that is suspended, which the library keeps for as long.
    private let handle: OpaquePointer
    private let lane: Lane

    init(_ handle: OpaquePointer, _ lane: Lane) {
        unsafe self.handle = handle
        self.lane = lane
    }

    /// Stops the library's work on the connection until it is resumed.
    func suspend() {
        unsafe MHD_suspend_connection(handle)
    }

    func resume() {
        unsafe MHD_resume_connection(handle)
        lane.call()
    }

    /// Gives the library the answer; from a callback only.
    func queue(_ status: Status, _ reply: borrowing Reply) -> Bool {
        unsafe LibraryRefusals.queue(handle, UInt32(clamping: status.code), reply.pointer) == .YES
    }

    /// What a body tells the library in place of a number of bytes.
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
                    unsafe reader.pointee.take(
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
