import CorewireCatalogue
package import WireBase
import WireConfig
package import WireRuntime
package import WireSecrets
import WireSecurity
package import WireService

/// Makes candidates from a services file: validates it as `validate-config` does, resolves references, and plans.
package struct FileCandidateSource: CandidateSource {
    private let path: String
    private let overrides: [String]
    private let services: [any Service.Type]
    private let secrecy: any CryptoProvider
    private let clock: TimeSource

    /// Overrides have the form `path=value`, as for `--set`.
    package init(
        path: String,
        overrides: [String] = [],
        services: [any Service.Type] = Shipped.services,
        secrecy: any CryptoProvider,
        clock: TimeSource
    ) {
        self.path = path
        self.overrides = overrides
        self.services = services
        self.secrecy = secrecy
        self.clock = clock
    }

    package func candidate(environment: String?) throws(CandidateRejection) -> Candidate {
        let validation: Validation
        do throws(Fault) {
            validation = try Validation(
                path: path,
                overrides: overrides.map { Loader.Override(option: "--set", text: $0) },
                customEnvironment: environment
            )
        } catch {
            throw CandidateRejection(reason: "cannot read \(path.quoted): \(error.reason)", isUnreadable: true)
        }
        return try candidate(of: validation, environment: environment, overrides: overrides, signatures: nil)
    }

    package func candidate(from sources: SourceTexts) throws(CandidateRejection) -> Candidate {
        guard let first = sources.files.first else { throw CandidateRejection(reason: "it has no stored texts") }
        let validation = Validation(
            texts: sources.files,
            name: first.name,
            overrides: sources.overrides.map { Loader.Override(option: "--set", text: $0) },
            customEnvironment: sources.environment
        )
        return try candidate(
            of: validation,
            environment: sources.environment,
            overrides: sources.overrides,
            signatures: sources.signatures
        )
    }

    /// Without given signatures, those beside the files are used.
    private func candidate(
        of validation: Validation,
        environment: String?,
        overrides: [String],
        signatures: [String: [UInt8]]?
    ) throws(CandidateRejection) -> Candidate {
        guard let file = validation.file, !validation.result.problems.hasErrors else {
            throw rejection("\(subject(of: validation, environment)) is not valid", validation)
        }
        let validated = try validatedEnvironment(environment, of: validation)
        let resolver = ReferenceResolver(beside: validation.name)
        let (configuration, problems) = validation.resolved(validated, of: file, by: resolver)
        if problems.contains(where: { $0.code.severity == .error }) {
            let told = LocalChecks(
                validation,
                environment: validated.facts.name,
                today: "\(Timestamp(milliseconds: clock.wall()))".prefix(10).description
            ).referenceProblems()
            throw rejection(
                "\(validation.name) has unresolved references\(validated.facts.name.map { " in \($0)" } ?? "")",
                validation,
                adding: told
            )
        }
        let effective = EffectiveFile(
            validated,
            of: file.document,
            catalogue: Shipped.catalogue,
            secrets: validation.result.secrets
        )
        let text = YAMLWriter.text(of: effective.literal)
        let files = validation.loaded.sources.filter { !$0.name.hasPrefix("--") }
        return Candidate(
            file: validation.name,
            environments: validation.environments,
            configuration: configuration,
            plan: Plan(validated, catalogue: Shipped.catalogue, services: services, document: file.document),
            document: file.document,
            effective: text,
            settings: try settings(of: effective, validated, configuration, in: validation, file.document, resolver),
            hash: try hash(of: text),
            sources: Secret(
                SourceTexts(
                    files: files.map { ($0.name, $0.bytes) },
                    overrides: overrides,
                    environment: environment,
                    signatures: signatures
                        ?? FileSignatures.beside(files.map(\.name), of: configuration[SecuritySection.self])
                )
            ),
            remarks: validation.result.problems.all.map { Candidate.Remark($0) }
        )
    }

    /// The invalid part: the file, or only the given URL.
    private func subject(of validation: Validation, _ environment: String?) -> String {
        let custom = CustomEnvironment(environment)?.overrides.first?.option
        let errors = validation.result.problems.all.filter { $0.code.severity == .error }
        let isURLs = custom != nil && errors.allSatisfy { $0.place?.file.name == custom }
        return isURLs ? "the URL of the environment" : validation.name
    }

    private func validatedEnvironment(_ name: String?, of validation: Validation) throws(CandidateRejection)
        -> FileValidator.ValidatedEnvironment
    {
        let chosen = name.flatMap { $0.contains("://") ? nil : $0 } ?? validation.defaultEnvironment
        if let validated = validation.environment(chosen) { return validated }
        let shown = (chosen ?? "").quoted
        let nearest = Nearest.name(to: chosen ?? "", among: validation.environments)
        throw CandidateRejection(
            reason: "unknown environment \(shown) in \(validation.name)"
                + (nearest.map { "; did you mean '\($0)'?" }
                    ?? CustomEnvironment.hint(for: chosen ?? "").map { "; \($0)" }
                    ?? (validation.environments.isEmpty
                        ? "" : "; there are \(validation.environments.listed("and"))")),
            isOfUnknownTarget: true
        )
    }

    private func rejection(_ reason: String, _ validation: Validation, adding more: [Diagnostic] = [])
        -> CandidateRejection
    {
        let report = validation.report(adding: more)
        return CandidateRejection(
            reason: reason,
            diagnostics: JSONReport(report).value,
            text: TextReport(report, isColoured: false).text
        )
    }

    /// The effective settings with their hidden values, for comparison.
    private func settings(
        of effective: EffectiveFile,
        _ validated: FileValidator.ValidatedEnvironment,
        _ configuration: Configuration,
        in validation: Validation,
        _ document: Document,
        _ resolver: ReferenceResolver
    ) throws(CandidateRejection) -> [EffectiveSetting] {
        let settings = effective.settings
        var resolved = try files(beside: validation.name, of: configuration)
        for use in validated.references {
            let text = "\n\(use.path)=\((try? resolver.text(of: use.reference)) ?? "")"
            // The setting with the reference, which may be a list.
            var path = use.path[...]
            while !settings.contains(where: { $0.path == path }), let end = path.lastIndex(where: { ".[".contains($0) })
            {
                path = path[..<end]
            }
            resolved[String(path), default: ""] += text
        }
        return settings.map { setting in
            let place = document.place(setting.node)
            let text = FreeValue(setting.node, of: document).literal.flowText + (resolved[setting.path] ?? "")
            return EffectiveSetting(
                path: setting.path,
                text: setting.value.plainText,
                place: "\(place.file.name):\(place.start.line):\(place.start.column)",
                hidden: text == setting.value.flowText ? nil : Secret(text)
            )
        }
    }

    /// Digests of further files that a section reads, by the setting that names them.
    private func files(beside name: String, of configuration: Configuration) throws(CandidateRejection)
        -> [String: String]
    {
        do {
            let digests = try FilesBeside(configuration, of: name).digests { try secrecy.digest($0).hexadecimal }
            return digests.mapValues { "\nfiles=\($0)" }
        } catch {
            throw CandidateRejection(reason: "the digest of the files cannot be computed: \(error)")
        }
    }

    /// Twelve hexadecimal digits: enough to distinguish contents, and short enough to read aloud.
    private func hash(of text: String) throws(CandidateRejection) -> String {
        do throws(Fault) {
            return String(try secrecy.digest(Array(text.utf8)).hexadecimal.prefix(12))
        } catch {
            throw CandidateRejection(reason: error.reason)
        }
    }
}
