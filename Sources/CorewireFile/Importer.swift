import WireBase
package import WireConfig
import WireDialects

/// Turns a file of another system into the text of a services file.
package enum Importer {
    /// Why a file could not be imported.
    package struct Refusal: Error {
        package let reason: String
        package var report: Report?
    }

    /// The services file that says the same.
    ///
    /// Secrets become references.
    package static func servicesFile(from bytes: [UInt8], named name: String) throws(Refusal) -> String {
        if name.lowercased().hasSuffix(".plist") || bytes.starts(with: "bplist".utf8) {
            return try haloFile(from: bytes, named: name)
        }
        let validation = Validation(bytes: bytes, name: name)
        guard validation.environments.isEmpty else {
            throw Refusal(
                reason: "\(name.quoted) declares environments, so it is a services file already; it is read as it is"
            )
        }
        guard let file = validation.file, let judged = validation.environment(nil) else {
            throw Refusal(reason: "\(name.quoted) cannot be imported", report: validation.report())
        }
        guard validation.loaded.dialect != nil else {
            throw Refusal(reason: "\(name.quoted) is neither an AeroGear mobile-services.json nor a HALO .plist")
        }
        var lines = ["# yaml-language-server: $schema=mobile-services.schema.json", "# Imported from \(name)."]
        let effective = EffectiveFile(
            judged,
            of: file.document,
            catalogue: Shipped.catalogue,
            secrets: validation.judgement.secrets
        ) { path in
            "${env:\(variableName(path))}"
        }
        for secret in validation.judgement.problems.all where secret.code == .secretInClear {
            let variable = variableName(secret.path.split(separator: ".").map(String.init))
            let line = secret.place.map { ", line \($0.start.line)" } ?? ""
            lines.append("# The secret \(secret.path) was in clear (\(name)\(line)): provide it as \(variable).")
        }
        return lines.joined(separator: "\n") + "\n" + YAMLWriter.text(of: effective.literal)
    }

    private static func haloFile(from bytes: [UInt8], named name: String) throws(Refusal) -> String {
        do throws(HaloImportError) {
            return try HaloPropertyList(bytes, named: name).servicesFile()
        } catch {
            throw Refusal(reason: error.message)
        }
    }

    /// `push.registrars.ups.variantSecret` as the name of a variable.
    private static func variableName(_ path: [String]) -> String {
        let words = path.joined(separator: "_").utf8.reduce(into: "") { name, byte in
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper, !name.hasSuffix("_") { name += "_" }
            name += byte.isLetter || byte.isDigit ? String(UnicodeScalar(byte)) : "_"
        }
        return words.uppercased()
    }
}
