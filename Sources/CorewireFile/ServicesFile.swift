import WireBase
import WireConfig

/// A services file, read and judged: the way into corewire from Swift.
///
/// ```swift
/// let file = try ServicesFile(path: "mobile-services.yaml")
/// let services = try file.services(in: "prod")
/// print(services.auth?.scopes ?? [])
/// ```
public struct ServicesFile: Sendable {
    private let validation: Validation
    private let file: LayeredFile

    /// Reads a file and all it includes, and judges all its environments; throws where any has an error.
    public init(path: String) throws(ServicesFileError) {
        do throws(FileUnreadable) {
            validation = try Validation(path: path)
        } catch {
            throw ServicesFileError(.unreadable, "cannot read \(path.quoted): \(error.reason)")
        }
        guard let file = validation.file, !validation.judgement.problems.hasErrors else {
            throw ServicesFileError(.invalid, TextReport(validation.report(), isColoured: false).text)
        }
        self.file = file
    }

    /// The names of the declared environments, in the order of the file.
    public var environments: [String] { validation.environments }

    /// The environment that runs when none is chosen.
    public var defaultEnvironment: String? { validation.defaultEnvironment }

    /// What is probably not meant, as text for people; empty where there is nothing.
    public var warnings: String { TextReport(validation.report(), isColoured: false).text }

    /// The settings of an environment, the default one unless named, with their references resolved here and now.
    public func services(in environment: String? = nil) throws(ServicesFileError) -> Services {
        let name = environment ?? defaultEnvironment
        guard let judged = validation.environment(name) else {
            throw ServicesFileError(
                .unknownEnvironment,
                "no environment \((name ?? "").quoted) is declared in \(validation.name)"
            )
        }
        let (configuration, problems) = validation.resolved(
            judged,
            of: file,
            by: ReferenceResolver(beside: validation.name)
        )
        if let problem = problems.first(where: { $0.code.severity == .error }) {
            // Only what is missing is quoted: what a reference brings may be a secret.
            let reason =
                problem.code.quotesNoValue
                ? problem.message : "\(problem.path): what the reference brings does not fit"
            throw ServicesFileError(.unresolved, reason)
        }
        return Services(configuration: configuration)
    }
}

/// Why a services file gives no settings.
public struct ServicesFileError: Error, Sendable, CustomStringConvertible {
    /// The kinds of reasons; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, invalid, unknownEnvironment, unresolved }
        private let kind: Kind

        /// The file cannot be read.
        public static let unreadable = Code(kind: .unreadable)
        /// The file has errors.
        public static let invalid = Code(kind: .invalid)
        /// The environment is not declared.
        public static let unknownEnvironment = Code(kind: .unknownEnvironment)
        /// A reference has no value here, or one that does not fit.
        public static let unresolved = Code(kind: .unresolved)
    }

    /// The kind of reason.
    public let code: Code
    /// The reason in words; never a secret.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
