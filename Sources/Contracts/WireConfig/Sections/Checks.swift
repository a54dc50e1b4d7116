package import WireBase

/// What the rules of a section may look at and say.
///
/// Nothing is said about a value that is wrong already or waits for a reference: such a problem would vanish, or change,
/// with the first one.
package struct Checks {
    private let document: Document
    private let judged: Configuration
    /// The section whose rules these are.
    private let section: String
    private(set) var findings = Findings()

    /// What the rules came to.
    struct Findings {
        var problems: [Diagnostic] = []
        var offers: Set<Provision> = []
        var needs: [Need] = []
        /// What they looked at besides their own section; where that differs, they may come to something else.
        var dependence = Dependence.none
    }

    /// What the findings of a section's rules depend on besides the section; each case includes those before it.
    enum Dependence: Int, Comparable {
        case none
        case backend
        case environment

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Something one section asks of whichever other section has it.
    package struct Need: Sendable {
        /// The section that asks.
        package let section: String
        package let provision: Provision
        /// What is wrong where no section offers it.
        package let problem: Diagnostic
    }

    init(_ document: Document, configuration: Configuration, section: String) {
        self.document = document
        self.section = section
        judged = configuration
    }

    /// The environment that is judged.
    package var environment: EnvironmentFacts {
        mutating get { configuration.facts }
    }

    /// Where the servers of the environment are; nil where the file says it in words that cannot be read.
    ///
    /// Rules that read this and not `environment` are asked once about a section that environments share.
    package var backend: EnvironmentFacts.Backend? {
        mutating get {
            findings.dependence = max(findings.dependence, .backend)
            return judged.facts.isBackendKnown ? judged.facts.backend : nil
        }
    }

    /// All sections of the environment that is judged.
    package var configuration: Configuration {
        mutating get {
            findings.dependence = .environment
            return judged
        }
    }

    /// Tells of a problem at a value.
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

    /// Says that this section has something others may need.
    package mutating func offer(_ provision: Provision) {
        findings.offers.insert(provision)
    }

    /// Asks for something some section must offer; the message holds where none does.
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

    /// The text a value was written as, for messages that must quote it.
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
    /// The first byte alone: where a key that is absent would be.
    package var beginning: SourceRange {
        SourceRange(file, bytes.lowerBound..<min(bytes.upperBound, bytes.lowerBound + 1))
    }
}

/// Something that one service offers and others ask for, without either knowing the other.
package struct Provision: Hashable, Sendable {
    package let kind: Kind
    package let name: String

    package enum Kind: String, Sendable {
        /// A token of the signed-in user or of the app.
        case accessTokens
        /// A GraphQL operation found in a file.
        case operation
        /// Somewhere to put what is downloaded.
        case downloads
        /// Somewhere to send metrics.
        case metrics
        /// A host that may be spoken to without TLS.
        case plainHost
        /// An origin that may be given access tokens.
        case tokenHost
        /// A server built in, for environments with `backend: embedded`.
        case backend
        /// Requests to servers, by the rules of the file.
        case requests
        /// Requests that must arrive.
        case outbox
        /// Work that is done again and again.
        case schedules
        /// What is known of this device.
        case device
        /// What apps store.
        case state
        /// Whether this machine may be trusted with what is a user's; whoever knows it is ready before all others.
        case trust
        /// The servers that send pushes to this device.
        case pushServers
        /// Somebody who says who signs in, in the place of a browser or a code.
        case credentials
        /// The runner itself, which offers what is its own to services as they offer theirs to each other.
        case runner
    }

    package init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }
}
