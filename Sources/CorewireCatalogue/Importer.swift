import WireBase
package import WireConfig
import WireDialects

/// Converts a file of another system to a services file, with a report per value.
package enum Importer {
    /// Why a file could not be imported.
    package struct Refusal: Error {
        package let reason: String
        package var report: Report?
    }

    /// The result of an import.
    package struct Imported: Sendable {
        /// The services file in YAML, with references for secrets.
        package let text: String
        package let report: ImportReport
    }

    /// Converts a file to an equivalent services file.
    package static func servicesFile(from bytes: [UInt8], named name: String) throws(Refusal) -> Imported {
        if name.lowercased().hasSuffix(".plist") || bytes.starts(with: "bplist".utf8) {
            return try haloFile(from: bytes, named: name)
        }
        let validation = Validation(bytes: bytes, name: name)
        guard validation.environments.isEmpty else {
            throw Refusal(
                reason: "\(name.quoted) declares environments: it is a services file already and needs no import"
            )
        }
        guard let file = validation.file, let validated = validation.environment(nil) else {
            throw Refusal(reason: "\(name.quoted) cannot be imported", report: validation.report())
        }
        guard validation.loaded.dialect != nil else {
            throw Refusal(reason: "\(name.quoted) is neither an AeroGear mobile-services.json nor a HALO .plist")
        }
        let references = SecretReferences()
        let effective = EffectiveFile(
            validated,
            of: file.document,
            catalogue: Shipped.catalogue,
            secrets: validation.result.secrets,
            isWrittenOnly: true
        ) { references.text(for: $0, $1) }
        let body = YAMLWriter.text(of: effective.literal)
        var lines = [
            "# Imported from \(name.shown(upTo: 120)). 'aerogear.file' is that file: the sections override it."
        ]
        lines += references.all.map { secret in
            "# The secret \(secret.path.shown(upTo: 120)) was in clear (line \(secret.place.start.line)): provide it as \(secret.variable)."
        }
        lines += [
            "# Set the id of your app, which names the folders of its data on each machine. Apps without an id share them:",
            "# app: { id: com.example.tasks }",
        ]
        let text = lines.joined(separator: "\n") + "\n" + body
        var report = ImportReport(file: name, format: "aerogear")
        report.items = ImportedValues(validated.root, of: file.document, references: references.all).items
        report.problems = validation.result.problems.hasErrors ? validation.report() : nil
        return Imported(text: text, report: checked(report, text))
    }

    private static func haloFile(from bytes: [UInt8], named name: String) throws(Refusal) -> Imported {
        do throws(Fault) {
            let list = try HaloPropertyList(bytes, named: name)
            let text = try list.servicesFile()
            var report = ImportReport(file: name, format: "halo")
            report.items = try list.outcomes().map { outcome in
                let fate: ImportReport.Fate =
                    switch outcome.fate {
                    case .taken(let settings): .taken(as: settings)
                    case .reference(let variable, let settings): .reference(variable: variable, as: settings)
                    case .kept(let place): .kept(in: place)
                    case .left(let reason): .left(reason: reason)
                    }
                return ImportReport.Item(path: outcome.key, place: nil, fate: fate)
            }
            return Imported(text: text, report: checked(report, text))
        } catch {
            throw Refusal(reason: error.reason)
        }
    }

    /// Adds the remaining problems of the written file to the report.
    private static func checked(_ report: ImportReport, _ text: String) -> ImportReport {
        var report = report
        let written = Validation(bytes: Array(text.utf8), name: "mobile-services.yaml", isFile: false)
        report.remaining = written.result.problems.hasErrors ? written.report() : nil
        return report
    }
}
