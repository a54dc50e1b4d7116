import WireBase

/// The format of a GraphQL response, negotiated by `Accept` (RFC 9110, section 12.5.1).
package enum ResponseForm: Sendable, CaseIterable {
    case graphQLResponse, json, eventStream

    /// The media type without parameters.
    package var mediaType: String {
        switch self {
        case .graphQLResponse: "application/graphql-response+json"
        case .json: "application/json"
        case .eventStream: "text/event-stream"
        }
    }

    /// The value of `Content-Type`.
    package var contentType: String { self == .eventStream ? mediaType : "\(mediaType); charset=utf-8" }

    /// The formats for queries and mutations; the first is the default.
    package static let ofAnswers: [ResponseForm] = [.json, .graphQLResponse, .eventStream]
    /// The formats for subscriptions.
    package static let ofSubscriptions: [ResponseForm] = [.eventStream]

    /// The format the caller prefers by its `Accept` fields; nil where it accepts none (406).
    ///
    /// With equal weights, a named format precedes one that a wildcard covers, and `application/graphql-response+json`
    /// precedes `application/json` when both are named.
    package static func choose(accept lines: [String], from offered: [ResponseForm] = ofAnswers) -> ResponseForm? {
        let ranges = lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.prefix(mostRanges)
            .compactMap(AcceptedRange.init)
        guard !ranges.isEmpty else { return lines.allSatisfy(\.isEmpty) ? offered.first : nil }
        var best: (form: ResponseForm, rank: (Int, Int, Int))?
        for (index, form) in offered.enumerated() {
            let matching = ranges.filter { $0.covers(form.mediaType) }
            guard let range = matching.max(by: { $0.precision < $1.precision }), range.quality > 0 else { continue }
            let isNamed = range.precision == 2
            let liking = isNamed && form == .graphQLResponse ? 1 : -index
            let rank = (range.quality, range.precision, liking)
            if let found = best, found.rank >= rank { continue }
            best = (form, rank)
        }
        return best?.form
    }

    private static let mostRanges = 64
}

/// The result of a request, for the status of its response.
package enum RequestOutcome: Sendable, CaseIterable {
    /// The body or the parameters are malformed.
    case malformed
    /// The document, the operation or the variables were rejected before the execution; there is no `data`.
    case refused
    /// The operation was executed; there is `data`, possibly null, and there may be errors.
    case executed
    /// A mutation or a subscription by GET.
    case wrongMethod
    /// The media type of the body is not supported.
    case wrongType
    /// The caller accepts none of the formats.
    case notAcceptable

    /// The status code of the response (GraphQL over HTTP, section "Status Codes").
    package func status(in form: ResponseForm) -> Int {
        switch self {
        case .malformed: 400
        case .refused: form == .graphQLResponse ? 400 : 200
        case .executed: 200
        case .wrongMethod: 405
        case .wrongType: 415
        case .notAcceptable: 406
        }
    }
}

/// One member of an `Accept` field.
private struct AcceptedRange {
    let pattern: String
    /// The weight in thousandths.
    let quality: Int

    /// Parses a member; nil where it is invalid, or requires an unsupported charset.
    init?(_ bytes: Substring.UTF8View) {
        let parts = bytes.split(separator: UInt8(ascii: ";")).map { Substring($0).trimmed.lowercased() }
        guard let pattern = parts.first, pattern.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 1 else { return nil }
        var quality = 1_000
        for part in parts.dropFirst() {
            if part.hasPrefix("q=") {
                guard let read = Self.thousandths(part.dropFirst(2)) else { return nil }
                quality = read
            } else if part.hasPrefix("charset=") {
                let charset = part.dropFirst(8).filter { $0 != "\"" }
                guard charset == "utf-8" || charset == "utf8" else { return nil }
            }
        }
        (self.pattern, self.quality) = (pattern, quality)
    }

    /// Parses `0`, `1` and up to three decimal places.
    private static func thousandths(_ text: Substring) -> Int? {
        guard let value = Double(text), (0...1).contains(value), text.utf8.count <= 5 else { return nil }
        return Int((value * 1_000).rounded())
    }

    /// The specificity: 2 for a type, 1 for a wildcard subtype, 0 for `*/*`.
    var precision: Int { pattern == "*/*" ? 0 : pattern.hasSuffix("/*") ? 1 : 2 }

    func covers(_ type: String) -> Bool {
        switch precision {
        case 0: true
        case 1: type.hasPrefix(pattern.dropLast())
        default: type == pattern
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let space: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = lastIndex(where: { !space($0) }) else { return "" }
        return self[...last].drop(while: space)
    }
}
