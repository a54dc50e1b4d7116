import WireCrypto
import WireListener
import WireSQLite
import WireYAML

/// The libraries of this machine that the program runs with.
package enum Libraries {
    /// Their names and versions, as people read them.
    package static let all = [
        "libyaml \(YAMLReader.library)", "SQLite \(StoreInspection.library)",
        // Its own words begin with its name.
        "libmicrohttpd \(HTTPListener.library)", OpenSSLSecrecy.library,
    ]
}
