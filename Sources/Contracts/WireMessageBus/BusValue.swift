/// A value of a D-Bus message (D-Bus Specification, "Type System").
package enum BusValue: Sendable, Equatable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    /// An object path.
    case path(String)
    case signature(String)
    /// `ay`.
    case bytes([UInt8])
    /// An array, with the signature of its elements.
    case array([BusValue], of: String)
    /// A dictionary, with the signatures of key and value: `sv`.
    case dictionary([Entry], of: String)
    case structure([BusValue])
    indirect case variant(BusValue)

    package struct Entry: Sendable, Equatable {
        package let key: BusValue
        package let value: BusValue

        package init(_ key: BusValue, _ value: BusValue) { (self.key, self.value) = (key, value) }
    }

    /// `as`.
    package static func strings(_ strings: [String]) -> BusValue { .array(strings.map(BusValue.string), of: "s") }

    /// `a{sv}`.
    package static func options(_ options: [(name: String, value: BusValue)]) -> BusValue {
        .dictionary(options.map { Entry(.string($0.name), .variant($0.value)) }, of: "sv")
    }

    /// The signature of the value, a single complete type.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(_, let element): "a\(element)"
        case .dictionary(_, let entry): "a{\(entry)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        }
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var number: UInt32? { if case .uint32(let number) = self { number } else { nil } }
    package var strings: [String]? {
        guard case .array(let elements, of: "s") = self else { return nil }
        return elements.compactMap(\.text)
    }
}

extension [BusValue] {
    /// The signature of a message with these values.
    package var signature: String { map(\.signature).joined() }
}
