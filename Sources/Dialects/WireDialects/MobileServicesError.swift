/// Why a services document, or a value in it, cannot be had.
package struct MobileServicesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; more kinds may be added.
    package struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, badServices, noService, noValue, badValue, reference }

        private let kind: Kind

        /// The text is not JSON.
        package static let unreadable = Code(kind: .unreadable)
        /// The document is JSON and not a list of services.
        package static let badServices = Code(kind: .badServices)
        /// There is no service of the type that is asked for.
        package static let noService = Code(kind: .noService)
        /// The service does not say what is asked for.
        package static let noValue = Code(kind: .noValue)
        /// What the service says is not what it should be.
        package static let badValue = Code(kind: .badValue)
        /// The value is a reference, which only a runner resolves.
        package static let reference = Code(kind: .reference)
    }

    /// The kind of failure.
    package let code: Code
    /// Where it was found: `mobile-services.json:3:9`.
    package let location: String
    /// What is wrong, in one phrase; never a secret.
    package let message: String

    package init(code: Code, location: String, message: String) {
        self.code = code
        self.location = location
        self.message = message
    }

    /// Place and phrase on one line.
    package var description: String { "\(location): \(message)" }
}
