import CorewireCLI
import WireBase
import WireConfig
import WireSecrets

/// `corewire push vapid-key`: prints the public key of a sender of Web Push.
enum VAPIDKeyCommand {
    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let showing = try Display(invocation)
        let path = invocation.argument(0) ?? ""
        guard path != "-" else { throw UsageError("expected the path of a file", for: invocation.path) }
        let key = try Files.exists(path) ? VAPIDKeyFile.key(path) : VAPIDKeyFile.make(at: path)
        let text = Base64URL.text(of: key.publicKey.point ?? [])
        showing.show(.members(["publicKey": .string(text)])) { "\(text)\n" }
        return .success
    }
}
