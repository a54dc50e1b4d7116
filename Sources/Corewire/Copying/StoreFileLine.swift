import WireBase
import WireConfig

/// A line of an exported store: a JSON object whose members have the expected types.
struct StoreFileLine {
    let json: JSONValue
    let number: Int

    init(_ bytes: [UInt8], _ number: Int) throws(Fault) {
        self.number = number
        do throws(Unreadable) {
            json = try JSONValue(parsing: bytes, named: "line \(number)", limits: Self.limits)
        } catch {
            throw Fault("line \(number) is not JSON", help: StoreFileSeal.changed.help)
        }
    }

    private init(_ json: JSONValue, _ number: Int) { (self.json, self.number) = (json, number) }

    /// The greatest size of a line: a value, an item or a note in base64.
    static let size = ByteCount.mebibytes(100)

    private static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        (limits.fileSize, limits.scalarLength, limits.depth, limits.nodes) = (size, size, 4, 100)
        return limits
    }()

    /// The object in a member; nil where there is none.
    func inner(_ name: String) -> StoreFileLine? { json[name].map { StoreFileLine($0, number) } }

    var unexpected: Fault { Fault("line \(number) is not a line of a store", help: StoreFileSeal.changed.help) }

    func optionalText(_ name: String) throws(Fault) -> String? { try optional(name, \.string) }
    func text(_ name: String) throws(Fault) -> String { try required(try optionalText(name)) }
    func texts(_ name: String) throws(Fault) -> [String] {
        try required(try optional(name, \.array)).map { (text) throws(Fault) in try required(text.string) }
    }
    func flag(_ name: String) throws(Fault) -> Bool { try required(try optional(name, \.boolean)) }
    func optionalInteger(_ name: String) throws(Fault) -> Int64? { try optional(name, \.integer).map { Int64($0) } }
    func integer(_ name: String) throws(Fault) -> Int64 { try required(try optionalInteger(name)) }

    /// A number that is not negative.
    func count(_ name: String) throws(Fault) -> Int {
        let number = try integer(name)
        guard number >= 0 else { throw unexpected }
        return Int(number)
    }

    func bytes(_ name: String) throws(Fault) -> [UInt8] { try required(Base64.bytes(of: try text(name))) }

    private func optional<Value>(_ name: String, _ value: (JSONValue) -> Value?) throws(Fault) -> Value? {
        guard let member = json[name] else { return nil }
        return try required(value(member))
    }

    private func required<Value>(_ value: Value?) throws(Fault) -> Value {
        guard let value else { throw unexpected }
        return value
    }
}
