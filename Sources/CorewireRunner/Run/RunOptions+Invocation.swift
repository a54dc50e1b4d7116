import Corewire
import CorewireCLI
import WireService

extension RunOptions {
    /// Reads the options that select the services file, for all commands that read it.
    ///
    /// `file` is an argument that may name the file instead of the option.
    init(_ invocation: Invocation, _ embeddedServers: any Service.Type, file: String? = nil) throws {
        self.init(file: try ConfigFinder.find(invocation, argument: file))
        self.embeddedServers = embeddedServers
        environment = try ConfigFinder.chosenEnvironment(invocation)
        overrides = invocation.all("set")
        guard let key = invocation.option("signed-by") else { return }
        do {
            try takeOnly(signedBy: key)
        } catch {
            throw UsageError("--signed-by needs an Ed25519 public key, 32 bytes in base64", for: invocation.path)
        }
    }
}
