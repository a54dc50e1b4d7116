package import WireBase
package import WireConfig
import WireRuntime
import WireService

/// A loaded and validated services file, the starting point of all commands that read one.
package struct Validation: Sendable {
    package let name: String
    package let loaded: Loader.Loaded
    /// The file with the trees of its environments; nil where it could not be loaded.
    package let file: LayeredFile?
    package let result: FileValidator.ValidationResult
    private let question: Question

    /// The parameters of the validation, for repeating it.
    private struct Question: Sendable {
        let bytes: [UInt8]
        let isFile: Bool
        let overrides: [Loader.Override]
        let onlyDefault: Bool
    }

    /// Loads and validates a file: all its environments, or only the default one with another base URL.
    package init(
        path: String,
        overrides: [Loader.Override] = [],
        customEnvironment url: String? = nil
    ) throws(Fault) {
        let name = path == "-" ? "<stdin>" : path
        let bytes = try Shipped.loader.readFile(path, Shipped.loader.limits.fileSize, false)
        let custom = CustomEnvironment(url)
        self.init(
            bytes: bytes,
            name: name,
            isFile: path != "-",
            overrides: overrides + (custom?.overrides ?? []),
            onlyDefault: custom != nil
        )
    }

    /// Validates stored texts, the services file first, without reading files.
    package init(
        texts: [(name: String, text: [UInt8])],
        name: String,
        overrides: [Loader.Override],
        customEnvironment url: String?
    ) {
        var loader = Shipped.loader
        loader.readFile = { path, _, _ throws(Fault) in
            guard let known = texts.first(where: { $0.name == path }) else {
                throw Fault("it is not among the stored texts")
            }
            return known.text
        }
        let custom = CustomEnvironment(url)
        let question = Question(
            bytes: texts.first { $0.name == name }?.text ?? [],
            isFile: true,
            overrides: overrides + (custom?.overrides ?? []),
            onlyDefault: custom != nil
        )
        self.init(question, name: name, loader: loader)
    }

    package init(
        bytes: [UInt8],
        name: String,
        isFile: Bool = true,
        overrides: [Loader.Override] = [],
        onlyDefault: Bool = false
    ) {
        let question = Question(bytes: bytes, isFile: isFile, overrides: overrides, onlyDefault: onlyDefault)
        self.init(question, name: name, loader: Shipped.loader)
    }

    /// Repeats the validation with changed texts of some files.
    package func again(with texts: [String: [UInt8]]) -> Validation {
        var loader = Shipped.loader
        let read = loader.readFile
        loader.readFile = { path, limit, isInclude throws(Fault) in
            if let text = texts[path] { return text }
            return try read(path, limit, isInclude)
        }
        let changed = Question(
            bytes: texts[name] ?? question.bytes,
            isFile: question.isFile,
            overrides: question.overrides,
            onlyDefault: question.onlyDefault
        )
        return Validation(changed, name: name, loader: loader)
    }

    private init(_ question: Question, name: String, loader: Loader) {
        self.name = name
        self.question = question
        loaded = loader.load(bytes: question.bytes, name: name, isFile: question.isFile, overrides: question.overrides)
        guard let layered = loaded.file else {
            file = nil
            result = FileValidator.ValidationResult(problems: loaded.problems)
            return
        }
        var validator = FileValidator(layered, catalogue: Shipped.catalogue, problems: loaded.problems)
        var result = validator.validate(only: question.onlyDefault ? Self.defaultEnvironment(of: layered) : nil)
        let validated = validator.validatedFile
        // Only a service with dependencies can be part of a cycle.
        for environment in result.environments where !environment.needs.isEmpty {
            let plan = Plan(
                environment,
                catalogue: Shipped.catalogue,
                services: Shipped.services,
                document: validated.document
            )
            result.problems.add(plan.problems)
        }
        self.result = result
        file = validated
    }

    /// Whether an override of the command line is invalid, so that the result is for another configuration.
    package var hasWrongOverrides: Bool {
        let options = Set(question.overrides.map(\.option))
        return !options.isEmpty
            && result.problems.all.contains { problem in
                guard problem.code.severity == .error, let file = problem.place?.file else { return false }
                return !file.isFile && options.contains(file.name)
            }
    }

    /// The names of the declared environments.
    package var environments: [String] { file?.environments.map(\.name) ?? [] }

    /// The default environment.
    package var defaultEnvironment: String? { file.flatMap(Self.defaultEnvironment) }

    private static func defaultEnvironment(of file: LayeredFile) -> String? {
        let roots = file.overrides.reversed().map(\.root) + [file.base]
        return roots.firstFound { file.document.value("environment", of: $0) }.map { file.document.text($0) }
    }

    /// A validated environment; the file itself where it declares none.
    package func environment(_ name: String?) -> FileValidator.ValidatedEnvironment? {
        result.environments.first { $0.facts.name == name }
    }

    /// An environment with resolved references, and the problems of their values.
    package func resolved(
        _ validated: FileValidator.ValidatedEnvironment,
        of file: LayeredFile,
        by resolver: ReferenceResolver
    ) -> (configuration: Configuration, problems: [Diagnostic]) {
        let resolve = { @Sendable (reference: Reference) throws(Fault) in
            try resolver.text(of: reference)
        }
        var (facts, problems) = (validated.facts, [Diagnostic]())
        if facts.backend == .embedded {
            // Embedded servers set the base URL themselves; that of the file is for other environments.
            facts.baseURL = nil
        } else {
            let reader = Reader(file.document, facts: facts, resolve: resolve)
            facts = validated.facts(by: reader)
            problems = reader.takeFindings().problems
        }
        let reader = Reader(file.document, facts: facts, resolve: resolve)
        let configuration = Configuration(reading: validated.root, with: reader, catalogue: Shipped.catalogue)
        let findings = reader.takeFindings()
        let rules = AddressRules(document: file.document, facts: facts, offers: validated.offers)
        problems += findings.problems + rules.baseProblems() + rules.problems(of: findings.addresses)
        return (configuration, problems)
    }

    /// The report, including problems found later.
    package func report(adding more: [Diagnostic] = []) -> Report {
        var problems = result.problems
        problems.add(more.lazy.filter { !result.allowed.contains($0.code) })
        let isUnderstood = file != nil && !result.problems.stoppedReading
        // Secret names are needed only where there are problems to show.
        let names = problems.isEmpty ? [] : Shipped.catalogue.secretKeys
        let unread = names.isEmpty ? [] : file?.document.places(ofValuesUnder: Set(names)) ?? []
        let hidden = result.secrets + unread.filter(holdsText)
        return Report(
            file: name,
            problems: problems,
            sources: loaded.sources,
            environments: environments,
            veil: isUnderstood
                ? Veil(hiding: hidden)
                : Veil(hiding: hidden, guessing: names),
            syntaxes: loaded.syntaxes
        )
    }

    /// Whether a range of a file contains text of its own, and not only a reference.
    private func holdsText(_ place: SourceRange) -> Bool {
        let text = String(decoding: place.file.bytes[place.bytes], as: UTF8.self)
        let bare = text.filter { $0 != "\"" && $0 != "'" }
        guard let parsed = try? ReferringText(parsing: bare) else { return true }
        return parsed.references.isEmpty || parsed.holdsTextOfItsOwn
    }
}
