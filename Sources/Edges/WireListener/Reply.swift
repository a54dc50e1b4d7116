import CMicroHTTPD
import WireHTTP

/// A response in the library's form.
@safe struct Reply: ~Copyable, @unchecked Sendable {
    // Sendable: the library counts references under its own lock, and a response is immutable once created.
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe MHD_destroy_response(pointer) }

    /// Nil without memory, or for an invalid field.
    static func whole(_ bytes: [UInt8], _ fields: Fields, closing: Bool) -> Reply? {
        let made = unsafe bytes.withUnsafeBytes { buffer in
            unsafe MHD_create_response_from_buffer(
                buffer.count,
                UnsafeMutableRawPointer(mutating: buffer.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let made = unsafe made else { return nil }
        return unsafe Reply(made).with(fields, closing: closing)
    }

    /// Creates a response whose body the library requests piece by piece.
    static func streamed(_ work: RequestTask, _ exchange: MHDConnection, _ fields: Fields, closing: Bool) -> Reply? {
        let context = unsafe Unmanaged.passRetained(StreamedBody(work, exchange))
        let size = size(fields)
        let made = unsafe MHD_create_response_from_callback(
            size,
            // The library keeps the buffer for as long as the response: much for one of many streams of events.
            size != UInt64.max && size >= largeBody ? 65_536 : 16_384,
            { context, _, buffer, capacity in
                guard let context = unsafe context, let buffer = unsafe buffer else { return -2 }
                let body = unsafe Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue()
                return unsafe body.work.fill(
                    UnsafeMutableRawBufferPointer(start: buffer, count: capacity),
                    body.exchange
                )
            },
            context.toOpaque(),
            { context in
                if let context = unsafe context { unsafe Unmanaged<StreamedBody>.fromOpaque(context).release() }
            }
        )
        guard let made = unsafe made else {
            unsafe context.release()
            return nil
        }
        return unsafe Reply(made).with(fields, closing: closing)
    }

    private static let largeBody: UInt64 = 262_144

    /// Returns the size of a streamed body from its fields; the library closes the connection if the body differs.
    private static func size(_ fields: Fields) -> UInt64 {
        fields["Content-Length"].flatMap { UInt64($0) } ?? UInt64.max
    }

    /// Creates the response to a HEAD request; without a size it closes the connection.
    ///
    /// Without this option the library sends the end of a chunked body, which would precede the next response.
    static func headOfStream(_ fields: Fields, closing: Bool) -> Reply? {
        let size = size(fields)
        let made = unsafe MHD_create_response_from_callback(
            size,
            1_024,
            { _, _, _, _ in MHDConnection.endOfBody },
            nil,
            nil
        )
        guard let made = unsafe made else { return nil }
        if size == UInt64.max { unsafe corewire_answer_without_chunks(made) }
        return unsafe Reply(made).with(fields, closing: closing)
    }

    /// Creates a response after which the library no longer reads the connection.
    static func upgrading(_ fields: Fields) -> Reply? {
        let made = unsafe MHD_create_response_for_upgrade(
            { unsafe Callbacks.upgraded($1, $3, $4, $6) },
            nil
        )
        guard let made = unsafe made else { return nil }
        return unsafe Reply(made).with(fields, closing: false, isUpgrade: true)
    }

    private consuming func with(_ fields: Fields, closing: Bool, isUpgrade: Bool = false) -> Reply? {
        for field in fields.all where !Self.isLibrarys(field.name) {
            // Avoids the compiler's C strings, which are copies.
            let isAdded = unsafe field.name.withCString { name in
                unsafe field.value.withCString { value in unsafe MHD_add_response_header(pointer, name, value) == .YES }
            }
            guard isAdded else { return nil }
        }
        // A response with Upgrade also needs it in Connection (RFC 9110, section 7.8); for an upgrade the library
        // adds that itself, and some clients refuse a duplicate.
        if !isUpgrade, fields["Upgrade"] != nil { unsafe MHD_add_response_header(pointer, "Connection", "Upgrade") }
        if closing { unsafe MHD_add_response_header(pointer, "Connection", "close") }
        return self
    }

    /// Whether a field concerns message framing, which the library controls.
    private static func isLibrarys(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.isSameField(as: "Date")
        case 10: name.isSameField(as: "Connection")
        case 14: name.isSameField(as: "Content-Length")
        case 17: name.isSameField(as: "Transfer-Encoding")
        default: false
        }
    }
}

/// The state of a streamed body, held by the library.
private final class StreamedBody: Sendable {
    let work: RequestTask
    let exchange: MHDConnection

    init(_ work: RequestTask, _ exchange: MHDConnection) {
        self.work = work
        self.exchange = exchange
    }
}

/// A response in the library's form, kept for reuse.
///
/// Repeated requests mostly get the same response; reusing it costs the library a tenth.
final class CachedReply: Sendable {
    let reply: Reply
    private let fields: Fields
    private let bytes: [UInt8]

    private init(_ reply: consuming Reply, _ fields: Fields, _ bytes: [UInt8]) {
        self.reply = reply
        self.fields = fields
        self.bytes = bytes
    }

    /// The largest body that is kept for each connection.
    private static let small = 1_024

    /// Returns the kept response if bytes and fields are the same, and otherwise a new one in its place.
    static func of(_ bytes: [UInt8], _ fields: Fields, keeping kept: inout CachedReply?) -> CachedReply? {
        guard bytes.count <= small else { return nil }
        if let kept, kept.bytes == bytes, kept.fields == fields { return kept }
        guard let reply = Reply.whole(bytes, fields, closing: false) else { return nil }
        let new = CachedReply(reply, fields, bytes)
        kept = new
        return new
    }

    /// Returns the kept response for these bytes and fields, or a new one.
    static func of(_ shared: SharedBytes, _ fields: Fields) -> CachedReply? {
        if let kept = shared.keepsake as? CachedReply, kept.fields == fields { return kept }
        guard let reply = Reply.whole(shared.bytes, fields, closing: false) else { return nil }
        let kept = CachedReply(reply, fields, [])
        shared.keepsake = kept
        return kept
    }
}
