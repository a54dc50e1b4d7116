import Foundation

/// A certificate authority for the duration of a test.
package final class Authority: Sendable {
    package let folder: TemporaryFolder

    package init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            """
            [req]
            distinguished_name = name
            [name]
            [ca]
            default_ca = own
            [own]
            database = index
            new_certs_dir = .
            serial = serial
            unique_subject = no
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = supplied
            [authority]
            basicConstraints = critical, CA:true
            """,
            to: "settings"
        )
        try folder.write("", to: "index")
        try folder.write("01", to: "serial")
        try openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            "ca.key",
            "-out",
            "ca.pem",
            "-subj",
            "/CN=Test authority",
            "-config",
            "settings",
            "-extensions",
            "authority"
        )
    }

    /// The path of the authority's own certificate.
    package var file: String { path("ca.pem") }

    package func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// Makes a PEM file with a certificate and its key for a name; validity times look like `20200101000000Z`.
    package func certificate(
        for name: String,
        in file: String,
        from start: String = "20200101000000Z",
        until end: String = "20491231000000Z",
        bySelf: Bool = false
    ) throws -> String {
        let alternative = name.first?.isNumber == true ? "IP:\(name)" : "DNS:\(name)"
        try openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            "\(file).key",
            "-out",
            "\(file).req",
            "-subj",
            "/CN=\(name)",
            "-config",
            "settings",
            "-addext",
            "subjectAltName=\(alternative)"
        )
        try openssl(
            ["ca", "-batch", "-config", "settings", "-in", "\(file).req", "-out", "\(file).crt", "-notext"]
                + ["-startdate", start, "-enddate", end]
                + (bySelf ? ["-selfsign", "-keyfile", "\(file).key"] : ["-cert", "ca.pem", "-keyfile", "ca.key"])
        )
        return try folder.url.appendingPathComponent(
            folder.write(folder.text(of: "\(file).crt") + folder.text(of: "\(file).key"), to: file)
        ).path
    }

    /// The SHA-256 of a certificate's public key, in base64.
    package func pin(of file: String) throws -> String {
        try openssl("pkey", "-in", "\(file).key", "-pubout", "-outform", "DER", "-out", "\(file).spki")
        try openssl("dgst", "-sha256", "-binary", "-out", "\(file).hash", "\(file).spki")
        return try Data(contentsOf: folder.url.appendingPathComponent("\(file).hash")).base64EncodedString()
    }

    private func openssl(_ arguments: String...) throws {
        try openssl(arguments)
    }

    private func openssl(_ arguments: [String]) throws {
        let run = try Program.run("openssl", arguments, in: folder.url)
        guard run.status == 0 else { throw Failure(description: run.everything) }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
