import WireBase
import WireConfig
import WireCrypto
import WireSecrets
import WireStore

/// Writes an exported store line by line; the last line has a digest of all others, sealed with the key of the store.
struct StoreFileWriter {
    private let digest: any RunningDigest
    private let sealer: any Sealer
    private let output: any ByteOutput
    private(set) var counts = StoreRowCounts()

    init(_ header: StoreFileHeader, sealer: any Sealer, to output: any ByteOutput)
        throws(Fault)
    {
        digest = try OpenSSLSecrecy().begin()
        (self.sealer, self.output) = (sealer, output)
        try write(header.json)
    }

    mutating func write(_ rows: [StoreRow]) throws(Fault) {
        for row in rows {
            try write(row.json)
            counts.add(row)
        }
    }

    func end() throws(Fault) {
        guard let sum = digest.value?.bytes else { throw Fault("the digest failed") }
        try write(StoreFileSeal(of: sum, by: sealer).json)
    }

    private func write(_ json: JSONValue) throws(Fault) {
        let line = json.bytes() + [UInt8(ascii: "\n")]
        digest.add(line)
        try output.write(line)
    }
}

/// The last line of an exported store.
struct StoreFileSeal {
    private static let place = "export"
    let json: JSONValue

    init(of sum: [UInt8], by sealer: any Sealer) throws(Fault) {
        do throws(StoreFailure) {
            let seal = try sealer.seal(sum, for: Self.place)
            json = .members(["end": .members(["seal": .string(Base64.text(of: seal))])])
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// Throws where the lines before have another digest.
    static func check(_ line: StoreFileLine, of sum: [UInt8], by sealer: any Sealer) throws(Fault) {
        guard let seal = try line.inner("end")?.bytes("seal") else { throw line.unexpected }
        let found: [UInt8]
        do throws(StoreFailure) { found = try sealer.open(seal, for: place) } catch {
            guard error.kind == .corrupt else { throw Fault(error.reason, help: error.help) }
            throw changed
        }
        guard found == sum else { throw changed }
    }

    static let changed = Fault("it was changed after the export", help: "use an unchanged copy of the file")
}

/// The number of rows by kind.
package struct StoreRowCounts: Sendable, Equatable {
    package private(set) var values = 0
    package private(set) var items = 0
    package private(set) var results = 0
    package private(set) var pauses = 0

    mutating func add(_ row: StoreRow) {
        switch row {
        case .entry: values += 1
        case .item: items += 1
        case .ended: results += 1
        case .pause: pauses += 1
        }
    }

    package var all: Int { values + items + results + pauses }
}
