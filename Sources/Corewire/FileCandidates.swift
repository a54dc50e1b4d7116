import CorewireFile
package import WireBase
import WireConfig
package import WireRuntime
package import WireSecrets
import WireSecurity

/// Makes candidates of a services file: the same reading and judging as `validate-config`, then references, then the plan.
package struct FileCandidates: CandidateSource {
    private let path: String
    private let overrides: [String]
    private let secrecy: any Secrecy
    private let clock: Clockwork

    /// Overrides are `path=value`, as `--set` takes them.
    package init(
        path: String,
        overrides: [String] = [],
        secrecy: any Secrecy,
        clock: Clockwork
    ) {
        self.path = path
        self.overrides = overrides
        self.secrecy = secrecy
        self.clock = clock
    }

    package func candidate(environment: String?) throws(CandidateRejection) -> Candidate {
        let validation: Validation
        do throws(FileUnreadable) {
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
        guard let first = sources.files.first else { throw CandidateRejection(reason: "nothing is kept of it") }
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

    /// Without signatures, those that lie beside the files count.
    private func candidate(
        of validation: Validation,
        environment: String?,
        overrides: [String],
        signatures: [String: [UInt8]]?
    ) throws(CandidateRejection) -> Candidate {
        guard let file = validation.file, !validation.judgement.problems.hasErrors else {
            throw rejection("\(subject(of: validation, environment)) is not valid", validation)
        }
        let judged = try judgedEnvironment(environment, of: validation)
        let resolver = ReferenceResolver(beside: validation.name)
        let (configuration, problems) = validation.resolved(judged, of: file, by: resolver)
        if problems.contains(where: { $0.code.severity == .error }) {
            let told = LocalChecks(
                validation,
                environment: judged.facts.name,
                today: "\(Timestamp(milliseconds: clock.wall()))".prefix(10).description
            ).referenceProblems()
            throw rejection(
                "\(validation.name) refers to what is not here\(judged.facts.name.map { " in \($0)" } ?? "")",
                validation,
                adding: told
            )
        }
        let effective = EffectiveFile(
            judged,
            of: file.document,
            catalogue: Shipped.catalogue,
            secrets: validation.judgement.secrets
        )
        let text = YAMLWriter.text(of: effective.literal)
        let files = validation.loaded.sources.filter { !$0.name.hasPrefix("--") }
        return Candidate(
            file: validation.name,
            environments: validation.environments,
            configuration: configuration,
            plan: Plan(judged, catalogue: Shipped.catalogue, services: Shipped.services, document: file.document),
            document: file.document,
            contents: contents(of: judged, in: file.document, resolver),
            effective: text,
            settings: effective.settings.map { setting in
                let place = file.document.place(setting.node)
                return EffectiveSetting(
                    path: setting.path,
                    text: setting.value.plainText,
                    place: "\(place.file.name):\(place.start.line):\(place.start.column)"
                )
            },
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
            remarks: validation.judgement.problems.all.map { Candidate.Remark($0) }
        )
    }

    /// What is not valid: the file, or only the URL somebody gave.
    private func subject(of validation: Validation, _ environment: String?) -> String {
        let custom = CustomEnvironment(environment)?.overrides.first?.option
        let errors = validation.judgement.problems.all.filter { $0.code.severity == .error }
        let isURLs = custom != nil && errors.allSatisfy { $0.place?.file.name == custom }
        return isURLs ? "the URL of the environment" : validation.name
    }

    private func judgedEnvironment(_ name: String?, of validation: Validation) throws(CandidateRejection)
        -> Judge.Judged
    {
        let chosen = name.flatMap { $0.contains("://") ? nil : $0 } ?? validation.defaultEnvironment
        if let judged = validation.environment(chosen) { return judged }
        let shown = (chosen ?? "").quoted
        let nearest = Nearest.name(to: chosen ?? "", among: validation.environments)
        throw CandidateRejection(
            reason: "no environment \(shown) is declared in \(validation.name)"
                + (nearest.map { "; did you mean '\($0)'?" }
                    ?? (validation.environments.isEmpty
                        ? "" : "; there are \(validation.environments.listed("and"))"))
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

    /// What each section says with its references filled in: two of them are compared, and never shown.
    private func contents(of judged: Judge.Judged, in document: Document, _ resolver: ReferenceResolver)
        -> [String: Secret<String>]
    {
        var contents: [String: Secret<String>] = [:]
        for section in Shipped.catalogue.sections {
            guard let node = document.value(section.name, of: judged.root) else { continue }
            var text = FreeValue(node, of: document).literal.flowText
            for use in judged.references where use.path.hasPrefix("\(section.name).") {
                text += "\n\(use.path)=\((try? resolver.text(of: use.reference)) ?? "")"
            }
            contents[section.name] = Secret(text)
        }
        return contents
    }

    /// Twelve hexadecimal digits: enough to tell contents apart, short enough to be read out.
    private func hash(of text: String) throws(CandidateRejection) -> String {
        do throws(SecrecyFailure) {
            return String(try secrecy.digest(Array(text.utf8)).hexadecimal.prefix(12))
        } catch {
            throw CandidateRejection(reason: error.reason)
        }
    }
}
