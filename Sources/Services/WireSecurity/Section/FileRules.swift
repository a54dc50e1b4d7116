package import WireConfig
import WireSecurityContract
import WireService

/// Files that only tools leave behind.
package struct FilesRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var paths: [PathPattern]
    @Setting package var allow: [Allowed<PathPattern>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-RESILIENCE-1")
        _paths = keys.value(
            "paths",
            "Paths that must not exist; '*' matches any part of a name.",
            or: [
                "/usr/sbin/frida-server", "/usr/local/bin/frida-server", "/data/local/tmp/frida-server",
                "/usr/lib/frida",
                "/tmp/frida-*", "/tmp/linjector*", "/etc/ld.so.preload",
            ].map(PathPattern.init(known:))
        )
        _allow = keys.value(
            "allow",
            "Paths that may exist on this machine.",
            or: [],
            .example("[/etc/ld.so.preload]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: paths.map(\.text),
            allowed: allow.map(\.item.text),
            places: [$paths],
            allowedPlace: $allow
        )
    }
}

/// Ports that tools listen on.
package struct PortsRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var ports: [PortNumber]
    @Setting package var allow: [Allowed<PortNumber>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-RESILIENCE-4")
        _ports = keys.value(
            "ports",
            "Ports of this machine that must be closed.",
            or: [27_042, 27_043, 4_444, 1_234, 2_345, 9_229, 5_037].map(PortNumber.init)
        )
        _allow = keys.value("allow", "Ports that may be open on this machine.", or: [], .example("[9229]"))
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: ports.map { "\($0.number)" },
            allowed: allow.map { "\($0.item.number)" },
            places: [$ports],
            allowedPlace: $allow
        )
    }
}

/// Files that have changed.
package struct IntegrityRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var executable: FileDigest?
    @Setting package var place: AbsolutePath?
    @Setting package var files: [KnownFile]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-2")
        _executable = keys.optional("executable", "SHA-256 of the running program, in hex as sha256sum prints it.")
        _place = keys.optional(
            "place",
            "Path of the running program.",
            .example("/usr/local/bin/corewire-runner")
        )
        _files = keys.value(
            "files",
            "Other files with their SHA-256, such as libraries.",
            or: [],
            .example("[{ path: /opt/tasks/app, sha256: \(FileDigest.textForm.example) }]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: ["program"] + files.map(\.path.path),
            places: [$files, $executable, $place]
        )
    }
}

/// A file with its hash.
package struct KnownFile: Record {
    @Setting package var path: InputFile
    @Setting package var sha256: FileDigest

    package init(_ keys: inout Keys) {
        _path = keys.required("path", "Path of the file.")
        _sha256 = keys.required("sha256", "SHA-256 of the file, in hex as sha256sum prints it.")
    }
}

/// Files that other users may change.
package struct WritableRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var paths: [AbsolutePath]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-STORAGE-1", "MASVS-RESILIENCE-2")
        _paths = keys.value(
            "paths",
            "Files and folders besides the program, the services file, the store and the keys, which are always checked.",
            or: [],
            .example("[/opt/tasks]")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["program"]) }
}

/// Paths with symbolic links.
package struct LinksRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var paths: [AbsolutePath]
    @Setting package var allow: [Allowed<AbsolutePath>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-RESILIENCE-2")
        _allow = keys.value("allow", "Allowed links.", or: [], .example("[/opt/tasks/current]"))
        _paths = keys.value(
            "paths",
            "Paths besides the program, the services file and the keys, which are always checked.",
            or: [],
            .example("[/opt/tasks]")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["program"]) }
}

/// Data on a disk that is not encrypted.
package struct EncryptionRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var paths: [AbsolutePath]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-STORAGE-1")
        _paths = keys.value(
            "paths",
            "Folders besides that of the store, which is always checked.",
            or: [],
            .example("[/srv/tasks]")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["store"]) }
}

/// Signs that traffic may be intercepted.
package struct ProxyRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var variables: [VariableName]
    @Setting package var authorities: [PathPattern]
    @Setting package var vpn: Bool
    @Setting package var allow: [Allowed<String>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-NETWORK-1")
        _variables = keys.value(
            "variables",
            "Environment variables that redirect traffic or add certificate authorities; case is ignored.",
            or: [
                "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
                "NODE_EXTRA_CA_CERTS",
            ]
            .map(VariableName.init(known:))
        )
        _authorities = keys.value(
            "authorities",
            "Folders with certificate authorities added to those of the system.",
            or: [
                "/usr/local/share/ca-certificates/*.crt", "/usr/local/share/ca-certificates/*/*.crt",
                "/etc/pki/ca-trust/source/anchors/*", "/etc/ca-certificates/trust-source/anchors/*",
            ].map(PathPattern.init(known:))
        )
        _vpn = keys.value(
            "vpn",
            "Whether a default route through a tunnel (tun, tap, ppp, wg, ipsec) counts.",
            or: false
        )
        _allow = keys.value(
            "allow",
            "Allowed tunnels, by interface, and authorities, by the path of the certificate.",
            or: [],
            .example("[wg0]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: variables.map(\.text) + authorities.map(\.text) + (vpn ? ["vpn"] : []),
            places: [$variables, $authorities, $vpn],
            allowedPlace: $allow
        )
    }
}
