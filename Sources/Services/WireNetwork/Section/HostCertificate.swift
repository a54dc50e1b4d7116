package import WireBase
package import WireConfig

/// The client certificate for a host.
package struct HostCertificate: Record {
    @Setting package var host: Host
    @Setting package var file: InputFile
    @Setting package var key: Secret<String>?

    package init(_ keys: inout Keys) {
        _host = keys.required("host", "Host, or all hosts of a domain: *.example.com.")
        _file = keys.required(
            "file",
            "File with the certificate and its intermediate certificates; read for each connection.",
            .example("certificates/kiosk.pem")
        )
        _key = keys.optional(
            "key",
            "Private key. Default: 'file' contains it.",
            .example("\"${credential:kiosk-key}\"")
        )
    }
}
