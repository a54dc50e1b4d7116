package import CorewireCatalogue
import WireBase
import WireCrypto
import WireListener
import WireSQLite
import WireTransfer

/// The libraries loaded by the program.
package enum Libraries {
    package static var all: [LibraryVersion] {
        Shipped.libraries + [
            LibraryVersion("SQLite", StoreInspection.library),
            // The text of OpenSSL includes its name: 'OpenSSL 3.0.17 1 Jul 2025'.
            LibraryVersion("OpenSSL", word(1, of: OpenSSLSecrecy.library)),
            LibraryVersion("libcurl", TransferClient.version ?? "missing"),
            LibraryVersion("libmicrohttpd", HTTPListener.library),
        ]
    }

    private static func word(_ number: Int, of text: String) -> String {
        let words = text.split(separator: " ")
        return words.indices.contains(number) ? String(words[number]) : text
    }
}
