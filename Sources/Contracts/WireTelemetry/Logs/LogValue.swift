package import WireBase

/// A loggable value; there is no case for secrets.
package enum LogValue: Sendable, Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case duration(Duration)

    /// A key of the services file with its location: `auth.url (mobile-services.yaml:12:3)`.
    package static func place(_ key: String, _ place: SourceRange) -> Self {
        .text("\(key) (\(place.file.name):\(place.start.line):\(place.start.column))")
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
