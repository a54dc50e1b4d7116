import CSDBus
import WireMessageBus

extension BusMessage {
    /// The largest nesting depth of values, in both directions.
    static let depthLimit = 32

    func append(_ values: [BusValue]) throws(BusFailure) {
        for value in values { try append(value, 0) }
    }

    private func append(_ value: BusValue, _ depth: Int) throws(BusFailure) {
        guard depth < Self.depthLimit else { throw BusFailure(.invalid, "values nest deeper than \(Self.depthLimit)") }
        switch value {
        case .byte(let number): try append("y", number)
        case .boolean(let flag): try append("b", CInt(flag ? 1 : 0))
        case .int16(let number): try append("n", number)
        case .uint16(let number): try append("q", number)
        case .int32(let number): try append("i", number)
        case .uint32(let number): try append("u", number)
        case .int64(let number): try append("x", number)
        case .uint64(let number): try append("t", number)
        case .double(let number): try append("d", number)
        case .string(let text): try append("s", text: text)
        case .path(let text): try append("o", text: text)
        case .signature(let text): try append("g", text: text)
        case .bytes(let bytes):
            let result = unsafe bytes.withUnsafeBytes { bytes in
                unsafe library.functions.sd_bus_message_append_array(
                    handle,
                    Self.letter("y"),
                    bytes.baseAddress,
                    bytes.count
                )
            }
            try Self.check(result, "bytes cannot be written")
        case .array(let elements, let element):
            try within("a", element) { () throws(BusFailure) in
                for value in elements { try append(value, depth + 1) }
            }
        case .dictionary(let entries, let entry):
            try within("a", "{\(entry)}") { () throws(BusFailure) in
                for item in entries {
                    try within("e", entry) { () throws(BusFailure) in
                        try append(item.key, depth + 1)
                        try append(item.value, depth + 1)
                    }
                }
            }
        case .structure(let members):
            // The library accepts this, and the bus then closes the connection.
            guard !members.isEmpty else { throw BusFailure(.invalid, "a structure is empty") }
            try within("r", members.signature) { () throws(BusFailure) in
                for value in members { try append(value, depth + 1) }
            }
        case .variant(let inner):
            try within("v", inner.signature) { () throws(BusFailure) in try append(inner, depth + 1) }
        }
    }

    private func append<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ number: Number) throws(BusFailure) {
        let result = unsafe withUnsafePointer(to: number) { number in
            unsafe library.functions.sd_bus_message_append_basic(handle, Self.letter(type), number)
        }
        try Self.check(result, "a value of the type '\(type)' cannot be written")
    }

    /// Appends a text, which the library validates except for the part after a NUL.
    private func append(_ type: Unicode.Scalar, text: String) throws(BusFailure) {
        guard !text.utf8.contains(0) else { throw BusFailure(.invalid, "a text contains NUL") }
        let result = unsafe text.withCString { text in
            unsafe library.functions.sd_bus_message_append_basic(handle, Self.letter(type), text)
        }
        try Self.check(result, "a text of the type '\(type)' cannot be written")
    }

    private func within(
        _ type: Unicode.Scalar,
        _ contents: String,
        _ write: () throws(BusFailure) -> Void
    ) throws(BusFailure) {
        let what = "a container of '\(contents)' cannot be written"
        try Self.check(
            unsafe library.functions.sd_bus_message_open_container(handle, Self.letter(type), contents),
            what
        )
        try write()
        try Self.check(unsafe library.functions.sd_bus_message_close_container(handle), what)
    }

    static func letter(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}
