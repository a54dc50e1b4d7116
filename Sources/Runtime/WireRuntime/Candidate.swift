package import WireBase
package import WireConfig

/// An environment of a services file, read, resolved and planned: what a generation is made of.
package struct Candidate: Sendable {
    package let file: String
    package let environments: [String]
    package let configuration: Configuration
    package let plan: Plan
    package let document: Document
    /// What each section says, references resolved and secrets in clear, to be compared and never shown.
    package let contents: [String: Secret<String>]
    /// The effective file, secrets redacted.
    package let effective: String
    /// The effective settings by path, secrets redacted, with their places.
    package let settings: [EffectiveSetting]
    /// Names the content, without telling secrets: of the effective file and the environment.
    package let hash: String
    /// The texts it was made of, to be able to come back to it.
    package let sources: Secret<SourceTexts>
    /// What is worth saying of a file that is valid.
    package let remarks: [Remark]

    /// Something worth saying of a file.
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
    /// Where the servers of an environment are that the file does not declare; nil for one that it does.
    package var url: String? {
        guard let choice = sources.reveal().environment, choice.contains("://") else { return nil }
        return facts.baseURL?.description
    }
    package var app: AppSection? { configuration[AppSection.self] }

    /// Whether another candidate would make the very same generation.
    func isSame(as other: Candidate) -> Bool {
        hash == other.hash && facts.name == other.facts.name && contents.keys == other.contents.keys
            && contents.allSatisfy { $0.value.reveal() == other.contents[$0.key]?.reveal() }
    }
}

/// One value of the effective file.
package struct EffectiveSetting: Sendable {
    package let path: String
    package let text: String
    package let place: String
    /// The value itself, where it may not be shown: a secret, or what a reference leads to.
    package let hidden: Secret<String>?

    package init(path: String, text: String, place: String, hidden: Secret<String>? = nil) {
        self.path = path
        self.text = text
        self.place = place
        self.hidden = hidden
    }

    /// The section it is of.
    var section: String { String(path.prefix { $0 != "." }) }

    func isSame(as other: EffectiveSetting) -> Bool { text == other.text && hidden?.reveal() == other.hidden?.reveal() }
}

/// The texts a candidate was read from.
package struct SourceTexts: Sendable {
    /// The services file first, then what it includes.
    package let files: [(name: String, text: [UInt8])]
    /// What was laid over them on the command line.
    package let overrides: [String]
    package let environment: String?
    /// The detached signatures that lay beside the files, by the names of the files.
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
    /// What is wrong, as `validate-config` tells it.
    package let diagnostics: JSONValue?
    package let text: String?
    /// Whether there is no file to speak of.
    package let isUnreadable: Bool

    package init(
        reason: String,
        diagnostics: JSONValue? = nil,
        text: String? = nil,
        isUnreadable: Bool = false
    ) {
        self.isUnreadable = isUnreadable
        self.reason = reason
        self.diagnostics = diagnostics
        self.text = text
    }
}

/// Has a say in what may follow what runs now.
package protocol CandidateJudge: Sendable {
    /// Why a candidate must not follow the present one; nil where it may.
    func objection(to candidate: Candidate, after present: Candidate) -> CandidateRejection?
}

/// Reads candidates: from the file as it is now, or from texts that are kept.
package protocol CandidateSource: Sendable {
    /// The environment chosen, or the one that runs by default.
    func candidate(environment: String?) throws(CandidateRejection) -> Candidate
    func candidate(from sources: SourceTexts) throws(CandidateRejection) -> Candidate
}
