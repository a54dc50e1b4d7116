import Corewire
import CorewireCLI

extension RunOptions {
    /// Which file is meant, as every command that reads it for itself is told.
    ///
    /// `file` is the argument that may name it instead of the option.
    init(_ invocation: Invocation, file: String? = nil) throws {
        self.init(file: try ConfigFinder.find(invocation, argument: file))
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
