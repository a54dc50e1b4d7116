import WireCrypto
import WireListener
import WireSQLite
import WireYAML

/// The libraries of this machine that the program runs with.
package enum Libraries {
    package static let all: [(name: String, version: String)] = [
        ("libyaml", YAMLReader.library),
        ("SQLite", StoreInspection.library),
        ("libmicrohttpd", HTTPListener.library),
        ("OpenSSL", OpenSSLSecrecy.library),
    ]
}
