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
            // The version text of these libraries includes their names: 'OpenSSL 3.0.17 1 Jul 2025', 'libcurl/7.88.1 zlib/…'.
            LibraryVersion("OpenSSL", word(1, of: OpenSSLSecrecy.library)),
            LibraryVersion("libcurl", word(1, of: TransferClient.library)),
            LibraryVersion("libmicrohttpd", HTTPListener.library),
        ]
    }

    private static func word(_ number: Int, of text: String) -> String {
        let words = text.split { $0 == " " || $0 == "/" }
        return words.indices.contains(number) ? String(words[number]) : text
    }
}
