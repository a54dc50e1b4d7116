import CSDBus
import Glibc
import WireBase
import WireMessageBus

extension BusMessage {
    /// What may be read of a message.
    struct Allowance {
        /// A text or an array of bytes counts as one value.
        private var values: Int
        /// The bytes of texts, signatures and arrays of bytes.
        private var bytes: Int
        private let most: (values: Int, bytes: ByteCount)

        private init(_ values: Int, _ bytes: ByteCount) {
            (self.values, self.bytes, most) = (values, Int(bytes.bytes), (values, bytes))
        }

        /// Of replies to calls of this side.
        static let ofReplies = Self(100_000, .mebibytes(1))
        /// Of what other programs send as they like, which is kept until it is read.
        static let ofOthers = Self(256, .kibibytes(64))

        mutating func takeValue() throws(BusFailure) {
            values -= 1
            guard values >= 0 else { throw BusFailure(.invalid, "a message has more than \(most.values) values") }
        }

        mutating func take(_ count: Int) throws(BusFailure) {
            bytes -= count
            guard bytes >= 0 else { throw BusFailure(.invalid, "a message has more than \(most.bytes)") }
        }
    }

    /// Returns all values of the message.
    func values(upTo limit: Allowance) throws(BusFailure) -> [BusValue] {
        var left = limit
        return try rest(&left, 0)
    }

    private func rest(_ left: inout Allowance, _ depth: Int) throws(BusFailure) -> [BusValue] {
        guard depth < Self.depthLimit else { throw BusFailure(.invalid, "values nest deeper than \(Self.depthLimit)") }
        var values: [BusValue] = []
        while let (type, contents) = try next(&left) {
            values.append(try value(type, contents, &left, depth))
        }
        return values
    }

    /// Returns the type of the next value, with its contents for a container; nil at the end.
    private func next(_ left: inout Allowance) throws(BusFailure) -> (type: Unicode.Scalar, contents: String)? {
        var (type, contents): (CChar, UnsafePointer<CChar>?) = (0, nil)
        let result = unsafe library.functions.sd_bus_message_peek_type(handle, &type, &contents)
        try Self.check(result, "a message cannot be read")
        guard result > 0, let letter = Unicode.Scalar(UInt32(UInt8(bitPattern: type))) else { return nil }
        try left.takeValue()
        guard let contents = unsafe contents else { return (letter, "") }
        try left.take(unsafe strlen(contents))
        return (letter, unsafe String(cString: contents))
    }

    private func value(
        _ type: Unicode.Scalar,
        _ contents: String,
        _ left: inout Allowance,
        _ depth: Int
    ) throws(BusFailure) -> BusValue {
        switch type {
        case "y": return .byte(try number(type, UInt8(0)))
        case "b": return .boolean(try number(type, CInt(0)) != 0)
        case "n": return .int16(try number(type, Int16(0)))
        case "q": return .uint16(try number(type, UInt16(0)))
        case "i": return .int32(try number(type, Int32(0)))
        case "u": return .uint32(try number(type, UInt32(0)))
        case "x": return .int64(try number(type, Int64(0)))
        case "t": return .uint64(try number(type, UInt64(0)))
        case "d": return .double(try number(type, Double(0)))
        case "s": return .string(try text(type, &left))
        case "o": return .path(try text(type, &left))
        case "g": return .signature(try text(type, &left))
        case "a" where contents == "y": return .bytes(try bytes(&left))
        case "a" where contents.hasPrefix("{"):
            try enter(type, contents)
            var entries: [BusValue.Entry] = []
            while let (inner, pair) = try next(&left) {
                try enter(inner, pair)
                let values = try rest(&left, depth + 1)
                try leave()
                guard values.count == 2 else { throw BusFailure(.invalid, "an entry has \(values.count) values") }
                entries.append(.init(values[0], values[1]))
            }
            try leave()
            return .dictionary(entries, of: String(contents.dropFirst().dropLast()))
        case "a", "r", "v":
            try enter(type, contents)
            let values = try rest(&left, depth + 1)
            try leave()
            if type == "a" { return .array(values, of: contents) }
            if type == "r" { return .structure(values) }
            guard let value = values.first else { throw BusFailure(.invalid, "a variant is empty") }
            return .variant(value)
        // Descriptors are not negotiated, and so never sent.
        default: throw BusFailure(.invalid, "a message has a value of the type '\(type)', which is not supported")
        }
    }

    private func number<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ zero: Number) throws(BusFailure) -> Number {
        var number = zero
        let result = unsafe withUnsafeMutablePointer(to: &number) { number in
            unsafe library.functions.sd_bus_message_read_basic(handle, Self.letter(type), number)
        }
        try Self.check(result, "a value of the type '\(type)' cannot be read")
        return number
    }

    private func text(_ type: Unicode.Scalar, _ left: inout Allowance) throws(BusFailure) -> String {
        var text: UnsafePointer<CChar>?
        let result = unsafe withUnsafeMutablePointer(to: &text) { text in
            unsafe library.functions.sd_bus_message_read_basic(handle, Self.letter(type), text)
        }
        try Self.check(result, "a text of the type '\(type)' cannot be read")
        guard let text = unsafe text else { return "" }
        try left.take(unsafe strlen(text))
        return unsafe String(cString: text)
    }

    private func bytes(_ left: inout Allowance) throws(BusFailure) -> [UInt8] {
        var (start, count): (UnsafeRawPointer?, Int) = (nil, 0)
        let result = unsafe library.functions.sd_bus_message_read_array(handle, Self.letter("y"), &start, &count)
        try Self.check(result, "bytes cannot be read")
        try left.take(count)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func enter(_ type: Unicode.Scalar, _ contents: String) throws(BusFailure) {
        let result = unsafe library.functions.sd_bus_message_enter_container(handle, Self.letter(type), contents)
        try Self.check(result, "a container of '\(contents)' cannot be read")
    }

    private func leave() throws(BusFailure) {
        try Self.check(unsafe library.functions.sd_bus_message_exit_container(handle), "a container cannot be read")
    }
}
