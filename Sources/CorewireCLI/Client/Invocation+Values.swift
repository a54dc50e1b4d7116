import WireBase
import WireConfig
import WireHTTP

extension Invocation {
    /// Parses an argument that is one of several words.
    func word<Word: PlainCodable>(_ text: String, argument: String) throws(UsageError) -> Word {
        do throws(JSONMismatch) { return try Word.read(plain: text) } catch {
            throw UsageError("<\(argument)>: \(error.detail)", for: path)
        }
    }

    /// Parses a duration.
    package func duration(_ text: String, option: String) throws -> Duration {
        do {
            return try Duration(parsing: text)
        } catch {
            throw UsageError("--\(option) takes a duration such as 30s, not \(text.quoted)", for: path)
        }
    }

    /// Parses a number in a range.
    package func count(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = option(name) else { return nil }
        guard let value = Int(text), range.contains(value), !text.hasPrefix("+") else {
            throw UsageError(
                "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text.quoted)",
                for: path
            )
        }
        return value
    }
}
