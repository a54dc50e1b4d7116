import _FoundationICU
import WireConfig
import WireFormattingContract
import WireService

extension Reader {
    /// The quantities, with the unit of their values.
    enum Quantity { case length, weight, temperature }

    func measure(_ value: Double, _ quantity: Quantity) -> String {
        let (unit, shown) = Self.unit(value, quantity, choices.units)
        let digits = choices.fractionDigits == 0 ? "." : "." + String(repeating: "#", count: choices.fractionDigits)
        let skeleton = "unit/\(unit) unit-width-short \(digits)" + (choices.groupsNumbers ? "" : " group-off")
        return MeasureText.text(shown, skeleton, choices.locale)
    }

    private static func unit(_ value: Double, _ quantity: Quantity, _ units: UnitSystem) -> (String, Double) {
        switch (quantity, units) {
        case (.length, .metric):
            switch value.magnitude {
            case 1_000...: ("kilometer", value / 1_000)
            case ..<1 where value != 0: ("centimeter", value * 100)
            default: ("meter", value)
            }
        case (.length, .imperial):
            value.magnitude >= 1_609.344 ? ("mile", value / 1_609.344) : ("foot", value / 0.3048)
        case (.weight, .metric): value.magnitude < 1 && value != 0 ? ("gram", value * 1_000) : ("kilogram", value)
        case (.weight, .imperial):
            value.magnitude < 0.45359237 && value != 0
                ? ("ounce", value / 0.028349523125) : ("pound", value / 0.45359237)
        case (.temperature, .metric): ("celsius", value)
        case (.temperature, .imperial): ("fahrenheit", value * 9 / 5 + 32)
        }
    }
}

/// Formats a number with its unit by a skeleton (Unicode TR35).
enum MeasureText {
    static func text(_ value: Double, _ skeleton: String, _ language: LanguageTag) -> String {
        var status = U_ZERO_ERROR
        let letters = Array(skeleton.utf16)
        let formatter = unsafe swift_unumf_openForSkeletonAndLocale(
            letters,
            Int32(letters.count),
            language.text,
            &status
        )
        let result = unsafe swift_unumf_openResult(&status)
        defer {
            unsafe swift_unumf_close(formatter)
            unsafe swift_unumf_closeResult(result)
        }
        unsafe swift_unumf_formatDouble(formatter, value, result, &status)
        return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 128) { buffer in
            let count = unsafe swift_unumf_resultToString(result, buffer.baseAddress, 128, &status)
            guard status.rawValue <= 0, (0...128).contains(count) else { return "\(value)" }
            return unsafe String(decoding: buffer[..<Int(count)], as: UTF16.self)
        }
    }
}
