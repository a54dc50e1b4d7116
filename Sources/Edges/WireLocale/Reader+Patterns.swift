import _FoundationICU
import FoundationEssentials
import WireConfig
import WireFormattingContract
import WireService

extension Reader {
    /// Formats a time by a pattern of Unicode TR35; nil where ICU refuses the pattern.
    func moment(_ date: Date, by pattern: DatePattern) -> String? {
        var status = U_ZERO_ERROR
        let (letters, zone) = (Array(pattern.text.utf16), Array(choices.timeZone.text.utf16))
        let formatter = unsafe swift_udat_open(
            UDAT_PATTERN,
            UDAT_PATTERN,
            choices.locale.text + "-u-ca-gregory",
            zone,
            Int32(zone.count),
            letters,
            Int32(letters.count),
            &status
        )
        defer { unsafe swift_udat_close(formatter) }
        guard status.rawValue <= 0 else { return nil }
        // Each letter of a pattern yields at most the name of a month, a day or a zone.
        return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 64 * (letters.count + 1)) { buffer in
            let (room, moment) = (Int32(buffer.count), date.timeIntervalSince1970 * 1_000)
            let count = unsafe swift_udat_format(formatter, moment, buffer.baseAddress, room, nil, &status)
            guard status.rawValue <= 0, (0...room).contains(count) else { return nil }
            return unsafe String(decoding: buffer[..<Int(count)], as: UTF16.self)
        }
    }
}
