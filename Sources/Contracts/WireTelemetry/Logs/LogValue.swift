package import WireBase

/// A value that may be logged: there is none that takes a secret.
package enum LogValue: Sendable, Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case duration(Duration)

    /// A key of the services file and where it is written: `auth.url (mobile-services.yaml:12:3)`.
    package static func place(_ key: String, _ place: SourceRange) -> Self {
        .text("\(key) (\(place.file.name):\(place.start.line):\(place.start.column))")
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
