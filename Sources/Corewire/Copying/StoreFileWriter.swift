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
