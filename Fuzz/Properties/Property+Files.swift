import CorewireCatalogue
import WireBase
import WireConfig

extension Property {
    /// Everything that happens to a file from its bytes to the text of the report, without a look at this machine.
    static func checkFile(_ bytes: [UInt8]) throws(BrokenProperty) {
        let parts = bytes.split(separator: 0x1e, maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3 { return try checkOverrides(parts) }
        try checkFile(bytes, name: "fuzz.yaml")
        let start = bytes.first { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else { return }
        try checkFile(bytes, name: "fuzz.json")
        try checkWritten(bytes)
    }

    private static func checkFile(_ bytes: [UInt8], name: String) throws(BrokenProperty) {
        let judged = ValidatedEnvironment(bytes, name: name)
        try judged.checkPlaces()
        judged.writeReports()
        if judged.problems.errorCount == 0 { try judged.checkEffectiveFiles() }
    }

    /// JSON that was read, written and read again is the same.
    private static func checkWritten(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let first = value(of: bytes) else { return }
        let text = JSONValue(first).text()
        guard let second = value(of: Array(text.utf8)) else {
            throw BrokenProperty("what was written is not JSON: \(text)")
        }
        guard first == second else {
            throw BrokenProperty("written as \(text), read again as \(second.flowText)")
        }
    }

    private static func value(of bytes: [UInt8]) -> Literal? {
        let loaded = ValidatedEnvironment.loader.load(bytes: bytes, name: "value.json")
        guard let file = loaded.file, !loaded.problems.hasErrors else { return nil }
        return FreeValue(file.base, of: file.document).literal
    }
}

/// A file, loaded and judged as `validate-config` does it.
struct ValidatedEnvironment {
    let file: LayeredFile?
    let judgement: FileValidator.ValidationResult
    let sources: [SourceFile]

    var problems: Problems { judgement.problems }

    /// Knows all that ships, and never looks at a disk.
    static let loader = Loader(
        formats: Shipped.loader.formats,
        dialects: Shipped.loader.dialects,
        readFile: { _, _, _ throws(Fault) in throw Fault("there are no other files here") }
    )

    private static let secretKeys = Shipped.catalogue.secretKeys

    init(_ bytes: [UInt8], name: String, overrides: [Loader.Override] = []) {
        let loaded = Self.loader.load(bytes: bytes, name: name, overrides: overrides)
        sources = loaded.sources
        guard let layered = loaded.file else {
            file = nil
            judgement = FileValidator.ValidationResult(problems: loaded.problems)
            return
        }
        var judge = FileValidator(layered, catalogue: Shipped.catalogue, problems: loaded.problems)
        judgement = judge.validate()
        file = judge.validatedFile
    }

    /// Every place that is told lies in its file.
    func checkPlaces() throws(BrokenProperty) {
        for problem in problems.all { try problem.checkPlaces() }
    }

    /// Writes the report in every format there is.
    func writeReports() {
        let report = Report(
            file: "fuzz",
            problems: problems,
            sources: sources,
            environments: file?.environments.map(\.name) ?? [],
            veil: file == nil || problems.stoppedReading
                ? Veil(hiding: judgement.secrets, guessing: Self.secretKeys) : Veil(hiding: judgement.secrets)
        )
        _ = TextReport(report, isColoured: true).text
        _ = JSONReport(report).value.text(indented: true)
        _ = SARIFReport(report, programVersion: "0").value.text()
        _ = GitHubReport(report).text
    }

    /// What `env show` prints of a valid file is a valid file, and the same in YAML and JSON.
    func checkEffectiveFiles() throws(BrokenProperty) {
        guard let file else { return }
        for environment in judgement.environments {
            let literal = EffectiveFile(
                environment,
                of: file.document,
                catalogue: Shipped.catalogue,
                secrets: judgement.secrets
            ).literal
            let yaml = YAMLWriter.text(of: literal)
            let json = JSONValue(literal).text(indented: true)
            let fromYAML = try Self.reread(yaml, as: "again.yaml")
            let fromJSON = try Self.reread(json, as: "again.json")
            guard fromYAML == fromJSON else {
                throw BrokenProperty("YAML and JSON of one environment differ:\n\(yaml)\n\(json)")
            }
        }
    }

    private static func reread(_ text: String, as name: String) throws(BrokenProperty) -> Literal {
        let again = ValidatedEnvironment(Array(text.utf8), name: name)
        guard let file = again.file, again.problems.errorCount == 0 else {
            throw BrokenProperty("a valid file comes to an invalid one: \(again.problems.messages)\n\(text)")
        }
        return FreeValue(file.base, of: file.document).literal
    }
}
