package import WireBase
package import WireConfig

/// An environment of a services file, read, resolved and planned: the input of a generation.
package struct Candidate: Sendable {
    package let file: String
    package let environments: [String]
    package let configuration: Configuration
    package let plan: Plan
    package let document: Document
    /// The contents of each section with references resolved and secrets in clear; for comparison only.
    package let contents: [String: Secret<String>]
    /// The effective file, secrets redacted.
    package let effective: String
    /// The effective settings by path with their locations, secrets redacted.
    package let settings: [EffectiveSetting]
    /// A digest of the effective file and the environment, without secrets.
    package let hash: String
    /// The texts it was read from, for a rollback.
    package let sources: Secret<SourceTexts>
    /// Remarks about a valid file.
    package let remarks: [Remark]

    /// A remark about a file.
    package struct Remark: Sendable {
        package let code: String
        package let text: String
        package let place: String?

        package init(_ problem: Diagnostic) {
            code = problem.code.id
            text = problem.message
            place = problem.place.map { "\($0.file.name):\($0.start.line):\($0.start.column)" }
        }
    }

    package init(
        file: String,
        environments: [String],
        configuration: Configuration,
        plan: Plan,
        document: Document,
        effective: String,
        settings: [EffectiveSetting],
        hash: String,
        sources: Secret<SourceTexts>,
        remarks: [Remark] = []
    ) {
        self.file = file
        self.environments = environments
        self.configuration = configuration
        self.plan = plan
        self.document = document
        contents = Dictionary(grouping: settings, by: \.section).mapValues { settings in
            Secret(settings.map { "\($0.path)=\($0.hidden?.reveal() ?? $0.text)" }.joined(separator: "\n"))
        }
        self.effective = effective
        self.settings = settings
        self.hash = hash
        self.sources = sources
        self.remarks = remarks
    }

    package var facts: EnvironmentFacts { configuration.facts }
    /// The base URL of an undeclared environment; nil for a declared one.
    package var url: String? {
        guard let choice = sources.reveal().environment, choice.contains("://") else { return nil }
        return facts.baseURL?.description
    }
    package var app: AppSection? { configuration[AppSection.self] }

    /// Whether another candidate would make an identical generation.
    func isSame(as other: Candidate) -> Bool {
        hash == other.hash && facts.name == other.facts.name && contents.keys == other.contents.keys
            && contents.allSatisfy { $0.value.reveal() == other.contents[$0.key]?.reveal() }
    }
}

/// A value of the effective file.
package struct EffectiveSetting: Sendable {
    package let path: String
    package let text: String
    package let place: String
    /// The value itself where it must not be shown: a secret, or a resolved reference.
    package let hidden: Secret<String>?

    package init(path: String, text: String, place: String, hidden: Secret<String>? = nil) {
        self.path = path
        self.text = text
        self.place = place
        self.hidden = hidden
    }

    /// The section of the setting.
    var section: String { String(path.prefix { $0 != "." }) }

    func isSame(as other: EffectiveSetting) -> Bool { text == other.text && hidden?.reveal() == other.hidden?.reveal() }
}

/// The texts a candidate was read from.
package struct SourceTexts: Sendable {
    /// The services file, followed by included files.
    package let files: [(name: String, text: [UInt8])]
    /// The overrides of the command line.
    package let overrides: [String]
    package let environment: String?
    /// The detached signatures beside the files, by file name.
    package let signatures: [String: [UInt8]]

    package init(
        files: [(name: String, text: [UInt8])],
        overrides: [String],
        environment: String?,
        signatures: [String: [UInt8]] = [:]
    ) {
        self.files = files
        self.overrides = overrides
        self.environment = environment
        self.signatures = signatures
    }
}

/// Why there is no candidate.
package struct CandidateRejection: Error, Sendable {
    package let reason: String
    /// The problems, as reported by `validate-config`.
    package let diagnostics: JSONValue?
    package let text: String?
    /// Whether the file could not be read at all.
    package let isUnreadable: Bool
    /// Whether there is no such environment or generation.
    package let isOfUnknownTarget: Bool

    package init(
        reason: String,
        diagnostics: JSONValue? = nil,
        text: String? = nil,
        isUnreadable: Bool = false,
        isOfUnknownTarget: Bool = false
    ) {
        self.isUnreadable = isUnreadable
        self.isOfUnknownTarget = isOfUnknownTarget
        self.reason = reason
        self.diagnostics = diagnostics
        self.text = text
    }
}

/// Decides whether a candidate may replace the current one.
package protocol CandidateCheck: Sendable {
    /// Why a candidate must not replace the current one; nil where it may.
    func rejection(to candidate: Candidate, after present: Candidate) -> CandidateRejection?
}

/// Reads candidates: from the current file, or from stored texts.
package protocol CandidateSource: Sendable {
    /// Reads the given environment, or the default one.
    func candidate(environment: String?) throws(CandidateRejection) -> Candidate
    func candidate(from sources: SourceTexts) throws(CandidateRejection) -> Candidate
}
