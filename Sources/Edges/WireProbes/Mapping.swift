import WireBase
import WireSecurityContract

/// A line of /proc/self/maps.
struct Mapping {
    let addresses: Range<UInt>
    let isWritable: Bool
    let isExecutable: Bool
    let offset: Int
    let path: String
    let isDeleted: Bool

    static func all() throws(Fault) -> [Mapping] {
        let text = try KernelText.bytes(of: "/proc/self/maps")
        let mappings = text.split(separator: UInt8(ascii: "\n")).compactMap(Mapping.init)
        guard !mappings.isEmpty else { throw Fault("/proc/self/maps is empty") }
        return mappings
    }

    /// Reads `7f…-7f… r-xp 00026000 fe:00 1234   /usr/lib/libc.so.6`; the name may contain anything.
    ///
    /// As bytes, since every runner reads hundreds of lines at its start.
    private init?(_ line: ArraySlice<UInt8>) {
        var rest = line
        guard let begin = Self.number(&rest), rest.popFirst() == UInt8(ascii: "-"), let end = Self.number(&rest),
            begin < end
        else { return nil }
        let rights = Self.word(&rest)
        Self.skipSpaces(&rest)
        guard !rights.isEmpty, let offset = Self.number(&rest), !Self.word(&rest).isEmpty, !Self.word(&rest).isEmpty
        else { return nil }
        addresses = begin..<end
        isWritable = rights.contains(UInt8(ascii: "w"))
        isExecutable = rights.contains(UInt8(ascii: "x"))
        self.offset = Int(clamping: offset)
        Self.skipSpaces(&rest)
        isDeleted = rest.suffix(Self.mark.count).elementsEqual(Self.mark)
        path = String(decoding: isDeleted ? rest.dropLast(Self.mark.count) : rest, as: UTF8.self)
    }

    private static let mark = " (deleted)".utf8

    private static func skipSpaces(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
    }

    /// Returns the text up to the next space, after leading spaces.
    private static func word(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        skipSpaces(&rest)
        let word = rest.prefix { $0 != UInt8(ascii: " ") }
        rest = rest[word.endIndex...]
        return word
    }

    /// Reads hexadecimal digits; nil for none or too many.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt? {
        let first = rest.startIndex
        var number: UInt = 0
        while let byte = rest.first, let digit = Hexadecimal.value(of: byte) {
            guard number >> (UInt.bitWidth - 4) == 0 else { return nil }
            number = number << 4 | UInt(digit)
            rest.removeFirst()
        }
        return rest.startIndex > first ? number : nil
    }
}
