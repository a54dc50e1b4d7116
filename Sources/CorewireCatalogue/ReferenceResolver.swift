package import WireBase
package import WireConfig

/// Resolves references on this machine.
package struct ReferenceResolver: Sendable {
    private let file: String
    private static let limit = ByteCount.mebibytes(1)

    /// Relative paths are relative to the folder of the services file.
    package init(beside file: String) {
        self.file = file
    }

    /// The text of a reference, without a trailing line break.
    package func text(of reference: Reference) throws(Fault) -> String {
        switch reference.kind {
        case .environmentVariable:
            let value = Files.variable(reference.name) ?? ""
            if !value.isEmpty { return value }
            guard let fallback = reference.fallback else {
                throw Fault("the environment variable \(reference.name.quoted) is not set")
            }
            return try fallback.text(text(of:))
        case .file:
            return try contents(Files.path(reference.name, beside: file), of: "the file \(reference.name.quoted)")
        case .credential:
            guard !reference.name.contains("/"), reference.name != ".." else {
                throw Fault("a credential is a name, not a path")
            }
            guard let folder = Files.variable("CREDENTIALS_DIRECTORY") else {
                throw Fault(
                    "the credential \(reference.name.quoted) does not exist: CREDENTIALS_DIRECTORY is not set"
                )
            }
            return try contents("\(folder)/\(reference.name)", of: "the credential \(reference.name.quoted)")
        }
    }

    private func contents(_ path: String, of what: String) throws(Fault) -> String {
        let bytes = try Fault.rethrowing(
            after: "\(what) cannot be read",
            try Files.read(path, upTo: Self.limit, onlyRegular: true)
        )
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw Fault("\(what) is not UTF-8 text")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        guard !text.isEmpty else { throw Fault("\(what) is empty") }
        return text
    }
}
