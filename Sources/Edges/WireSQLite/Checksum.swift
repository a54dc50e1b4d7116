/// Detects damaged bytes: any number of flipped bits in one word is always noticed.
///
/// Sealed bytes are authenticated and need no checksum. The checksum does not protect against writers of the file,
/// who can write it as well.
enum Checksum {
    /// Returns the checksum of a value and its context, as stored in the file.
    static func of(_ texts: [String], _ values: [[UInt8]]) -> Int64 {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        for text in texts { add(Array(text.utf8), to: &state) }
        for value in values { add(value, to: &state) }
        return Int64(bitPattern: state)
    }

    /// Each step maps two different states to two different states.
    private static func add(_ bytes: [UInt8], to state: inout UInt64) {
        mix(UInt64(bytes.count), into: &state)
        unsafe bytes.withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                mix(UInt64(littleEndian: word), into: &state)
                place += 8
            }
            var rest: UInt64 = 0
            while place < bytes.count {
                rest = rest << 8 | UInt64(unsafe bytes[place])
                place += 1
            }
            mix(rest, into: &state)
        }
    }

    private static func mix(_ word: UInt64, into state: inout UInt64) {
        state = (state ^ word) &* 0xff51_afd7_ed55_8ccd
        state ^= state >> 32
    }
}
