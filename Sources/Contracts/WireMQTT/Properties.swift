/// The properties of a packet, in order.
package struct Properties: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case number(UInt32)
        case text(String)
        case data([UInt8])
        case pair(String, String)
    }

    struct Item: Sendable, Equatable {
        let property: Property
        let value: Value
    }

    private(set) var items: [Item] = []

    /// The maximum number of properties of a packet.
    private static let most = 1_000

    package init() {}

    package var isEmpty: Bool { items.isEmpty }

    /// A number; setting it replaces it, and a value out of range is ignored.
    package subscript(number property: Property) -> UInt32? {
        get { if case .number(let number)? = value(of: property) { number } else { nil } }
        set { set(property, newValue.flatMap { property.range.contains($0) ? .number($0) : nil }) }
    }

    package subscript(text property: Property) -> String? {
        get { if case .text(let text)? = value(of: property) { text } else { nil } }
        set { set(property, newValue.map(Value.text)) }
    }

    package subscript(data property: Property) -> [UInt8]? {
        get { if case .data(let data)? = value(of: property) { data } else { nil } }
        set { set(property, newValue.map(Value.data)) }
    }

    /// The first user property with a name.
    package func user(_ name: String) -> String? { userProperties.first { $0.name == name }?.value }

    package var userProperties: [(name: String, value: String)] {
        items.compactMap { if case .pair(let name, let value) = $0.value { (name, value) } else { nil } }
    }

    package mutating func addUser(_ name: String, _ value: String) {
        items.append(Item(property: .userProperty, value: .pair(name, value)))
    }

    /// All numbers of a property that may repeat.
    package func numbers(of property: Property) -> [UInt32] {
        items.compactMap { item in
            if item.property == property, case .number(let number) = item.value { number } else { nil }
        }
    }

    /// Adds a number of a property that may repeat; a value out of range is ignored.
    package mutating func add(_ number: UInt32, as property: Property) {
        if property.range.contains(number) { items.append(Item(property: property, value: .number(number))) }
    }

    /// The properties of a message that a server passes on unchanged (section 3.3.2.3).
    package var ofMessage: Properties {
        var left = Properties()
        left.items = items.filter { Self.ofMessage.contains($0.property) }
        return left
    }

    private static let ofMessage: Set<Property> = [
        .payloadFormat, .contentType, .responseTopic, .correlationData, .userProperty,
    ]

    private func value(of property: Property) -> Value? { items.first { $0.property == property }?.value }

    private mutating func set(_ property: Property, _ value: Value?) {
        items.removeAll { $0.property == property }
        if let value { items.append(Item(property: property, value: value)) }
    }
}

extension Properties {
    /// Reads the properties with their length; those that may not stand there are an error.
    init(_ reader: inout FieldReader, at place: PropertyPlace) throws(PacketError) {
        var fields = try reader.part(Int(try reader.variable()))
        let allowed = place.allowed
        while !fields.isAtEnd {
            guard let property = Property(rawValue: try fields.byte()), allowed.contains(property) else {
                throw .malformed("a property does not belong to its packet")
            }
            guard property.mayRepeat || value(of: property) == nil else {
                throw .invalid("a property is repeated")
            }
            guard items.count < Self.most else { throw .malformed("more than \(Self.most) properties") }
            items.append(Item(property: property, value: try Self.value(of: property, &fields)))
        }
    }

    private static func value(of property: Property, _ fields: inout FieldReader) throws(PacketError) -> Value {
        let number: UInt32
        switch property.form {
        case .byte: number = UInt32(try fields.byte())
        case .two: number = UInt32(try fields.two())
        case .four: number = try fields.four()
        case .variable: number = try fields.variable()
        case .text: return .text(try fields.text())
        case .data: return .data(try fields.data())
        case .pair: return .pair(try fields.text(), try fields.text())
        }
        guard property.range.contains(number) else { throw .invalid("a property is out of its range") }
        return .number(number)
    }

    func write(to writer: inout FieldWriter) throws(PacketError) {
        var fields = FieldWriter()
        for item in items {
            fields.add(item.property.rawValue)
            switch item.value {
            case .number(let number):
                switch item.property.form {
                case .byte: fields.add(UInt8(truncatingIfNeeded: number))
                case .two: fields.add(UInt16(truncatingIfNeeded: number))
                case .four: fields.add(number)
                default: try fields.add(variable: Int(number))
                }
            case .text(let text): try fields.add(text: text)
            case .data(let data): try fields.add(data: data)
            case .pair(let name, let value):
                try fields.add(text: name)
                try fields.add(text: value)
            }
        }
        try writer.add(variable: fields.bytes.count)
        writer.add(fields.bytes)
    }
}
