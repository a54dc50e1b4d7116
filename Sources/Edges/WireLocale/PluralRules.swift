import WireConfig
import WireService
import _FoundationICU

/// The plural rules of languages, which Swift's styles do not have.
enum PluralRules {
    static func category(of number: Double, in language: LanguageTag) -> PluralWords.Category {
        var status = U_ZERO_ERROR
        guard let rules = unsafe swift_uplrules_open(language.text, &status), status.rawValue <= 0 else {
            return .other
        }
        defer { unsafe swift_uplrules_close(rules) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 16) { buffer in
            let count = unsafe swift_uplrules_select(rules, number, buffer.baseAddress, 16, &status)
            guard status.rawValue <= 0, (1...16).contains(count) else { return .other }
            let word = unsafe String(decoding: buffer[..<Int(count)], as: UTF16.self)
            return PluralWords.Category(rawValue: word) ?? .other
        }
    }
}
