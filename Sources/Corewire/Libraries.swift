import WireCrypto
import WireListener
import WireSQLite
import WireYAML

/// The libraries loaded by the program.
package enum Libraries {
    /// Their names and versions, as text.
    package static let all = [
        "libyaml \(YAMLReader.library)", "SQLite \(StoreInspection.library)",
        // The version text of the library includes its name.
        "libmicrohttpd \(HTTPListener.library)", OpenSSLSecrecy.library,
    ]
}
