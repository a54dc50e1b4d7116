/// The reason for which a services document, or a value in it, cannot be read.
package struct MobileServicesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; more kinds may be added.
    package struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, badServices, noService, noValue, badValue, reference }

        private let kind: Kind

        /// The text is not JSON.
        package static let unreadable = Code(kind: .unreadable)
        /// The document is JSON and not a list of services.
        package static let badServices = Code(kind: .badServices)
        /// No service has the requested type.
        package static let noService = Code(kind: .noService)
        /// The service does not have the value.
        package static let noValue = Code(kind: .noValue)
        /// The value of the service is invalid.
        package static let badValue = Code(kind: .badValue)
        /// The value is a reference, which only a runner resolves.
        package static let reference = Code(kind: .reference)
    }

    /// The kind of failure.
    package let code: Code
    /// The place: `mobile-services.json:3:9`.
    package let location: String
    /// The problem in one phrase; never a secret.
    package let message: String

    package init(code: Code, location: String, message: String) {
        self.code = code
        self.location = location
        self.message = message
    }

    /// Place and message on one line.
    package var description: String { "\(location): \(message)" }
}
