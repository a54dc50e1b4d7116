import CMicroHTTPD
import WireHTTP

/// An answer in the library's own form.
@safe struct Reply: ~Copyable, @unchecked Sendable {
    // Sendable: the library counts who holds an answer under a lock of its own, and nobody changes it once it is made.
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe MHD_destroy_response(pointer) }

    /// Nil where memory is used up, or a field cannot be sent as it is.
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

    /// A body that the library asks for piece by piece.
    static func streamed(_ work: Work, _ exchange: LibraryExchange, _ fields: Fields, closing: Bool) -> Reply? {
        let context = unsafe Unmanaged.passRetained(StreamedBody(work, exchange))
        let made = unsafe MHD_create_response_from_callback(
            size(fields),
            16_384,
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

    /// How large a streamed body will be, where its fields say so; the library ends the connection where it is not.
    private static func size(_ fields: Fields) -> UInt64 {
        fields["Content-Length"].flatMap { UInt64($0) } ?? UInt64.max
    }

    /// The head of a body that is not sent, as a HEAD request wants it; where it tells no size, it ends the connection.
    ///
    /// Without the option the library sends the end of a chunked body after it, which the next answer would begin with.
    static func headOfStream(_ fields: Fields, closing: Bool) -> Reply? {
        let size = size(fields)
        let made = unsafe MHD_create_response_from_callback(
            size,
            1_024,
            { _, _, _, _ in LibraryExchange.endOfBody },
            nil,
            nil
        )
        guard let made = unsafe made else { return nil }
        if size == UInt64.max { unsafe corewire_answer_without_chunks(made) }
        return unsafe Reply(made).with(fields, closing: closing)
    }

    /// The head after which the connection is no longer the library's to read.
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
            // Not by letting the compiler make C strings of them, which are copies.
            let isAdded = unsafe field.name.withCString { name in
                unsafe field.value.withCString { value in unsafe MHD_add_response_header(pointer, name, value) == .YES }
            }
            guard isAdded else { return nil }
        }
        // Who names a protocol to go on in says so on the connection too (RFC 9110, section 7.8); of an upgrade the library
        // says so itself, and there are clients that refuse a field that says it twice.
        if !isUpgrade, fields["Upgrade"] != nil { unsafe MHD_add_response_header(pointer, "Connection", "Upgrade") }
        if closing { unsafe MHD_add_response_header(pointer, "Connection", "close") }
        return self
    }

    /// Fields that say how the message is framed, which the library alone decides.
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

/// What the library holds of a body that is written as it comes into being.
private final class StreamedBody: Sendable {
    let work: Work
    let exchange: LibraryExchange

    init(_ work: Work, _ exchange: LibraryExchange) {
        self.work = work
        self.exchange = exchange
    }
}

/// An answer the library has in its form already, for the next that is the same.
///
/// What is asked for again and again is mostly answered the same: made once, it costs the library a tenth.
final class KeptReply: Sendable {
    let reply: Reply
    private let fields: Fields
    private let bytes: [UInt8]

    private init(_ reply: consuming Reply, _ fields: Fields, _ bytes: [UInt8]) {
        self.reply = reply
        self.fields = fields
        self.bytes = bytes
    }

    /// What may be kept for each connection.
    private static let small = 1_024

    /// The one that was made for the same bytes and fields before, or a new one in its place.
    static func of(_ bytes: [UInt8], _ fields: Fields, keeping kept: inout KeptReply?) -> KeptReply? {
        guard bytes.count <= small else { return nil }
        if let kept, kept.bytes == bytes, kept.fields == fields { return kept }
        guard let reply = Reply.whole(bytes, fields, closing: false) else { return nil }
        let new = KeptReply(reply, fields, bytes)
        kept = new
        return new
    }

    /// The one that was made for these bytes and fields before, or a new one that is kept with them.
    static func of(_ shared: SharedBytes, _ fields: Fields) -> KeptReply? {
        if let kept = shared.keepsake as? KeptReply, kept.fields == fields { return kept }
        guard let reply = Reply.whole(shared.bytes, fields, closing: false) else { return nil }
        let kept = KeptReply(reply, fields, [])
        shared.keepsake = kept
        return kept
    }
}
