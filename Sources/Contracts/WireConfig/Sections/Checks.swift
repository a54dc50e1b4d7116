package import WireBase

/// What the rules of a section may look at and say.
///
/// Nothing is said about a value that is wrong already or waits for a reference: such a problem would vanish, or change,
/// with the first one.
package struct Checks {
    /// The environment that is judged.
    package let environment: EnvironmentFacts
    package let configuration: Configuration

    private let document: Document
    package private(set) var problems: [Diagnostic] = []
    /// What is offered, and the sections that offer it.
    package private(set) var offers: [Provision: [String]] = [:]
    package private(set) var needs: [Need] = []
    /// The section whose rules are running.
    var speaker = ""

    /// Something one section asks of whichever other section has it.
    package struct Need: Sendable {
        /// The section that asks.
        package let section: String
        package let provision: Provision
        package let problem: Diagnostic
    }

    init(_ document: Document, configuration: Configuration) {
        self.document = document
        self.configuration = configuration
        environment = configuration.facts
    }

    /// Tells of a problem at a value.
    package mutating func report(
        _ code: Code,
        at place: Place,
        _ message: String,
        label: String = "",
        help: String? = nil,
        fix: String? = nil,
        related: (place: Place, text: String)? = nil
    ) {
        guard let problem = problem(code, place, message, label, help, fix, related) else { return }
        problems.append(problem)
    }

    /// Says that this section has something others may need.
    package mutating func offer(_ provision: Provision) {
        offers[provision, default: []].append(speaker)
    }

    /// Asks for something some section must offer; the message holds where none does.
    package mutating func need(
        _ provision: Provision,
        _ code: Code,
        at place: Place,
        _ message: String,
        label: String = "",
        help: String? = nil
    ) {
        guard let problem = problem(code, place, message, label, help, nil, nil) else { return }
        needs.append(Need(section: speaker, provision: provision, problem: problem))
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
        _ help: String?,
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
        if let name = environment.name { problem.environments = [name] }
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
        /// The runner itself, which offers what is its own to services as they offer theirs to each other.
        case runner
    }

    package init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }
}
