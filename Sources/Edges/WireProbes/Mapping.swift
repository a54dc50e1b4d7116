import WireService

/// A line of /proc/self/maps.
struct Mapping {
    let addresses: Range<UInt>
    let isWritable: Bool
    let isExecutable: Bool
    let offset: Int
    let path: String
    let isDeleted: Bool

    static func all() throws(ProbeFailure) -> [Mapping] {
        let text = try KernelText.bytes(of: "/proc/self/maps")
        let mappings = text.split(separator: UInt8(ascii: "\n")).compactMap(Mapping.init)
        guard !mappings.isEmpty else { throw ProbeFailure("/proc/self/maps shows nothing") }
        return mappings
    }

    /// Reads `7f…-7f… r-xp 00026000 fe:00 1234   /usr/lib/libc.so.6`; the name may hold anything.
    ///
    /// As bytes: there are hundreds of lines, in the start path of every runner.
    private init?(_ line: ArraySlice<UInt8>) {
        let space = UInt8(ascii: " ")
        let fields = line.split(separator: space, maxSplits: 5)
        guard fields.count >= 5 else { return nil }
        let ends = fields[0].split(separator: UInt8(ascii: "-")).compactMap(Self.number)
        guard ends.count == 2, ends[0] < ends[1], let offset = Self.number(fields[2]) else { return nil }
        addresses = ends[0]..<ends[1]
        isWritable = fields[1].contains(UInt8(ascii: "w"))
        isExecutable = fields[1].contains(UInt8(ascii: "x"))
        self.offset = Int(clamping: offset)
        let name = fields.count == 6 ? fields[5].drop { $0 == space } : []
        isDeleted = name.suffix(Self.mark.count).elementsEqual(Self.mark)
        path = String(decoding: isDeleted ? name.dropLast(Self.mark.count) : name, as: UTF8.self)
    }

    private static let mark = " (deleted)".utf8

    /// Of hexadecimal digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt? {
        UInt(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
