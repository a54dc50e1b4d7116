package import WireBase

/// The context of a section's rules: reads settings and collects problems.
///
/// Rules report nothing about a value that is already wrong or waits for a reference, because such a problem would
/// depend on the first one.
package struct Checks {
    private let document: Document
    private let validated: Configuration
    /// The section with these rules.
    private let section: String
    private(set) var findings = Findings()

    /// The findings of the rules.
    struct Findings {
        var problems: [Diagnostic] = []
        var offers: Set<Provision> = []
        var needs: [Need] = []
        /// The input of the rules besides their own section; where it differs, the result may differ.
        var dependence = Dependence.none
    }

    /// The input of a section's rules besides the section itself; each case includes those before it.
    enum Dependence: Int, Comparable {
        case none
        case backend
        case environment

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// A dependency of one section on any section that provides something.
    package struct Need: Sendable {
        /// The section with the dependency.
        package let section: String
        package let provision: Provision
        /// The problem where no section provides it.
        package let problem: Diagnostic
    }

    init(_ document: Document, configuration: Configuration, section: String) {
        self.document = document
        self.section = section
        validated = configuration
    }

    /// The environment being validated.
    package var environment: EnvironmentFacts {
        mutating get { configuration.facts }
    }

    /// The kind of servers of the environment; nil where the file's value cannot be read.
    ///
    /// Rules that use only this, and not `environment`, run once for all environments that share a section.
    package var backend: EnvironmentFacts.Backend? {
        mutating get {
            findings.dependence = max(findings.dependence, .backend)
            return validated.facts.isBackendKnown ? validated.facts.backend : nil
        }
    }

    /// All sections of the environment being validated.
    package var configuration: Configuration {
        mutating get {
            findings.dependence = .environment
            return validated
        }
    }

    /// Reports a problem at a value.
    package mutating func report(
        _ code: Code,
        at place: Place,
        _ message: String,
        label: String = "",
        help: Advice? = nil,
        fix: String? = nil,
        related: (place: Place, text: String)? = nil
    ) {
        guard let problem = problem(code, place, message, label, help, fix, related) else { return }
        findings.problems.append(problem)
    }

    /// Declares that this section provides something.
    package mutating func offer(_ provision: Provision) {
        findings.offers.insert(provision)
    }

    /// Requires that another section provides something; the message applies where none does.
    package mutating func need(
        _ provision: Provision,
        _ code: Code,
        at place: Place,
        _ message: String,
        label: String = "",
        help: Advice? = nil
    ) {
        guard let problem = problem(code, place, message, label, help, nil, nil) else { return }
        findings.needs.append(Need(section: section, provision: provision, problem: problem))
    }

    /// The text of a value as written, for messages that quote it.
    package func written(_ place: Place) -> String {
        place.node.map { document.text($0) } ?? ""
    }

    private func problem(
        _ code: Code,
        _ place: Place,
        _ message: String,
        _ label: String,
        _ help: Advice?,
        _ fix: String?,
        _ related: (place: Place, text: String)?
    ) -> Diagnostic? {
        guard place.state != .uncertain, related.map({ $0.place.state != .uncertain }) ?? true else { return nil }
        let range = place.node.map { document.place(document.target($0)) }
        var problem = Diagnostic(
            code,
            message,
            at: range.map {
                place.isWritten || document.kind(place.node ?? NodeID(number: 0)).isScalar ? $0 : $0.beginning
            }
        )
        .labelled(label)
        .helped(by: help)
        .related(related?.place.node.map(document.place), related?.text ?? "")
        if let fix, let range { problem = problem.fixed(by: .replace(range, with: fix, "write \(fix)")) }
        return problem
    }
}

extension SourceRange {
    /// Only the first byte: the location for an absent key.
    package var beginning: SourceRange {
        SourceRange(file, bytes.lowerBound..<min(bytes.upperBound, bytes.lowerBound + 1))
    }
}

/// Something that one section provides and others need, independent of their names.
package struct Provision: Hashable, Sendable {
    package let kind: Kind
    package let name: String

    package enum Kind: String, Sendable {
        /// Tokens of the signed-in user or of the app.
        case accessTokens
        /// A GraphQL operation in a query file.
        case operation
        /// A download queue.
        case downloads
        /// A destination for metrics.
        case metrics
        /// A host that allows plain `http`.
        case plainHost
        /// An origin that may receive access tokens.
        case tokenHost
        /// An embedded server, for environments with `backend: embedded`.
        case backend
        /// Requests to servers, by the rules of the file.
        case requests
        /// A queue for requests with guaranteed delivery.
        case outbox
        /// Scheduled tasks.
        case schedules
        /// Facts about this device.
        case device
        /// The values stored by apps.
        case state
        /// The trust state of this machine; its service is ready before all others.
        case trust
        /// The push servers of this device.
        case pushServers
        /// A provider of credentials that replaces sign-in by browser or code.
        case credentials
        /// The runner itself, which provides facilities in the same way as services.
        case runner
    }

    package init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }
}
