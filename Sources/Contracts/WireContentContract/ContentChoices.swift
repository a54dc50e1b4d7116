import WireBase
package import WireConfig
import WireHTTP

/// A language tag with an optional region (BCP 47): `en`, `en-US`.
package struct ContentLanguage: Sendable, Hashable {
    /// The tag.
    package let text: String
}

extension ContentLanguage: TextValue {
    package static var textForm: TextForm {
        TextForm("a language such as en-US", example: "en-US", pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    }

    package init(parsing text: String) throws(Misread) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isRight = parts.enumerated().allSatisfy { index, part in
            let size = part.utf8.count
            return index == 0
                ? (2...3).contains(size) && part.utf8.allSatisfy(\.isLetter)
                : (2...8).contains(size) && part.utf8.allSatisfy { $0.isLetter || $0.isDigit }
        }
        guard isRight else {
            let dashed = text.replacing("_", with: "-")
            throw dashed != text && (try? Self(parsing: dashed)) != nil
                ? Misread(help: "write \(dashed)", fix: dashed) : Misread()
        }
        self.init(text: text)
    }

    /// The tag.
    package var description: String { text }
}

/// The number of tags that content must match.
package enum SegmentationMode: String, Choice {
    case partial, total

    package var help: String {
        switch self {
        case .partial: "at least one tag"
        case .total: "all tags"
        }
    }
}

extension SegmentationMode: JSONWord, PlainCodable {
    package static var placeholder: Self { .partial }
}
