import WireBase
import WireConfig
import WireHTTP

/// A file to serve: a number of bytes in one state, readable at any offset.
protocol ServedFile: Sendable {
    var size: Int { get }
    /// The entity tag, which differs whenever a byte of the file does.
    var tag: EntityTag { get }
    /// In milliseconds since 1970.
    var modified: Int64 { get }
    var type: String { get }
    /// Returns at most `count` bytes from an offset; none at the end.
    func read(at offset: Int, upTo count: Int) throws -> [UInt8]
}

/// A file of the declared folder.
struct FolderFile: ServedFile {
    let file: OpenFile
    let type: String

    var size: Int { file.size }
    var tag: EntityTag { EntityTag(file.version) }
    var modified: Int64 { file.modified }
    func read(at offset: Int, upTo count: Int) throws -> [UInt8] { try file.read(at: offset, upTo: count) }
}

/// A generated file: its bytes depend on its size and a seed only, so that clients can verify a download.
///
/// Each eight bytes at an offset divisible by eight are the SplitMix64 value of the seed and the offset, least
/// significant byte first.
struct GeneratedFile: ServedFile {
    static let largest = 1 << 40

    let size: Int
    let seed: Int

    var tag: EntityTag { EntityTag("generated-\(size)-\(seed)") }
    /// The first day of 2024; generated files never change.
    let modified: Int64 = 1_704_067_200_000
    let type = "application/octet-stream"

    func read(at offset: Int, upTo count: Int) -> [UInt8] {
        let end = min(size, offset + count)
        guard offset < end else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end - offset + 16)
        var word = offset / 8
        let skipped = offset % 8
        while bytes.count < end - offset + skipped {
            var value = SplitMix.value(of: UInt64(bitPattern: Int64(seed)), at: UInt64(word))
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: value))
                value >>= 8
            }
            word += 1
        }
        return Array(bytes[skipped..<skipped + end - offset])
    }
}

/// The pseudorandom numbers of a seed (SplitMix64).
enum SplitMix {
    private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

    /// The number at an index of the sequence of a seed.
    static func value(of seed: UInt64, at index: UInt64) -> UInt64 {
        var bits = seed &+ (index &+ 1) &* step
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// The number as a fraction from 0 to 1, of its upper 53 bits.
    static func part(of seed: UInt64, at index: UInt64) -> Double {
        Double(value(of: seed, at: index) >> 11) / Double(1 << 53)
    }
}
