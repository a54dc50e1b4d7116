import CorewireCLI
import WireBase
import WireCrypto
import WireSecrets

/// A file with the key of a sender of Web Push: PKCS #8 in PEM.
enum VAPIDKeyFile {
    private static let label = "PRIVATE KEY"

    static func key(_ path: String) throws(Failure) -> PrivateKey {
        let bytes = try CommandFiles.reading(path) { () throws(Fault) in try Files.read(path, upTo: .kibibytes(64)) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let encoded = PEM.bytes(of: label, in: text) else {
            throw Failure(
                message: "\(path.quoted) has no private key in PKCS #8, in PEM",
                status: .problemsFound,
                help: ["EC", "ENCRYPTED"].contains { text.contains("BEGIN \($0) PRIVATE KEY") }
                    ? "convert it: openssl pkcs8 -topk8 -nocrypt -in key.pem -out vapid.pem"
                    : "make one with 'corewire push vapid-key vapid.pem'"
            )
        }
        if path != "-", Files.isReadableByOthers(path) {
            Console.printError("warning: other users may read \(path.quoted)\n  = help: run chmod 600 on the file\n")
        }
        do throws(Fault) { return try OpenSSLSignatures().key(of: Secret(encoded), for: .es256) } catch {
            throw Failure(
                message: "cannot use \(path.quoted): \(error.reason)",
                status: .problemsFound,
                help: "VAPID needs a key of P-256"
            )
        }
    }

    /// Writes a new key that only this user may read; returns the key of another program that was faster.
    static func make(at path: String) throws(Failure) -> PrivateKey {
        do throws(Fault) {
            let key = try OpenSSLSignatures().makeKey(for: .es256)
            let text = PEM.text(of: key.encoded, as: label)
            try Files.replace(path, with: Array(text.reveal().utf8), permissions: 0o600, onlyNew: true)
            return key
        } catch {
            if Files.exists(path) { return try Self.key(path) }
            throw Failure(message: "cannot write \(path.quoted): \(error.reason)", status: .cannotCreate)
        }
    }
}
