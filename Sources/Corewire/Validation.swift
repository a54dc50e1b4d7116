import WireBase
package import WireConfig

/// A services file, loaded and judged: what every command that looks at a file begins with.
package struct Validation: Sendable {
    package let name: String
    package let loaded: Loader.Loaded
    /// The file with the trees of its environments; nil where there is nothing to go on with.
    package let file: LayeredFile?
    package let judgement: Judge.Judgement

    /// Loads and judges a file; `judged` picks one environment where the others do not matter.
    package init(path: String, overrides: [String] = [], only environment: String? = nil) throws(FileUnreadable) {
        let name = path == "-" ? "<stdin>" : path
        let bytes = try Shipped.loader.readFile(path, Shipped.loader.limits.fileSize)
        self.init(bytes: bytes, name: name, isFile: path != "-", overrides: overrides, only: environment)
    }

    package init(bytes: [UInt8], name: String, isFile: Bool = true, overrides: [String] = [], only environment: String? = nil) {
        self.name = name
        loaded = Shipped.loader.load(bytes: bytes, name: name, isFile: isFile, overrides: overrides)
        guard let layered = loaded.file else {
            file = nil
            judgement = Judge.Judgement(problems: loaded.problems)
            return
        }
        var judge = Judge(layered, catalogue: Shipped.catalogue, problems: loaded.problems)
        judgement = judge.judge(only: environment)
        file = judge.judgedFile
    }

    /// The names of the declared environments.
    package var environments: [String] { file?.environments.map(\.name) ?? [] }

    /// The environment that runs when none is chosen.
    package var defaultEnvironment: String? {
        guard let file else { return nil }
        let roots = file.overrides.reversed().map(\.root) + [file.base]
        return roots.lazy.compactMap { file.document.value("environment", of: $0) }.first.map { file.document.text($0) }
    }

    /// An environment as it was judged; the file itself where it declares none.
    package func environment(_ name: String?) -> Judge.Judged? {
        judgement.environments.first { $0.facts.name == name }
    }

    /// What was found, with what more was found later.
    package func report(adding more: [Diagnostic] = []) -> Report {
        var problems = judgement.problems
        problems.add(more)
        let isUnderstood = file != nil && !judgement.problems.stoppedReading
        return Report(
            file: name,
            problems: problems,
            sources: loaded.sources,
            environments: environments,
            veil: isUnderstood
                ? Veil(hiding: judgement.secrets)
                : Veil(hiding: judgement.secrets, guessing: Shipped.catalogue.secretKeys)
        )
    }
}
