import Corewire
import CorewireCLI
import WireService

extension RunOptions {
    /// Which file is meant, as every command that reads it for itself is told.
    ///
    /// `file` is the argument that may name it instead of the option.
    init(_ invocation: Invocation, _ embeddedServers: any Service.Type, file: String? = nil) throws {
        self.init(file: try ConfigFinder.find(invocation, argument: file))
        self.embeddedServers = embeddedServers
        environment = try ConfigFinder.chosenEnvironment(invocation)
        overrides = invocation.all("set")
        guard let key = invocation.option("signed-by") else { return }
        do {
            try takeOnly(signedBy: key)
        } catch {
            throw UsageError("--signed-by takes an Ed25519 public key, 32 bytes in base64", for: invocation.path)
        }
    }
}
